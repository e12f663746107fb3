import GatewayStore
import RedisClient
import Testing

@Suite("An activity with very many unfinished lists", .serialized)
struct CrowdedActivityTests {
    @Test("A target list gets 503 OVERLOADED with Retry-After; the whole segment and other activities do not")
    func crowded() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(2)
            try await stage.syncAll(0..<2, id)
            let open = (0..<BroadcastDraft.mostOpenLists).map { "\($0 + 1000)" }
            let fields = open.flatMap { [$0, "\(id)-\($0):update:slots"] }
            let key = try #require(try await stage.keys("*\(id)").first { $0.hasSuffix(":a:\(id)") }) + ":open"
            _ = try await stage.redis(RedisCommand("HSET", arguments: [key] + fields))
            let list = TestStage.body(id, more: #""target_devices":[\#(TestStage.targets([0]))]"#)
            let refused = try await stage.call("update", list)
            #expect(refused.status == 503 && refused.code == "OVERLOADED")
            #expect(refused.headers["retry-after"] != nil)
            _ = try await stage.redis(RedisCommand("HDEL", key, open[0]))
            #expect(try await stage.call("update", list).status == 200)
            _ = try await stage.redis(RedisCommand("HSET", key, open[0], fields[1]))
            #expect(try await stage.call("update", TestStage.body(id)).status == 200)
        }
    }
}
