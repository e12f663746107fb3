import Delivery
import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Channels in the store")
struct StoredChannelsTests {
    private static let activity = UniqueID.random()

    private func run(_ body: (StoredChannels, StoreStage) async throws -> Void) async throws {
        try await StoreStage.run { stage in
            let channels = StoredChannels(stage.store, bundleIdentifier: "com.example", environment: .production)
            try await body(channels, stage)
        }
    }

    private func fill(_ channels: StoredChannels, _ names: String...) async throws {
        for name in names {
            #expect(try await channels.put(name, of: UniqueID.random(), for: nil) == name)
        }
    }

    private func take(_ channels: StoredChannels, _ activity: UniqueID, keeps: Bool = true) async throws -> String? {
        try await channels.take(for: activity, environment: .production, storesNewest: keeps)
    }

    @Test("An activity is given the oldest of the pool, the same again, and another one for another environment")
    func taking() async throws {
        try await run { channels, stage in
            try await fill(channels, "a")
            stage.advance(.seconds(1))
            try await fill(channels, "b")
            #expect(try await channels.counts().pool == 2)
            let (one, two) = (UniqueID.random(), UniqueID.random())
            #expect(try await take(channels, one) == "a")
            #expect(try await take(channels, one) == "a")
            // Channels of the pool keep messages.
            #expect(try await take(channels, two, keeps: false) == nil)
            #expect(try await channels.take(for: one, environment: .sandbox, storesNewest: true) == "b")
            #expect(try await take(channels, two) == nil)
            let counts = try await channels.counts()
            #expect(counts.pool == 0 && counts.used == 2 && counts.doomed == 0)
            let other = StoredChannels(stage.store, bundleIdentifier: "com.example", environment: .sandbox)
            #expect(try await other.counts() == ChannelCounts())
        }
    }

    @Test("One that is made for an activity is its own; when two are made one counts, and the other goes to the pool")
    func racing() async throws {
        try await run { channels, _ in
            let who = (id: Self.activity, environment: Device.Environment.production, storesNewest: true)
            #expect(try await channels.put("a", of: UniqueID.random(), for: who) == "a")
            #expect(try await channels.put("b", of: UniqueID.random(), for: who) == "a")
            #expect(try await channels.put("a", of: UniqueID.random(), for: who) == "a", "again")
            var counts = try await channels.counts()
            #expect(counts.used == 1 && counts.pool == 1 && counts.doomed == 0)
            // A spare channel that keeps no messages is not pooled but due for deletion.
            let forgetful = (id: Self.activity, environment: Device.Environment.production, storesNewest: false)
            #expect(try await channels.put("c", of: UniqueID.random(), for: forgetful) == "c")
            #expect(try await channels.put("d", of: UniqueID.random(), for: forgetful) == "c")
            counts = try await channels.counts()
            #expect(counts.used == 2 && counts.pool == 1 && counts.doomed == 1)
            #expect(try await channels.due(limit: 9) == ["d"])
            // A channel that was taken from the pool is not pooled again.
            #expect(try await take(channels, UniqueID.random()) == "b")
            #expect(try await channels.put("b", of: UniqueID.random(), for: nil) == "b")
            #expect(try await channels.counts().pool == 0)
        }
    }

    @Test("So many creations are under way at once; one that is not heard of for a minute is over, and counted as lost")
    func creations() async throws {
        try await run { channels, stage in
            var intents: [UniqueID] = []
            for _ in 0..<StoredChannels.creations {
                intents.append(.random())
                #expect(try await channels.beginCreation(intents[intents.count - 1]))
            }
            #expect(try await !channels.beginCreation(.random()))
            try await channels.cancelCreation(intents[0])
            _ = try await channels.put("a", of: intents[1], for: nil)
            #expect(try await channels.beginCreation(.random()))
            #expect(try await channels.beginCreation(.random()))
            #expect(try await !channels.beginCreation(.random()))
            stage.advance(.seconds(61))
            #expect(try await channels.beginCreation(.random()))
            #expect(try await channels.counts().lost == StoredChannels.creations)
        }
    }

    @Test("One is deleted in its time, unless its activity has taken it anew since; what is gone is forgotten")
    func dooming() async throws {
        try await run { channels, stage in
            try await fill(channels, "a")
            #expect(try await take(channels, Self.activity) == "a")
            let seen = try #require(try await channels.taken(from: "0", limit: 9).channels.first)
            #expect(seen.channel == "a" && seen.activity == Self.activity && seen.takenAt == stage.now)
            stage.advance(.seconds(1))
            _ = try await take(channels, Self.activity)
            #expect(try await !channels.doom(seen, at: stage.now))
            let again = try #require(try await channels.taken(from: "0", limit: 9).channels.first)
            #expect(try await channels.doom(again, at: stage.now + .seconds(10)))
            #expect(try await !channels.doom(again, at: stage.now))
            #expect(try await channels.due(limit: 9).isEmpty)
            #expect(try await take(channels, Self.activity) == nil, "it is its own no more")
            stage.advance(.seconds(10))
            #expect(try await channels.due(limit: 9) == ["a"])
            try await channels.postpone("a", to: stage.now + .seconds(5))
            #expect(try await channels.due(limit: 9).isEmpty)
            #expect(try await channels.known() == ["a": WallTime(milliseconds: 0)])
            try await channels.forget(["a", "x"])
            #expect(try await channels.known().isEmpty)
            // A forgotten channel is also removed from its activity.
            try await fill(channels, "b", "c")
            let b = try await take(channels, Self.activity)
            try await channels.forget([b ?? ""])
            #expect(try await take(channels, Self.activity) != b)
            #expect(try await channels.counts().used == 1)
        }
    }

    @Test("How activities stand that have channels is read from them")
    func takers() async throws {
        try await run { channels, stage in
            let ids = (0..<4).map { _ in UniqueID.random() }
            for (index, id) in ids.enumerated() {
                try await fill(channels, "c\(index)")
                #expect(try await take(channels, id) == "c\(index)")
            }
            let end = stage.now + .seconds(3)
            var named = Channels()
            named.set("c1", of: .apnsFollower, storesNewest: false)
            func put(_ id: UniqueID, _ state: Activity.State, _ fields: [String]) async throws {
                let command = RedisCommand(
                    "HSET", arguments: [Keys.activity(id), "state", String(state.rawValue)] + fields)
                #expect(try await stage.redis.call(command).get().int != nil)
            }
            try await put(ids[0], .started, [])
            try await put(ids[1], .started, ["channels", named.text])
            try await put(ids[2], .dead, ["ended_at", String(end.milliseconds), "channels", "3=c2"])
            let taken = try await channels.taken(from: "0", limit: 9)
            #expect(taken.next == "0")
            let sorted = taken.channels.sorted { $0.channel < $1.channel }
            #expect(
                try await channels.takers(of: sorted) == [
                    .alive(namesChannel: false), .alive(namesChannel: true), .ended(end, namesChannel: true), .gone,
                ])
        }
    }

    @Test("Who keeps the channels does so until the lease is given back or has run out")
    func lease() async throws {
        try await run { channels, _ in
            let (one, two) = (UniqueID.random(), UniqueID.random())
            #expect(try await channels.lease(one, for: .seconds(60)))
            #expect(try await !channels.lease(two, for: .seconds(60)))
            try await channels.returnLease(two)
            #expect(try await channels.lease(one, for: .seconds(60)))
            try await channels.returnLease(one)
            #expect(try await channels.lease(two, for: .milliseconds(1)))
            let end = MonotonicTime.now() + .seconds(30)
            while try await !channels.lease(one, for: .seconds(60)) {
                try #require(MonotonicTime.now() < end)
                await Task.yield()
            }
        }
    }

    @Test("Strangers are known since they were first seen, for as long as they are there")
    func strangers() async throws {
        try await run { channels, stage in
            try await channels.noteListing(count: 5, strangers: ["a", "b"])
            stage.advance(.seconds(10))
            try await channels.noteListing(count: 6, strangers: ["b", "c"])
            let counts = try await channels.counts()
            #expect(counts.strangers == 2 && counts.listed == 6)
            #expect(try await channels.strangers(olderThan: .seconds(10), limit: 9) == ["b"])
            // A channel that turns out to be pooled is no stranger.
            _ = try await channels.put("b", of: .random(), for: nil)
            #expect(try await channels.strangers(olderThan: .zero, limit: 9) == ["c"])
            try await channels.noteListing(count: 0, strangers: [])
            #expect(try await channels.counts().strangers == 0)
        }
    }
}
