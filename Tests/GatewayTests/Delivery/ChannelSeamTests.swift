import Delivery
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import Reactor
import Testing
import TimeCore

/// A provider learns from the intent that its devices follow a channel. Pool, broadcasts, store and API need no code
/// for it.
@Suite("A channel of a second provider", .serialized)
struct ChannelSeamTests {
    private static let channel = "toy-box=="
    private static let (count, toys) = (20, 8)

    /// Runs with a started activity. The first phones belong to the toy provider and follow its channel.
    private func run(
        gateways: Int = 1, _ body: (TestStage, _ activity: String, [ToyProvider]) async throws -> Void
    ) async throws {
        try await TestStage.runWithToys(
            gateways: gateways, devices: Self.count, isToys: { $0 < Self.toys }, token: { [UInt8($0), 1] }
        ) { stage, providers in
            let id = try await stage.register(Self.count)
            var draft = TestStage.startDraft()
            draft.channels[.apnsSandbox] = Self.channel
            let activity = try #require(UniqueID(id))
            let record = try #require(try await stage.store.activities.activity(activity))
            _ = try #require(try? await stage.store.broadcasts.begin(draft, for: record).get())
            let started = try await stage.ended(draft.id)
            #expect(started["accepted"]?.int64 == Int64(Self.count), "\(started.text)")
            try await stage.syncAll(Self.toys..<Self.count, id)
            try await body(stage, id, providers)
        }
    }

    private func deliveries(_ toys: [ToyProvider], _ event: PushEvent) -> [ToyProvider.Delivery] {
        toys.flatMap { $0.ledger.withLock { $0 } }.filter { $0.event == event }
    }

    private static func published(_ event: PushEvent, _ title: String) -> ToyProvider.Delivery {
        ToyProvider.Delivery(
            event: event, token: Array(channel.utf8), title: title, channel: channel, isAccepted: true)
    }

    @Test("An update or end of the segment is one push to the channel, beside those to the others; a start is not")
    func published() async throws {
        try await run { stage, id, toys in
            let starts = deliveries(toys, .start)
            #expect(starts.filter(\.isAccepted).count == Self.toys && starts.allSatisfy { $0.channel == nil })
            for (command, event) in [("update", PushEvent.update), ("end", .end)] {
                let answer = try await stage.call(command, TestStage.body(id))
                #expect(answer.status == 200 && answer.accepted == Self.count - Self.toys + 1, "\(answer.text)")
                #expect(deliveries(toys, event) == [Self.published(event, "Kick-off")])
            }
            #expect(stage.pushes(.update).count == Self.count - Self.toys)
            #expect(stage.pushes(.end).count == Self.count - Self.toys)
        }
    }

    @Test("While the channel's provider is ill the others are updated; then it gets the newest update, once")
    func illness() async throws {
        try await run { stage, id, toys in
            let toy = try #require(toys.first)
            toy.fallIll()
            var broadcasts: [UniqueID] = []
            for number in 1...3 {
                let content = #"{"title":"\#(number)","message":"m","content_state":{}}"#
                broadcasts.append(try await stage.begin("update", TestStage.body(id, content: content)))
                try await stage.eventually("update \(number) does not come to the others") {
                    stage.pushes(.update).count == number * (Self.count - Self.toys)
                }
            }
            #expect(deliveries(toys, .update).isEmpty)
            toy.recover()
            for broadcast in broadcasts {
                let ended = try await stage.ended(broadcast)
                let isNewest = broadcast == broadcasts.last
                #expect(ended["accepted"]?.int64 == Int64(Self.count - Self.toys + (isNewest ? 1 : 0)), "\(ended.text)")
            }
            #expect(deliveries(toys, .update) == [Self.published(.update, "3")])
        }
    }

    @Test("A gateway that stops leaves the push to another, which makes it")
    func handOver() async throws {
        try await run(gateways: 2) { stage, id, toys in
            for toy in toys { toy.fallIll() }
            let broadcast = try await stage.begin("update", TestStage.body(id))
            try await stage.eventually("the others are not updated") {
                stage.pushes(.update).count == Self.count - Self.toys
            }
            await stage.gateways[0].stop()
            for toy in toys { toy.recover() }
            let ended = try await stage.ended(broadcast, gateway: 1)
            #expect(ended["accepted"]?.int64 == Int64(Self.count - Self.toys + 1), "\(ended.text)")
            #expect(deliveries(toys, .update) == [Self.published(.update, "Kick-off")])
        }
    }
}
