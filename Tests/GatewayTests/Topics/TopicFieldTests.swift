import GatewayStore
import LiveActivity
import MockAPNs
import Testing

@Suite("Fields of topics", .serialized)
struct TopicFieldTests {
    @Test("What the owner says of a topic is checked")
    func fields() async throws {
        try await TestStage.run { stage in
            let type = TestStage.type
            let state = #""content_state":{}"#
            let long = String(repeating: "x", count: 4100)
            let wrong: [(body: String, status: Int, code: String)] = [
                (#"{"state":"live"}"#, 400, "ACTIVITY_TYPE_REQUIRED"),
                (#"{"activity_type":"\#(type)"}"#, 400, "VALIDATION_FAILED"),
                (#"{"activity_type":"\#(type)","state":"paused"}"#, 400, "VALIDATION_FAILED"),
                (#"{"activity_type":"\#(type)","state":"live"}"#, 400, "CONTENT_REQUIRED"),
                (#"{"activity_type":"\#(type)","state":"live","content":{\#(state)}}"#, 400, "CONTENT_REQUIRED"),
                (
                    #"{"activity_type":"\#(type)","state":"live","content":{"title":"a",\#(state)}}"#, 400,
                    "CONTENT_REQUIRED"
                ),
                (TestStage.topic("live", more: #","sequence":-1"#), 400, "VALIDATION_FAILED"),
                (TestStage.topic("live", more: #","sequence":1.5"#), 400, "VALIDATION_FAILED"),
                (TestStage.topic("live", more: #","ends_at":"2020-01-01T00:00:00Z""#), 400, "ENDS_AT_IN_PAST"),
                (TestStage.topic("live", more: #","options":{"expiration":0}"#), 400, "VALIDATION_FAILED"),
                (TestStage.topic("live", more: #","options":{"channel":"required"}"#), 400, "VALIDATION_FAILED"),
                (
                    #"{"activity_type":"\#(type)","state":"upcoming","content":{"content_state":{"a":"\#(long)"}}}"#,
                    413,
                    "PAYLOAD_TOO_LARGE"
                ),
            ]
            for (body, status, code) in wrong {
                let answer = try await stage.put("t", body)
                #expect(answer.status == status && answer.code == code, "\(body): \(answer.text)")
            }
            #expect(try await stage.put("a%20b", TestStage.topic("live")).code == "VALIDATION_FAILED")
            #expect(try await stage.topics("GET", "/t").status == 404)
            #expect(try await stage.put("t", TestStage.topic("live")).status == 200)
            #expect(try await stage.put("t", TestStage.topic("upcoming")).code == "VALIDATION_FAILED")
            let other = TestStage.topic("live", 1).replacing(type, with: "Other")
            #expect(try await stage.put("t", other).code == "ACTIVITY_TYPE_MISMATCH")
        }
    }

    @Test("What is not there is said so")
    func missing() async throws {
        try await TestStage.run { stage in
            let follow = try await stage.follow(0, "none")
            #expect(follow.status == 404)
            for method in ["GET", "DELETE"] { #expect(try await stage.topics(method, "/none").status == 404) }
            for method in ["PUT", "POST", "DELETE"] {
                #expect(try await stage.topics(method, "/none/followers", #"{"insider_ids":["a"]}"#).status == 404)
            }
            #expect(try await stage.topics("GET", "/none/followers").status == 404)
        }
    }

    private func names(_ page: TestStage.Answer) -> [String]? {
        page["topics"]?.elements.compactMap { (try? $0.member("topic"))?.flatMap { $0.string } }
    }

    @Test("Topics are listed by name, page after page, and deleted with their followers")
    func listing() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            for name in ["b", "a", "c:1"] { _ = try await stage.put(name, TestStage.topic("upcoming")) }
            let page = try await stage.topics("GET", "?limit=2")
            #expect(names(page) == ["a", "b"])
            let next = try #require(page["cursor"]?.string)
            let rest = try await stage.topics("GET", "?limit=2&cursor=\(next)")
            #expect(names(rest) == ["c:1"])
            #expect(rest["cursor"] == nil)
            #expect(try await stage.topics("GET", "?state=live")["topics"]?.elementCount == 0)
            let times = try await stage.topics("GET", "/a")
            #expect(
                times["created_at"]?.string != nil && times["changed_at"]?.string != nil && times["live_since"] == nil)

            _ = try await stage.follow(0, "c:1")
            _ = try await stage.put("c:1", TestStage.topic("live", 1))
            let id = try await stage.activity(of: "c:1")
            try await stage.eventually { stage.starts(0..<1) == [1] }
            _ = try await stage.sync(0, id)
            #expect(try await stage.topics("GET", "/c:1")["live_since"]?.string != nil)
            #expect(try await stage.topics("DELETE", "/c:1").status == 200)
            try await stage.eventually { stage.pushes(.end).count == 1 }
            #expect(try await stage.topics("GET", "/c:1").status == 404)
            // A new topic of the same name has no followers.
            _ = try await stage.put("c:1", TestStage.topic("upcoming"))
            #expect(try await stage.topics("GET", "/c:1")["followers", "app"]?.int64 == 0)
        }
    }

    @Test("A bell is told what its user follows, and what of it is on the device")
    func bell() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            for name in ["a", "b", "c"] { _ = try await stage.put(name, TestStage.topic("upcoming")) }
            _ = try await stage.follow(0, "a")
            _ = try await stage.follow(0, "b")
            _ = try await stage.put("a", TestStage.topic("live", 1))
            let id = try await stage.activity(of: "a")
            try await stage.eventually { stage.starts(0..<1) == [1] }
            _ = try await stage.sync(0, id)
            let key = TestStage.key(0)
            let path = "/api/v1/sdk/topics?insider_id=\(key.insiderID)&udid=\(key.udid)"
            let answer = try await stage.send("GET", path, nil, headers: ["X-Sdk-Key": stage.tenant.sdkKey])
            let told = answer["topics"]?.elements.map { topic in
                ["topic", "state", "device_state"].map { (try? topic.member($0))?.flatMap { $0.string } ?? "-" }
            }
            #expect(told == [["a", "live", "active"], ["b", "upcoming", "-"]], "\(answer.text)")
            let nobody = try await stage.send(
                "GET", "/api/v1/sdk/topics", nil, headers: ["X-Sdk-Key": stage.tenant.sdkKey])
            #expect(nobody.status == 400)
        }
    }
}
