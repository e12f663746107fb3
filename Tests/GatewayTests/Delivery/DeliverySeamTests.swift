import BroadcastCore
import Broadcasts
import Delivery
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import Reactor
import Testing
import TimeCore

/// A second provider needs only this folder and an option. Pool, broadcasts, store and API do not know it.
@Suite("A second provider beside APNs", .serialized)
struct DeliverySeamTests {
    private static let count = 60

    /// True for every third device, which belongs to the toy provider.
    private static func isToys(_ number: Int) -> Bool { number % 3 == 0 }

    /// Runs with one gateway, whose sandbox devices belong to a toy provider.
    private func run(_ body: (TestStage, ToyProvider) async throws -> Void) async throws {
        try await run(gateways: 1) { try await body($0, try #require($1.first)) }
    }

    /// Runs with several gateways, each with its own toy provider.
    private func run(
        gateways: Int, configure: (inout GatewayOptions) -> Void = { _ in },
        _ body: (TestStage, [ToyProvider]) async throws -> Void
    ) async throws {
        try await TestStage.runWithToys(
            gateways: gateways, devices: Self.count, isToys: Self.isToys, token: Self.token, configure: configure, body)
    }

    /// Returns a token whose last byte identifies the device.
    private static func token(_ number: Int) -> [UInt8] { [UInt8](repeating: 9, count: 31) + [UInt8(number)] }

    private func tokens(_ stage: TestStage, _ event: MockPushEvent) -> [String] {
        stage.pushes(event).map(\.token).sorted()
    }

    @Test("Both get what is theirs, in their own form, and every count is exact")
    func bothExact() async throws {
        try await run { stage, toy in
            let id = try await stage.register(Self.count)
            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.accepted == Self.count - 1, "\(start.text)")
            #expect(start.failed(ToyProvider.unknownAddress) == 1)
            let others = (0..<Self.count).filter { !Self.isToys($0) }
            #expect(tokens(stage, .start) == others.map { TestStage.hex(Self.token($0)) }.sorted())
            let delivered = toy.ledger.withLock { $0 }
            let accepted = delivered.filter(\.isAccepted).compactMap(\.token.last).sorted()
            #expect(accepted == (0..<Self.count).filter { Self.isToys($0) && $0 != 9 }.map { UInt8($0) })
            #expect(delivered.allSatisfy { $0.event == .start && $0.title == "Kick-off" })
            // The toy provider deferred one push and accepted it later.
            #expect(delivered.count == Self.count / 3 + 1)
        }
    }

    @Test("An address that it calls dead is dropped, unless it was reported after the push had left")
    func deadAddress() async throws {
        for sentAgo in [nil, TimeInterval.seconds(3600)] {
            try await run { stage, toy in
                toy.sentAgo = sentAgo
                let first = try await stage.call("start", TestStage.body(try await stage.register(Self.count)))
                #expect(first.failed(ToyProvider.unknownAddress) == 1, "\(first.text)")
                let second = try await stage.call("start", TestStage.body(try await stage.register(Self.count)))
                #expect(second.failed(ToyProvider.unknownAddress) == (sentAgo == nil ? 0 : 1), "\(second.text)")
            }
        }
    }

    @Test("Content that one of the two cannot carry is refused")
    func contentLimit() async throws {
        try await run { stage, toy in
            let id = try await stage.register(Self.count)
            let long = #"{"title":"a","message":"b","content_state":{"x":"\#(String(repeating: "y", count: 1000))"}}"#
            let refused = try await stage.call("start", TestStage.body(id, content: long))
            #expect(refused.status == 413 && refused.code == "PAYLOAD_TOO_LARGE")
            #expect(refused.text.contains("the provider accepts 1000"), "\(refused.text)")
            #expect(toy.ledger.withLock { $0 }.isEmpty && stage.mock.counts().pushes == 0)
        }
    }

    @Test("While one is ill the other's half goes out, and then its own")
    func illness() async throws {
        try await run { stage, toy in
            let id = try await stage.register(Self.count)
            toy.fallIll()
            let broadcast = try await stage.begin("start", TestStage.body(id))
            try await stage.eventually("APNs's half does not go out") {
                stage.pushes(.start).count == Self.count - Self.count / 3
            }
            try await stage.eventually("it is not paused") {
                try await stage.read("/api/v1/live-activity/broadcasts/\(broadcast)")["state"]?.string == "paused"
            }
            #expect(toy.ledger.withLock { $0 }.isEmpty)
            toy.recover()
            let ended = try await stage.ended(broadcast)
            #expect(ended["accepted"]?.int64 == Int64(Self.count - 1), "\(ended.text)")
        }
    }

    @Test("While one is ill its jobs keep no place from the other's, however many there are")
    func places() async throws {
        try await run(gateways: 1, configure: { $0.jobs.limits.perLane = [2, 1, 1] }) { stage, toys in
            let toy = try #require(toys.first)
            var ids: [String] = []
            for _ in 0..<6 { ids.append(try await stage.register(Self.count)) }
            toy.fallIll()
            var broadcasts: [UniqueID] = []
            for (number, id) in ids.enumerated() {
                broadcasts.append(try await stage.begin("start", TestStage.body(id)))
                try await stage.eventually("APNs's half of start \(number) does not go out") {
                    stage.pushes(.start).count == (number + 1) * (Self.count - Self.count / 3)
                }
            }
            #expect(toy.ledger.withLock { $0 }.isEmpty)
            toy.recover()
            for broadcast in broadcasts {
                let ended = try await stage.ended(broadcast)
                #expect(ended["state"]?.string == "done", "\(ended.text)")
            }
            let accepted = toy.ledger.withLock { $0 }.filter(\.isAccepted)
            #expect(accepted.count == ids.count * (Self.count / 3 - 1))
        }
    }

    @Test("A gateway that stops leaves its part of either to another, and nobody is sent anything twice")
    func handOver() async throws {
        try await run(gateways: 2) { stage, toys in
            #expect(toys.count == 2)
            let id = try await stage.register(Self.count)
            for toy in toys { toy.fallIll() }
            let broadcast = try await stage.begin("start", TestStage.body(id))
            try await stage.eventually("APNs's half does not go out") {
                stage.pushes(.start).count == Self.count - Self.count / 3
            }
            await stage.gateways[0].stop()
            for toy in toys { toy.recover() }
            let ended = try await stage.ended(broadcast, gateway: 1)
            #expect(ended["accepted"]?.int64 == Int64(Self.count - 1), "\(ended.text)")
            let accepted = toys.flatMap { $0.ledger.withLock { $0 } }.filter(\.isAccepted).compactMap(\.token.last)
            #expect(accepted.sorted() == (0..<Self.count).filter { Self.isToys($0) && $0 != 9 }.map { UInt8($0) })
            #expect(stage.pushes(.start).count == Self.count - Self.count / 3)
        }
    }
}
