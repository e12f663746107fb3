import Foundation
import NIOCore
import Testing

@testable import GatewayAPI

@Suite("Memory of bodies", .serialized)
struct BodyMemoryTests {
    private static let most = 2 << 20

    private func resource(_ capacity: Int = 4 << 20, quantum: Int = most) -> SharedResource {
        SharedResource("body_bytes", capacity: capacity, quantum: quantum)
    }

    private func memory(
        _ resource: SharedResource, announced: Int? = nil, most: Int = BodyMemoryTests.most
    ) -> BodyMemory {
        BodyMemory(announced: announced, most: most, share: Share(of: resource, for: .customer("a")))
    }

    @Test(
        "What is taken is what has come, however it was cut, and its share is as large",
        arguments: [0, 1, 16_384, 16_385, 65_536, 300_001, most])
    func content(_ length: Int) {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        for announced in [length, nil] {
            for cut in [997, 16_384, 70_000] {
                let resource = resource()
                let body = memory(resource, announced: announced)
                var rest = ByteBuffer(bytes: bytes)
                while rest.readableBytes > cut, let piece = rest.readSlice(length: cut) {
                    #expect(body.append(piece))
                    let used = resource.usage.used
                    let isShort = announced ?? Self.most <= BodyMemory.short
                    #expect(isShort ? used == announced : (0..<BodyMemory.step).contains(used - body.count))
                }
                #expect(body.append(rest))
                #expect(body.take() == bytes)
                #expect(body.take().isEmpty)
            }
        }
    }

    @Test("What is refused a share is not added, and what had come before stays")
    func refused() {
        let resource = resource(100_000, quantum: 1)
        let body = memory(resource)
        let piece = ByteBuffer(repeating: 7, count: 30_000)
        #expect(body.append(piece) && body.append(piece) && !body.append(piece))
        #expect(body.count == 60_000 && resource.usage.used == 65_536 && resource.usage.refusals == 1)
        #expect(body.take() == [UInt8](repeating: 7, count: 60_000))
    }

    @Test("What is announced takes no memory before it comes, and what has come goes back at once")
    func residence() throws {
        let resource = resource(1 << 30)
        let piece = ByteBuffer(repeating: 7, count: 1 << 20)
        let first = ByteBuffer(repeating: 7, count: 1)
        let before = try resident()
        var bodies = (0..<100).map { _ in memory(resource, announced: 100 << 20, most: 100 << 20) }
        for body in bodies { #expect(body.append(first)) }
        #expect(try resident() - before < 16 << 20, "of a hundred bodies a byte each has come")
        #expect(resource.usage.used == 100 * BodyMemory.step)
        for body in bodies { #expect(body.append(piece)) }
        #expect(try resident() - before > 100 << 20)
        #expect(resource.usage.used <= 100 * (1 << 20 + BodyMemory.step))
        bodies = []
        #expect(try resident() - before < 16 << 20)
        #expect(resource.usage.used == 0)
    }

    /// This process's resident memory, in bytes.
    private func resident() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[1]
        return (Int(pages) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
