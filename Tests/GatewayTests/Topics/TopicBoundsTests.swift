import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import RedisClient
import Secrets
import Testing

@Suite("Bounds of topics", .serialized)
struct TopicBoundsTests {
    private func expect(
        _ answer: TestStage.Answer, _ status: Int, _ code: String, naming part: String = "",
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == status && answer.code == code, "\(answer.text)", sourceLocation: location)
        #expect(answer["error"]?.string?.contains(part) == true, "\(answer.text)", sourceLocation: location)
    }

    @Test("A tenant has so many lists of followers; one more is refused, and the quota is named")
    func mostLists() async throws {
        try await TestStage.run { stage in
            _ = try await stage.put("t", TestStage.topic("upcoming"))
            let names = (0..<10_000).flatMap { ["0", "other-\($0)"] }
            let key = "fanfare:{g:\(stage.tenant.tenantID)/topics}:names"
            _ = try await stage.redis(RedisCommand("ZADD", arguments: [key] + names))
            let headers = ["X-Api-Key": stage.tenant.apiKey, "Content-Type": "application/json"]
            for method in ["PUT", "POST"] {
                let refused = try await stage.send(
                    method, "/api/v1/topics/t/followers", #"{"insider_ids":["a"]}"#, headers: headers)
                #expect(refused.status == 403 && refused.code == "QUOTA_EXCEEDED", "\(refused.text)")
                #expect(refused["quota"]?.string == "topic_lists")
            }
        }
    }

    @Test("Limits, cursors, states and names of topics that are out of bounds are refused")
    func queries() async throws {
        try await TestStage.run { stage in
            _ = try await stage.put("t", TestStage.topic("upcoming"))
            for query in ["limit=0", "limit=1001", "limit=x", "cursor=", "cursor=%20", "state=over"] {
                let name = String(query.split(separator: "=")[0])
                expect(try await stage.topics("GET", "?\(query)"), 400, "VALIDATION_FAILED", naming: name)
                guard name != "state" else { continue }
                expect(try await stage.topics("GET", "/t/followers?\(query)"), 400, "VALIDATION_FAILED", naming: name)
            }
            expect(try await stage.topics("GET", "/t/followers?cursor=t"), 400, "VALIDATION_FAILED", naming: "cursor")
            for name in ["a%20b", "%C5%BC", String(repeating: "n", count: 129)] {
                for method in ["GET", "DELETE"] {
                    expect(try await stage.topics(method, "/\(name)"), 400, "VALIDATION_FAILED", naming: "name")
                }
                expect(try await stage.topics("GET", "/\(name)/followers"), 400, "VALIDATION_FAILED", naming: "name")
                expect(try await stage.follow(0, name), 400, "VALIDATION_FAILED", naming: "name")
                expect(try await stage.follow(0, name, false), 400, "VALIDATION_FAILED", naming: "name")
            }
            let longest = String(repeating: "n", count: 128)
            #expect(try await stage.put(longest, TestStage.topic("upcoming")).status == 200)
            #expect(try await stage.follow(0, longest).status == 200)
        }
    }

    @Test("A list of followers that is broken changes nothing, in each of the ways to change it")
    func lists() async throws {
        try await TestStage.run(configure: { $0.api.maximumBodyBytes = 10_000 }) { stage in
            _ = try await stage.put("t", TestStage.topic("upcoming"))
            _ = try await stage.topics("PUT", "/t/followers", "a\nb\n", type: "text/csv")
            for method in ["PUT", "POST", "DELETE"] {
                func send(_ body: String, _ type: String) async throws -> TestStage.Answer {
                    try await stage.topics(method, "/t/followers", body, type: type)
                }
                expect(try await send("a\nc\n\"d\"e\n", "text/csv"), 400, "VALIDATION_FAILED", naming: "line 3")
                expect(try await send("\"a\"\n{\"x\":1}\n", "application/x-ndjson"), 400, "VALIDATION_FAILED")
                let empty = #"{"insider_ids":["a",""]}"#
                expect(try await send(empty, "application/json"), 400, "VALIDATION_FAILED", naming: "insider_ids[1]")
                expect(try await send("{", "application/json"), 400, "BAD_REQUEST")
                expect(try await send("a\n", "text/plain"), 400, "REQUEST_INVALID")
                expect(try await send("", "text/csv"), 400, "REQUEST_INVALID")
                expect(try await send("email;name\nx;y\n", "text/csv"), 400, "VALIDATION_FAILED", naming: "line 1")
                expect(try await send("insider_id;name\n", "text/csv"), 400, "VALIDATION_FAILED", naming: "line 2")
                let long = #"{"insider_ids":["\#(String(repeating: "x", count: 10_000))"]}"#
                expect(try await send(long, "application/json"), 413, "REQUEST_TOO_LARGE")
                #expect(try await stage.topics("GET", "/t")["followers", "customer"]?.int64 == 2, "\(method)")
            }
        }
    }

    @Test("What a device says of a topic is checked, and signed where the tenant says so")
    func devices() async throws {
        try await TestStage.run(signatures: .any) { stage in
            _ = try await stage.put("t", TestStage.topic("upcoming"))
            let key = TestStage.key(0)
            let body = #"{\#(key.fields)}"#
            let path = "topics?insider_id=\(key.insiderID)&udid=\(key.udid)"
            let signature = Digest.hmacSHA256(
                key: Array(stage.identitySecret.utf8), Array(key.insiderID.utf8))
            let signed = ["X-Identity-Signature": TestStage.hex(signature)]
            for method in ["PUT", "DELETE"] {
                expect(try await stage.report(method, "topics/t/follow", body), 401, "UNAUTHORIZED")
                #expect(try await stage.report(method, "topics/t/follow", body, headers: signed).status == 200)
                expect(try await stage.report(method, "topics/none/follow", body, headers: signed), 404, "NOT_FOUND")
                for (wrong, name) in [(#"{"udid":"u"}"#, "insider_id"), (#"{"insider_id":"a"}"#, "udid")] {
                    let answer = try await stage.report(method, "topics/t/follow", wrong, headers: signed)
                    expect(answer, 400, "VALIDATION_FAILED", naming: name)
                }
            }
            func ask(_ path: String, _ headers: [String: String]) async throws -> TestStage.Answer {
                let own = headers.merging(["X-Sdk-Key": stage.tenant.sdkKey]) { $1 }
                return try await stage.send("GET", "/api/v1/sdk/\(path)", nil, headers: own)
            }
            expect(try await ask(path, [:]), 401, "UNAUTHORIZED")
            #expect(try await ask(path, signed)["topics"]?.elementCount == 0)
            for (wrong, name) in [("topics?udid=u", "insider_id"), ("topics?insider_id=a", "udid")] {
                expect(try await ask(wrong, signed), 400, "VALIDATION_FAILED", naming: name)
            }
        }
    }

    @Test("A user's own word stands above the customer's list, both ways")
    func words() async throws {
        try await TestStage.run { stage in
            _ = try await stage.put("t", TestStage.topic("upcoming"))
            let ids = (0..<4).map { TestStage.key($0).insiderID }
            /// Returns the followers with their sources, read page by page.
            func followers() async throws -> [String: String] {
                var found: [String: String] = [:]
                var query = "?limit=1"
                while true {
                    let page = try await stage.topics("GET", "/t/followers\(query)")
                    for follower in try #require(page["followers"]).elements {
                        let id = try #require(try follower.member("insider_id")?.string)
                        #expect(found[id] == nil, "\(id) is listed twice")
                        found[id] = try follower.member("source")?.string
                    }
                    guard let cursor = page["cursor"]?.string else { return found }
                    query = "?limit=1&cursor=\(cursor)"
                }
            }
            try await stage.changeFollowers("PUT", [0, 1])
            _ = try await stage.follow(1, "t")
            _ = try await stage.follow(2, "t")
            _ = try await stage.follow(0, "t", false)
            #expect(try await followers() == [ids[1]: "app", ids[2]: "app"])
            // Changes of the list do not undo the user's own choice.
            try await stage.changeFollowers("DELETE", [1])
            try await stage.changeFollowers("POST", [0, 3])
            #expect(try await followers() == [ids[1]: "app", ids[2]: "app", ids[3]: "customer"])
            let shown = try await stage.topics("GET", "/t")
            #expect(shown["followers", "app"]?.int64 == 2 && shown["followers", "unfollowed"]?.int64 == 1)
            #expect(shown["followers", "customer"]?.int64 == 2)
        }
    }

    @Test("A topic of the same name is another tenant's own, with followers of its own")
    func tenants() async throws {
        try await TestStage.run { stage in
            let other = try await stage.store.tenants.createTenant(name: "other", tier: .growth)
            let key = ["X-Api-Key": other.apiKey, "Content-Type": "application/json"]
            _ = try await stage.put("t", TestStage.topic("upcoming", more: #","sequence":9"#))
            _ = try await stage.topics("PUT", "/t/followers", #"{"insider_ids":["a"]}"#)
            _ = try await stage.follow(0, "t")
            for method in ["GET", "DELETE"] {
                expect(try await stage.send(method, "/api/v1/topics/t", nil, headers: key), 404, "NOT_FOUND")
            }
            // The older sequence number and the other type are accepted, because it is another topic.
            let mine = TestStage.topic("upcoming", 1, more: #","sequence":1"#).replacing(TestStage.type, with: "Other")
            #expect(try await stage.send("PUT", "/api/v1/topics/t", mine, headers: key).status == 200)
            let shown = try await stage.send("GET", "/api/v1/topics/t", nil, headers: key)
            #expect(shown["followers", "app"]?.int64 == 0 && shown["followers", "customer"]?.int64 == 0)
            #expect(try await stage.send("DELETE", "/api/v1/topics/t", nil, headers: key).status == 200)
            let kept = try await stage.topics("GET", "/t")
            #expect(kept["sequence"]?.int64 == 9 && kept["followers", "app"]?.int64 == 1)
            #expect(kept["followers", "customer"]?.int64 == 1)
        }
    }
}
