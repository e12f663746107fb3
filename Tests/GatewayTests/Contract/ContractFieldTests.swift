import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import RedisClient
import Testing
import TimeCore

/// Fields and options of the customer's routes that no other suite holds; `Tests/Contract/customer.txt` has them all.
@Suite("Fields of the contract", .serialized)
struct ContractFieldTests {
    @Test("Options reach the push: headers, dates, score and sound")
    func options() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            let id = try await stage.register(1)
            let stale = WallTime.now().seconds + 600
            let start = """
                "options":{"priority":5,"expiration":\(stale + 1),"stale_date":\(stale),"relevance_score":1e2,"sound":"x.caf"}
                """
            #expect(try await stage.call("start", TestStage.body(id, more: start)).accepted == 1)
            let started = try #require(stage.pushes(.start).last)
            #expect(started.header("apns-priority") == "5")
            #expect(started.header("apns-expiration") == String(stale + 1))
            #expect(started.aps("stale-date")?.int64 == stale)
            #expect(started.aps("relevance-score").map { Array($0.slice) } == Array("1e2".utf8))
            #expect(try started.aps("alert")?.member("sound")?.string == "x.caf")

            #expect(try await stage.sync(0, id).status == 200)
            let end = #""options":{"dismissal_date":"2030-01-31T18:30:00Z","priority":5}"#
            #expect(try await stage.call("end", TestStage.body(id, more: end)).accepted == 1)
            let ended = try #require(stage.pushes(.end).last)
            #expect(ended.aps("dismissal-date")?.int64 == 1_896_114_600)
            #expect(ended.header("apns-priority") == "5")

            let second = try await stage.register(1)
            let wrong = [
                ("priority", "7"), ("priority", #""10""#), ("expiration", #""soon""#), ("expiration", "-1"),
                ("stale_date", "1.5"), ("dismissal_date", "[]"), ("relevance_score", #""1""#), ("sound", "1"),
                ("force", "1"),
            ]
            for (name, value) in wrong {
                let body = TestStage.body(second, more: #""options":{"\#(name)":\#(value)}"#)
                for endpoint in name == "force" ? ["end"] : ["start", "update", "end"] {
                    let answer = try await stage.call(endpoint, body)
                    #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(endpoint) \(name)")
                    #expect(answer["error"]?.string?.hasPrefix("options.\(name) must be") == true, "\(answer.text)")
                }
            }
        }
    }

    @Test("A start whose content is stale already is refused and takes no lock; an end is sent all the same")
    func staleStart() async throws {
        try await TestStage.run { (stage: TestStage) async throws in
            try await stage.addDevices(1)
            let id = try await stage.register(1)
            let now = WallTime.now().seconds
            func options(_ expiration: Int64) -> String { #""options":{"expiration":\#(expiration)}"# }
            let restart = #","devices":"unsent""#
            for (endpoint, more) in [("start", ""), ("restart", restart)] {
                let answer = try await stage.call(endpoint, TestStage.body(id, more: options(now - 1) + more))
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(answer.text)")
                #expect(answer["error"]?.string?.hasPrefix("options.expiration must be") == true, "\(answer.text)")
            }
            #expect(try await stage.call("start", TestStage.body(id, more: options(0))).accepted == 1)
            #expect(try await stage.sync(0, id).status == 200)
            #expect(try await stage.call("end", TestStage.body(id, more: options(now - 1))).accepted == 1)
        }
    }

    @Test("Priority and expiration have their defaults, by kind and alert")
    func defaults() async throws {
        try await TestStage.run { stage in
            let before = WallTime.now().seconds
            let id = try await stage.started(1)
            let after = WallTime.now().seconds
            let start = try #require(stage.pushes(.start).last)
            #expect(start.header("apns-priority") == "10")
            let expiration = try #require(start.header("apns-expiration").flatMap { Int64($0) })
            #expect((before + 600...after + 600).contains(expiration))
            #expect(try await stage.sync(0, id).status == 200)
            let activity = try #require(UniqueID(id))
            let endsAt = try #require(try await stage.store.activities.activity(activity)).activity.endsAt.seconds
            for (content, priority) in [
                (#"{"content_state":{}}"#, "5"), (#"{"title":"t","content_state":{}}"#, "10"),
                (#"{"message":"m","content_state":{}}"#, "10"),
            ] {
                #expect(try await stage.call("update", TestStage.body(id, content: content)).accepted == 1)
                let update = try #require(stage.pushes(.update).last)
                #expect(update.header("apns-priority") == priority, "\(content)")
                #expect(update.header("apns-expiration") == String(endsAt))
                #expect((update.aps("alert") == nil) == (priority == "5"))
            }
            #expect(try await stage.call("end", TestStage.body(id, content: nil)).accepted == 1)
            #expect(stage.pushes(.end).last?.header("apns-priority") == "10")
        }
    }

    @Test("From the thirtieth update of an hour on the reply warns")
    func updateBudget() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(1)
            #expect(try await stage.sync(0, id).status == 200)
            for number in 1...31 {
                let answer = try await stage.call("update", TestStage.body(id))
                #expect(answer.accepted == 1, "\(answer.text)")
                #expect(answer["updates_this_hour"]?.int64 == Int64(number))
                let warnings = answer["warnings"].map { String(decoding: $0.slice, as: UTF8.self) }
                #expect(warnings == (number < 30 ? nil : #"["UPDATE_BUDGET"]"#), "update \(number)")
            }
        }
    }

    @Test("Ids that cannot be ids are counted as unprocessed, and make the reply partial")
    func unprocessed() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(2)
            let long = String(repeating: "x", count: 251)
            func body(_ ids: String) -> String {
                #"{"activity_type":"T","insider_ids":[\#(ids)],"ends_at":"\#(TestStage.endsAt())"}"#
            }
            let answer = try await stage.call("register", body(#""user-0","","\#(long)","user-0""#))
            #expect(answer.status == 200)
            #expect(answer["unprocessed_insider_id_count"]?.int64 == 2)
            #expect(answer["registered_users"]?.int64 == 1 && answer["partial"]?.bool == true)
            let whole = try await stage.call("register", body(TestStage.list(0..<2)))
            #expect(whole["unprocessed_insider_id_count"]?.int64 == 0 && whole["partial"]?.bool == false)
        }
    }

    @Test("register, update and end take an Idempotency-Key as well")
    func idempotency() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            func twice(_ endpoint: String, _ body: String) async throws -> TestStage.Answer {
                let key = ["Idempotency-Key": "one"]
                let first = try await stage.call(endpoint, body, headers: key)
                let second = try await stage.call(endpoint, body, headers: key)
                #expect(first.status == 200 && second.status == 200, "\(endpoint): \(second.text)")
                #expect(first.bytes == second.bytes, "\(endpoint)")
                let other = try await stage.call(endpoint, body + " ", headers: key)
                #expect(other.status == 422 && other.code == "IDEMPOTENCY_KEY_REUSED", "\(endpoint)")
                return first
            }
            let body =
                #"{"activity_type":"\#(TestStage.type)","insider_ids":["user-0"],"ends_at":"\#(TestStage.endsAt())"}"#
            let registered = try await twice("register", body)
            let id = try #require(registered["activity_id"]?.string)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 1)
            #expect(try await stage.sync(0, id).status == 200)
            #expect(try await twice("update", TestStage.body(id)).accepted == 1)
            #expect(try await twice("end", TestStage.body(id)).accepted == 1)
            #expect(stage.mock.counts().pushes == 3)
            for key in ["", String(repeating: "k", count: 256), "a b"] {
                let answer = try await stage.call("update", TestStage.body(id), headers: ["Idempotency-Key": key])
                #expect(answer.status == 400 && answer.code == "VALIDATION_FAILED", "\(key)")
            }
        }
    }

    @Test("A refused request runs when it is repeated with its key and can run; then its answer is kept")
    func refusedAtFirst() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            let id = try await stage.register(1)
            let key = ["Idempotency-Key": "patient"]
            let update = TestStage.body(id)
            #expect(try await stage.call("update", update, headers: key).code == "NOT_STARTED")
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 1)
            #expect(try await stage.call("update", update, headers: key).code == "DEVICE_NOT_SYNCED")
            #expect(try await stage.sync(0, id).status == 200)
            let first = try await stage.call("update", update, headers: key)
            #expect(first.accepted == 1 && first.headers["idempotent-replayed"] == nil)
            let second = try await stage.call("update", update, headers: key)
            #expect(second.bytes == first.bytes && second.headers["idempotent-replayed"] == "true")
            let register =
                #"{"activity_type":"\#(TestStage.type)","insider_ids":["user-1"],"ends_at":"\#(TestStage.endsAt())"}"#
            #expect(try await stage.call("register", register, headers: key).code == "NO_ELIGIBLE_DEVICE")
            try await stage.addDevices(2)
            #expect(try await stage.call("register", register, headers: key).status == 200)
        }
    }

    @Test("A schedule, a webhook, its secret and its events are made once for an Idempotency-Key, and shown again")
    func repeatable() async throws {
        try await TestStage.webhooks(gateways: 2) { (stage: TestStage) async throws in
            let id = try await stage.started(1)
            func twice(_ path: String, _ body: String?, _ field: String) async throws -> TestStage.Answer {
                var headers = ["X-Api-Key": stage.tenant.apiKey, "Idempotency-Key": "one"]
                if body != nil { headers["Content-Type"] = "application/json" }
                let path = "/api/v1/\(path)"
                let first = try await stage.send("POST", path, body, headers: headers)
                let second = try await stage.send("POST", path, body, headers: headers, gateway: 1)
                #expect(first.status < 300 && first.status == second.status, "\(path): \(second.text)")
                #expect(first[field] != nil && first[field]?.slice == second[field]?.slice, "\(path): \(second.text)")
                #expect(first.headers["idempotent-replayed"] == nil && second.headers["idempotent-replayed"] == "true")
                return first
            }
            let schedule = TestStage.scheduleBody(id, #""offset":600"#)
            _ = try await twice("live-activity/schedule", schedule, "schedule_id")
            #expect(try await stage.schedules(id).count == 1)
            let webhook = try await twice("webhooks", #"{"url":"https://hooks.example.com/"}"#, "secret")
            #expect(try await stage.customer("GET", "webhooks").elements("webhooks").count == 1)
            let name = try #require(webhook["id"]?.string)
            let rotated = try await twice("webhooks/\(name)/rotate-secret", nil, "secret")
            _ = try await twice("webhooks/\(name)/test", nil, "event_id")
            _ = try await twice("webhooks/\(name)/dead-letters/resend", #"{"all":true}"#, "resent")
            // Neither secret stands in the store.
            for key in try await stage.keys("fanfare:{i:*") {
                let kept = try await stage.redis(RedisCommand("HVALS", key)).array ?? []
                for secret in [webhook["secret"]?.string, rotated["secret"]?.string] {
                    let secret = try #require(secret)
                    #expect(!kept.contains { $0.string?.contains(secret) == true })
                }
            }
        }
    }

    @Test("Users and followers are added and removed, and schedules cancelled, once for an Idempotency-Key")
    func repeatableChanges() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.addDevices(4)
            let id = try await stage.register(2)
            func twice(
                _ path: String, _ body: String, _ count: (String, Int64), type: String = "application/json",
                other: String
            ) async throws {
                let headers = [
                    "X-Api-Key": stage.tenant.apiKey, "Idempotency-Key": "one", "Content-Type": type,
                ]
                let path = "/api/v1/\(path)"
                let first = try await stage.send("POST", path, body, headers: headers)
                #expect(first.status == 200 && first[count.0]?.int64 == count.1, "\(path): \(first.text)")
                let second = try await stage.send("POST", path, body, headers: headers, gateway: 1)
                #expect(second.bytes == first.bytes && second.headers["idempotent-replayed"] == "true", "\(path)")
                let changed = try await stage.send("POST", path, other, headers: headers)
                #expect(changed.status == 422 && changed.code == "IDEMPOTENCY_KEY_REUSED", "\(path): \(changed.text)")
                var unnamed = headers
                unnamed["Idempotency-Key"] = "a b"
                #expect(try await stage.send("POST", path, body, headers: unnamed).code == "VALIDATION_FAILED")
            }
            func users(_ name: String) -> String {
                #"{"activity_id":"\#(id)","activity_type":"\#(TestStage.type)","insider_ids":["\#(name)"]}"#
            }
            try await twice("live-activity/add-users", users("user-2"), ("registered_users", 1), other: users("user-3"))
            try await twice("live-activity/remove-users", users("user-2"), ("removed_users", 1), other: users("user-1"))
            _ = try await stage.call("schedule", TestStage.scheduleBody(id, #""offset":600"#))
            let cancel = #"{"activity_id":"\#(id)"}"#
            try await twice("live-activity/schedule/cancel", cancel, ("canceled", 1), other: cancel + " ")

            _ = try await stage.put("t", TestStage.topic("upcoming"))
            _ = try await stage.segment("PUT", "vip", "a\n")
            for path in ["segments/vip/users", "topics/t/followers"] {
                let ids = #"{"insider_ids":["b","c"]}"#
                try await twice(path, ids, ("added_users", 2), other: #"{"insider_ids":["d"]}"#)
                let headers = ["X-Api-Key": stage.tenant.apiKey, "Idempotency-Key": "list", "Content-Type": "text/csv"]
                // Equal bytes of another type are another list.
                for (type, status, isReplayed) in [
                    ("text/csv", 200, false), ("text/csv", 200, true), ("application/x-ndjson", 422, false),
                ] {
                    var headers = headers
                    headers["Content-Type"] = type
                    let answer = try await stage.send("POST", "/api/v1/\(path)", "\"d\"\n\"e\"\n", headers: headers)
                    #expect(answer.status == status, "\(path) \(type): \(answer.text)")
                    #expect((answer.headers["idempotent-replayed"] == "true") == isReplayed, "\(path) \(type)")
                    if status == 200 { #expect(answer["added_users"]?.int64 == 2, "\(answer.text)") }
                }
                // A request that removes users states the result, so the key does not apply.
                let removed = try await stage.send("DELETE", "/api/v1/\(path)", "d\n", headers: headers)
                #expect(removed["removed_users"]?.int64 == 1, "\(removed.text)")
            }
        }
    }

    @Test("A repetition of a schedule whose first answer was lost goes on with what is recorded")
    func scheduleInBetween() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            let id = try await stage.register(1)
            let body = TestStage.scheduleBody(id, #""offset":600"#)
            let key = ["Idempotency-Key": "lost"]
            let first = try await stage.call("schedule", body, headers: key)
            let record = try #require(try await stage.keys("fanfare:{i:*").first)
            _ = try await stage.redis(RedisCommand("HDEL", record, "status", "reply"))
            _ = try await stage.redis(RedisCommand("HSET", record, "until", 0))
            let second = try await stage.call("schedule", body, headers: key)
            #expect(first.status == 200 && second.bytes == first.bytes, "\(second.text)")
            #expect(try await stage.schedules(id).count == 1)
        }
    }

    @Test("An unreadable record of the store is a 500 with a code, and nothing else")
    func damaged() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            let key = ["Idempotency-Key": "one"]
            let body = #"{"activity_type":"T","insider_ids":["user-0"],"ends_at":"\#(TestStage.endsAt())"}"#
            #expect(try await stage.call("register", body, headers: key).status == 200)
            let record = try #require(try await stage.keys("fanfare:{i:*").first)
            _ = try await stage.redis(RedisCommand("HDEL", record, "status"))
            _ = try await stage.redis(RedisCommand("HSET", record, "id", "no-uuid", "until", "0"))
            let answer = try await stage.call("register", body, headers: key)
            #expect(answer.status == 500 && answer.code == "INTERNAL_ERROR", "\(answer.text)")
            #expect(answer["error"]?.string?.contains("no-uuid") == false)
        }
    }
}
