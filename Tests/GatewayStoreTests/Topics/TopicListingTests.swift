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
            // As if a million had followed, which is three levels of wishes.
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
            // One part, two and 256.
            #expect(pages == 9)
        }
    }
}
