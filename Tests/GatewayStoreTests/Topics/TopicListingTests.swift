import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("What listings of topics and of their followers read")
struct TopicListingTests {
    @Test(
        "Followers of a topic that all have left are looked for some way at a time, and a topic is listed without content"
    )
    func bounded() async throws {
        try await StoreStage.run { stage in
            let id = TopicID(tenantID: stage.tenant, name: "derby")
            var write = TopicWrite(type: StoreStage.type, state: .live, digest: [1])
            write.start = .update(content: Content(), options: PresentationOptions())
            #expect(try await stage.store.topics.put(write, to: id) == .changed(version: 1))
            let listed = try await stage.store.topics.topics(
                tenantID: stage.tenant, state: .live, limit: 10, after: nil)
            #expect(listed.topics.map(\.id.name) == ["derby"] && listed.topics.first?.start == nil)
            #expect(listed.topics.first?.liveSince != nil && listed.topics.first?.type == StoreStage.type)
            // Three levels of wishes, as a million followers have.
            _ = try await stage.store.value(RedisCommand("HSET", Keys.topic(id), "levels", "2"))
            let topic = try #require(try await stage.store.topics.topic(id))
            #expect(topic.start != nil)
            var cursor: String?
            var pages = 0
            repeat {
                let page = try await stage.store.followers.followers(of: topic, limit: 10, after: cursor)
                #expect(page.followers.isEmpty)
                (cursor, pages) = (page.next, pages + 1)
            } while cursor != nil && pages < 20
            // The levels have 1, 2 and 256 parts, and a page reads 32.
            #expect(pages == 9)
        }
    }

    @Test("What a user follows of many topics: by a wish, or on a list and not against a wish")
    func ofUser() async throws {
        try await StoreStage.run { stage in
            let (store, tenant, user) = (stage.store, stage.tenant, StoreStage.key(0))
            let ids = (0..<250).map { TopicID(tenantID: tenant, name: "topic-\($0)") }
            let owner = StoredTopics.listOwner(tenant)
            for (number, id) in ids.enumerated() {
                _ = try await store.topics.put(
                    TopicWrite(type: StoreStage.type, state: .upcoming, digest: [1]), to: id)
                // In turn: listed; listed and unwanted; wanted; neither; and another user is listed.
                if number % 5 < 2 || number % 5 == 4 {
                    var run = InsiderIDRun()
                    run.append((number % 5 == 4 ? "another" : user.insiderID).utf8)
                    var upload = SegmentUpload()
                    _ = try await store.segments.take(run, into: &upload)
                    _ = try await store.segments.replaceSegment(id.name, tenantID: owner, with: upload)
                }
                if number % 5 == 1 || number % 5 == 2 {
                    _ = try await store.followers.setWish(
                        number % 5 == 2, of: user.insiderID, id, reportedAt: stage.now)
                }
            }
            let waiting = Keys.waiting(tenant, user.insiderID)
            _ = try await stage.redis.value(RedisCommand("SADD", arguments: [waiting] + ids.map(\.name) + ["gone"]))
            let followed = try await store.followers.followed(user, tenantID: tenant)
            let expected = (0..<250).filter { [0, 2].contains($0 % 5) }.map { "topic-\($0)" }.sorted()
            #expect(followed.map(\.topic.id.name) == expected && followed.allSatisfy { $0.deviceState == nil })
            #expect(try await stage.redis.value(RedisCommand("SISMEMBER", waiting, "gone")).int == 0)
        }
    }
}
