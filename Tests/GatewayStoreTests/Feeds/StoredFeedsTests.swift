import FeedCore
import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Feeds in the store")
struct StoredFeedsTests {
    private let id = FeedID(tenantID: "t", url: "https://h/?a=secret")
    private let one = UniqueID.random()
    private let two = UniqueID.random()
    private let long = TimeInterval.seconds(60)

    private static func state(_ number: UInt8) -> FeedState {
        var state = FeedState()
        (state.tag, state.digest, state.topics, state.refused) = ("\"\(number)\"", [0, number, 255], 3, 1)
        (state.failures, state.failure) = (2, .tls)
        state.dueAt = WallTime(milliseconds: 1_700_000_000_123)
        (state.failingSince, state.succeededAt) = (WallTime(seconds: 5), WallTime(seconds: 6))
        return state
    }

    @Test("One gateway at a time has the lease, and all see how the feed is doing")
    func leases() async throws {
        try await StoreStage.run { stage in
            let feeds = stage.store.feeds
            let first = try await feeds.lease(id, holder: one, for: long)
            #expect(first.isOwn && first.record.state == FeedState())
            #expect(try await feeds.note(Self.state(1), after: first.record, of: id, holder: one))
            let other = try await feeds.lease(id, holder: two, for: long)
            #expect(!other.isOwn && other.record.state == Self.state(1))
            #expect(try await feeds.lease(id, holder: one, for: long).isOwn, "renewed")
            // Another one's lease is not given back.
            try await feeds.returnLease(id, holder: two)
            #expect(try await !feeds.lease(id, holder: two, for: long).isOwn)
            try await feeds.returnLease(id, holder: one)
            #expect(try await feeds.lease(id, holder: two, for: long).isOwn)
            let elsewhere = FeedID(tenantID: "u", url: "https://h/?a=secret")
            #expect(try await feeds.lease(elsewhere, holder: one, for: long).isOwn)
        }
    }

    @Test("What is left out of a state is left out of what is kept")
    func shorter() async throws {
        try await StoreStage.run { stage in
            let feeds = stage.store.feeds
            let first = try await feeds.lease(id, holder: one, for: long).record
            #expect(try await feeds.note(Self.state(1), after: first, of: id, holder: one))
            #expect(try await feeds.note(FeedState(), after: first, of: id, holder: one))
            #expect(try await feeds.lease(id, holder: one, for: long).record.state == FeedState())
        }
    }

    @Test("A lease that is not renewed runs out, and nothing of a feed is kept for ever")
    func runningOut() async throws {
        try await StoreStage.run { stage in
            let feeds = stage.store.feeds
            let record = try await feeds.lease(id, holder: one, for: .milliseconds(50)).record
            while try await !feeds.lease(id, holder: two, for: long).isOwn {}
            #expect(try await !feeds.note(Self.state(1), after: record, of: id, holder: one))
            #expect(try await feeds.note(Self.state(1), after: record, of: id, holder: two))
            for key in [Keys.feed(id), Keys.feedLease(id)] {
                let left = try #require(try await stage.redis.call(RedisCommand("PTTL", key)).get().int)
                #expect(left > 0, "\(key)")
            }
        }
    }

    @Test("Whoever writes down a poll behind its lease has the holder take the whole again, also when that is polling")
    func strays() async throws {
        try await StoreStage.run { stage in
            let feeds = stage.store.feeds
            let old = try await feeds.lease(id, holder: one, for: long).record
            try await feeds.returnLease(id, holder: one)
            let fresh = try await feeds.lease(id, holder: two, for: long).record
            #expect(try await feeds.note(Self.state(2), after: fresh, of: id, holder: two))
            #expect(try await feeds.lease(id, holder: two, for: long).record.state.tag != nil)
            #expect(try await !feeds.note(Self.state(1), after: old, of: id, holder: one))
            var expected = Self.state(2)
            (expected.tag, expected.digest) = (nil, nil)
            let disturbed = try await feeds.lease(id, holder: two, for: long).record
            #expect(disturbed.state == expected)
            // A poll that began before that says nothing of a tag.
            #expect(try await feeds.note(Self.state(2), after: fresh, of: id, holder: two))
            #expect(try await feeds.lease(id, holder: two, for: long).record.state == expected)
            // One that began behind it does.
            #expect(try await feeds.note(Self.state(2), after: disturbed, of: id, holder: two))
            #expect(try await feeds.lease(id, holder: two, for: long).record.state == Self.state(2))
        }
    }

    @Test("An id tells neither tenant nor URL, and is another one for each")
    func ids() {
        let ids = [("t", "u"), ("t", "v"), ("tu", ""), ("", "tu")].map { FeedID(tenantID: $0, url: $1).description }
        #expect(Set(ids).count == 4 && ids.allSatisfy { $0.utf8.count == 32 })
    }
}
