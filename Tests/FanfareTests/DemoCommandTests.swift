import Foundation
import Testing

@Suite("fanfare demo", .serialized)
struct DemoCommandTests {
    @Test("The demo does the whole job, its counts are right, and it leaves nothing behind")
    func wholeJob() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let result = try await commands.run("demo", "--devices", "1500", "--json")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.hasPrefix(#"{"right":true,"devices":1500,"#), "\(result.output)")
        #expect(!result.output.contains(#""right":false"#))
        // Of 1,500 phones 150 are passed over, and 300 are Android's.
        let cohorts = #""cohorts":{"apns":{"devices":1050,"accepted":1050},"fcm":{"devices":300,"accepted":300}}"#
        #expect(result.output.components(separatedBy: cohorts).count == 5, "\(result.output)")
        #expect(result.errors.isEmpty)
    }

    @Test("People get progress and a summary")
    func summary() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let result = try await commands.run("demo", "--devices", "50", "--updates", "1")
        #expect(result.status == 0, "\(result.errors)")
        for word in ["start", "update 1", "end", "50 devices", "per second"] {
            #expect(result.output.contains(word), "\(result.output)")
        }
        #expect(result.errors.contains("register"))
    }

    @Test("A number of devices that makes no sense is refused with a sentence")
    func wrongNumber() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let result = try await commands.run("demo", "--devices", "0")
        #expect(result.status != 0)
        #expect(result.errors.contains("--devices must be 1 to 2,000,000"))
    }
}
