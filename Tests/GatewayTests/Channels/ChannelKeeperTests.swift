import APNsCore
import GatewayStore
import LiveActivity
import MockAPNs
import MockKit
import Reactor
import Testing
import TimeCore

@testable import Gateway

@Suite("The keeper of channels", .serialized)
struct ChannelKeeperTests {
    private func take(_ keeper: ChannelKeeper, _ id: UniqueID = .random(), keeps: Bool = true) async -> String? {
        await keeper.channel(for: id, .production, storesNewest: keeps)
    }

    @Test(
        "The pool is filled by one gateway at a time; an activity takes from it, and one that finds none has its own made"
    )
    func pool() async throws {
        try await ChannelStage.run { stage in
            let keepers = [try stage.keeper(), try stage.keeper()]
            await keepers[0].round()
            await keepers[1].round()
            #expect(stage.channels.count == 2)
            #expect(keepers.map { $0.state.withLock { $0.counts.pool } } == [2, 2])
            let id = UniqueID.random()
            let first = await take(keepers[1], id)
            #expect(first != nil && stage.channels.contains(first ?? ""))
            #expect(await take(keepers[0], id) == first)
            #expect(await take(keepers[0]) != nil)
            #expect(stage.channels.count == 2)
            // Nothing is ready.
            #expect(await take(keepers[1]) != nil)
            #expect(stage.channels.count == 3)
            let forgetful = try #require(await take(keepers[0], keeps: false))
            #expect(stage.mock.channels()[forgetful]?.storesMessages == false)
            // The first keeps them until it stops.
            await keepers[1].round()
            #expect(stage.channels.count == 4)
            await keepers[0].stop()
            await keepers[1].round()
            #expect(stage.channels.count == 6)
            await keepers[1].stop()
        }
    }

    @Test("A channel is deleted after the grace of its activity's end, and after five minutes when it was never named")
    func deletion() async throws {
        try await ChannelStage.run { stage in
            let keeper = try stage.keeper { $0.pool = 0 }
            let (live, ended, refused) = (UniqueID.random(), UniqueID.random(), UniqueID.random())
            let used = try #require(await take(keeper, live))
            let old = try #require(await take(keeper, ended))
            let unnamed = try #require(await take(keeper, refused))
            try await stage.put(live, .started, channel: used)
            try await stage.put(ended, .dead, endedAt: stage.clock.now, channel: old)
            try await stage.put(refused, .registered, channel: nil)
            stage.clock.advance(seconds: 299)
            await keeper.round()
            #expect(stage.channels.count == 3)
            #expect(keeper.state.withLock { $0.counts.doomed } == 1)
            stage.clock.advance(seconds: 1)
            await keeper.round()
            #expect(stage.channels == [used, old].sorted())
            stage.clock.advance(seconds: 3299)
            await keeper.round()
            #expect(stage.channels.count == 2)
            stage.clock.advance(seconds: 1)
            await keeper.round()
            #expect(stage.channels == [used])
            let counts = keeper.state.withLock { $0.counts }
            #expect(counts.used == 1 && counts.doomed == 0 && counts.strangers == 0)
            #expect(unnamed != used)
            await keeper.stop()
        }
    }

    @Test("What Apple does not let go is tried again later; a busy Apple is left alone, and nothing is forgotten")
    func refusedDeletion() async throws {
        try await ChannelStage.run { stage in
            let keeper = try stage.keeper { $0.pool = 0 }
            let id = UniqueID.random()
            _ = try #require(await take(keeper, id))
            try await stage.put(id, .registered, channel: nil)
            stage.clock.advance(seconds: 300)
            stage.answer(.deleteChannel, 400, "BadChannelId")
            await keeper.round()
            stage.mock.setScript(MockScript())
            #expect(keeper.state.withLock { $0.counts.doomed } == 1)
            #expect(keeper.state.withLock { $0.upkeep.state } == .refused)
            #expect(stage.channels.count == 1)
            await keeper.stop()
            let other = try stage.keeper { $0.pool = 0 }
            await other.round()
            #expect(stage.channels.count == 1, "in an hour")
            stage.clock.advance(seconds: 3600)
            await other.round()
            #expect(stage.channels.isEmpty)
            await other.stop()
        }
    }

    @Test(
        "A limit, a capability that is missing and a refused key stop the making: one line in the log, and no channel",
        arguments: [
            (400, "CannotCreateChannelConfig", ChannelSupply.State.limitReached),
            (403, "FeatureNotEnabled", .featureOff), (403, "InvalidProviderToken", .credentialRefused),
        ])
    func refusals(status: Int, reason: String, state: ChannelSupply.State) async throws {
        try await ChannelStage.run { stage in
            stage.answer(.createChannel, status, reason)
            let keeper = try stage.keeper()
            #expect(await take(keeper) == nil)
            await keeper.round()
            #expect(await take(keeper) == nil)
            #expect(keeper.state.withLock { $0.creations.state } == state)
            #expect(keeper.state.withLock { $0.calls.filter { $0.key.request == "create" }.values.reduce(0, +) } == 1)
            let lines = try stage.log.read()
            #expect(lines.count == 1 && lines.first?.metadata["reason"] == reason, "\(lines)")
            // The creation is over, so others may go on.
            #expect(try await keeper.store.counts().lost == 0)
            await keeper.stop()
        }
    }

    @Test("When Apple calls the provider token expired it is looked after, and the call made once more")
    func expiredToken() async throws {
        try await ChannelStage.run { stage in
            stage.answer(.createChannel, 403, "ExpiredProviderToken", limit: 1)
            let keeper = try stage.keeper()
            #expect(await take(keeper) != nil || keeper.state.withLock { $0.creations.state } == .credentialRefused)
            #expect(stage.mock.channelEntries().count == 2)
            await keeper.stop()
        }
    }

    @Test(
        "A gateway that is lost between the making and the record leaves a stranger, which is counted and not touched")
    func strangers() async throws {
        try await ChannelStage.run { stage in
            let lost = try stage.keeper()
            // The steps of `make` up to the gateway's end.
            #expect(try await lost.store.beginCreation(.random()))
            guard case .created(let stray) = await lost.ask(.create(storesNewest: true)) else {
                Issue.record("no channel")
                return
            }
            await lost.stop()
            let keeper = try stage.keeper { $0.pool = 1 }
            await keeper.round()
            stage.clock.advance(seconds: 2 * 3600)
            await keeper.round()
            await keeper.round()
            #expect(stage.channels.count == 2 && stage.channels.contains(stray))
            let counts = keeper.state.withLock { $0.counts }
            #expect(counts.strangers == 1 && counts.pool == 1 && counts.listed == 2)
            await keeper.stop()
            // The unknown channel is deleted after an hour if no other system creates channels.
            let exclusive = try stage.keeper {
                $0.pool = 1
                $0.isExclusive = true
            }
            await exclusive.round()
            #expect(!stage.channels.contains(stray) && stage.channels.count == 1)
            #expect(exclusive.state.withLock { $0.counts.strangers } == 0)
            await exclusive.stop()
        }
    }

    @Test("A new stranger is left alone also where channels are exclusive")
    func newStranger() async throws {
        try await ChannelStage.run { stage in
            let keeper = try stage.keeper {
                $0.pool = 0
                $0.isExclusive = true
            }
            _ = await keeper.ask(.create(storesNewest: true))
            await keeper.round()
            stage.clock.advance(seconds: 3599)
            await keeper.round()
            #expect(stage.channels.count == 1)
            stage.clock.advance(seconds: 1)
            await keeper.round()
            #expect(stage.channels.isEmpty)
            await keeper.stop()
        }
    }

    @Test("What Apple does not have any more is forgotten, and the pool filled anew")
    func missing() async throws {
        try await ChannelStage.run { stage in
            let keeper = try stage.keeper()
            await keeper.round()
            let lost = try #require(stage.channels.first)
            stage.mock.removeChannel(lost)
            await keeper.round()
            #expect(stage.channels.count == 1, "the list may be older than the channel")
            stage.clock.advance(seconds: 120)
            for _ in 0..<2 { await keeper.round() }
            #expect(stage.channels.count == 2 && !stage.channels.contains(lost))
            #expect(Set(try await keeper.store.known().keys) == Set(stage.channels))
            await keeper.stop()
        }
    }

    @Test("A channel that Apple has deleted is removed from its activity, with a line in the log")
    func deletedChannel() async throws {
        try await ChannelStage.run { stage in
            let keeper = try stage.keeper { $0.pool = 0 }
            let (id, other) = (UniqueID.random(), UniqueID.random())
            let (lost, kept) = (try #require(await take(keeper, id)), try #require(await take(keeper, other)))
            try await stage.put(id, .started, channel: "\(lost),4=!other")
            try await stage.put(other, .started, channel: kept)
            stage.mock.removeChannel(lost)
            stage.clock.advance(seconds: 120)
            // A single list may be wrong.
            await keeper.round()
            #expect(try await stage.channels(of: id) == "3=\(lost),4=!other")
            await keeper.round()
            #expect(try await stage.channels(of: id) == "4=!other")
            #expect(try await stage.channels(of: other) == "3=\(kept)")
            #expect(try await keeper.store.counts().used == 1)
            let lines = try stage.log.read()
            #expect(lines.map(\.message) == ["broadcast channel deleted at Apple"])
            #expect(lines.first?.metadata["activity_id"] == "\(id)" && lines.first?.metadata["channel"] == lost)
            await keeper.stop()
        }
    }

    @Test("A start waits for a channel no longer than its patience; one that comes later is recorded all the same")
    func patience() async throws {
        try await ChannelStage.run { stage in
            var script = MockScript()
            script.rules = [
                .init(.init(event: .createChannel), .accept, latency: .fixed(.milliseconds(300)), limit: 1)
            ]
            stage.mock.setScript(script)
            let keeper = try stage.keeper()
            let source = AppChannels(threshold: 1, patience: .milliseconds(1), keepers: [.production: keeper])
            let id = UniqueID.random()
            #expect(await source.channel(for: id, environment: .production, storesNewest: true) == nil)
            #expect(await source.channel(for: id, environment: .sandbox, storesNewest: true) == nil)
            let end = MonotonicTime.now() + .seconds(30)
            while try await keeper.store.counts().used == 0 {
                try #require(MonotonicTime.now() < end)
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(await take(keeper, id) == stage.channels.first)
            await keeper.stop()
        }
    }
}
