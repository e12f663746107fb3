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
        for moment in ["after updates", "after the end", "of the match"] {
            let check = #""name":"right Live Activity \#(moment)","expected":1350,"found":1350"#
            #expect(result.output.contains(check), "\(moment)")
        }
        // The 1,500 phones include 150 that are skipped, 450 that follow a channel, and 300 with Android.
        func cohorts(channel: Int) -> String {
            #""cohorts":{"apns":{"devices":600,"accepted":600},"channel":{"devices":450,"accepted":\#(channel)},"#
                + #""fcm":{"devices":300,"accepted":300}}"#
        }
        #expect(result.output.components(separatedBy: cohorts(channel: 450)).count == 2, "\(result.output)")
        #expect(result.output.components(separatedBy: cohorts(channel: 1)).count == 4, "\(result.output)")
        // The match reaches half of the fans by a list and half by their app. Each is started and ended once.
        for (name, pushes) in [("live", 750), ("late fans", 600), ("goal", 901), ("full time", 901)] {
            let text = #""name":"\#(name)","sessions_triggered":\#(pushes),"accepted_by_provider":\#(pushes),"#
            #expect(result.output.contains(text), "\(name): \(result.output)")
        }
        #expect(result.errors.isEmpty)
    }

    @Test("People get progress and a summary")
    func summary() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let result = try await commands.run("demo", "--devices", "50", "--updates", "1")
        #expect(result.status == 0, "\(result.errors)")
        for word in ["start", "update 1", "end", "50 devices", "per second", "right Live Activity"] {
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
