import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import Testing
import TimeCore

@Suite("The start lock", .serialized)
struct StartLockTests {
    @Test("One of 200 concurrent starts over two gateways gets 200, the rest 409, and each device one push")
    func concurrentStarts() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.addDevices(50)
            let id = try await stage.register(50)
            let answers = try await withThrowingTaskGroup(of: TestStage.Answer.self) { group in
                for number in 0..<200 {
                    group.addTask { try await stage.call("start", TestStage.body(id), gateway: number % 2) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 200 } == 1)
            #expect(answers.count { $0.status == 409 && $0.code == "ALREADY_STARTED" } == 199)
            #expect(answers.first { $0.status == 200 }?.accepted == 50)
            #expect(stage.pushes(.start).count == 50)
            #expect(try await stage.call("start", TestStage.body(id)).code == "ALREADY_STARTED")
        }
    }

    @Test("A start that is refused for want of a device takes no lock")
    func refusedStart() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(2)
            let id = try await stage.register(2)
            let none = #""target_devices":[{"insider_id":"nobody","udid":"x"}]"#
            let refused = try await stage.call("start", TestStage.body(id, more: none))
            #expect(refused.status == 422 && refused.code == "NO_ELIGIBLE_DEVICE")
            #expect(refused.skipped("not_in_segment") == 1)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 2)
        }
    }

    @Test("A payload over 4,096 bytes is refused before any lock or push")
    func payloadTooLarge() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            let id = try await stage.register(1)
            let long = #"{"title":"a","message":"b","content_state":{"x":"\#(String(repeating: "y", count: 4000))"}}"#
            let refused = try await stage.call("start", TestStage.body(id, content: long))
            #expect(refused.status == 413 && refused.code == "PAYLOAD_TOO_LARGE")
            #expect(stage.mock.counts().pushes == 0)
            #expect(try await stage.call("start", TestStage.body(id)).status == 200)
        }
    }

    @Test("A payload over 4,096 bytes of an update or an end is refused before any push")
    func payloadTooLargeLater() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(1)
            try await stage.syncAll(0..<1, id)
            let long = #"{"content_state":{"x":"\#(String(repeating: "y", count: 4096))"}}"#
            for endpoint in ["update", "end"] {
                let refused = try await stage.call(endpoint, TestStage.body(id, content: long))
                #expect(refused.status == 413 && refused.code == "PAYLOAD_TOO_LARGE")
            }
            #expect(stage.mock.counts().pushes == 1)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 1)
        }
    }

    @Test("A user with only a push-to-start token has no device until one is reported")
    func tokenBeforeDevice() async throws {
        try await TestStage.run { stage in
            let names = #""insider_id":"ann","udid":"d1""#
            let token = try await stage.report("PUT", "push-to-start-token", #"{\#(names),"token":"ab12"}"#)
            #expect(token.status == 200)
            let body = #"{"activity_type":"T","insider_ids":["ann"],"ends_at":"\#(TestStage.endsAt())"}"#
            let early = try await stage.call("register", body)
            #expect(early.status == 422 && early.skipped("no_device") == 1, "\(early.text)")
            let device = #"""
                "platform":"ios","os_version":"18.0","push_opt_in":true,"gdpr_consent":true,"environment":"production"
                """#
            #expect(try await stage.report("PUT", "device", "{\(names),\(device)}").status == 200)
            #expect(try await stage.call("register", body)["registered_devices"]?.int64 == 1)
        }
    }

    @Test("A second start gets ALREADY_STARTED even with other faults; a first start is checked as usual")
    func wrongSecondStart() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            let id = try await stage.register(1)
            let name = #""activity_id":"\#(id)""#
            let type = #""activity_type":"\#(TestStage.type)""#
            let large = String(repeating: "x", count: 5_000)
            let wrong = [
                "{\(name)}", "{\(name),\(type)}", "{\(name),\(type),\"contents\":{}}",
                #"{\#(name),"activity_type":"Other","content":\#(TestStage.content)}"#,
                TestStage.body(id, content: #"{"title":"a","message":"b","content_state":{},"atributes":{}}"#),
                TestStage.body(id, content: #"{"title":"a","message":"b","content_state":{"x":"\#(large)"}}"#),
                TestStage.body(id, more: #""target_devices":[7]"#),
                TestStage.body(id, more: #""options":{"expiration":1}"#),
            ]
            for body in wrong {
                let answer = try await stage.call("start", body)
                #expect(answer.code != "ALREADY_STARTED" && (400..<500).contains(answer.status), "\(answer.text)")
            }
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 1)
            for body in wrong {
                let answer = try await stage.call("start", body)
                #expect(
                    answer.status == 409 && answer.code == "ALREADY_STARTED", "\(answer.text) to \(body.prefix(200))")
            }
            // Another tenant's activity is none, and one that is over can be started no more.
            let other = try await stage.setup.store.tenants.createTenant(name: "other", tier: .growth)
            let foreign = try await stage.call("start", "{\(name)}", headers: ["X-Api-Key": other.apiKey])
            #expect(foreign.code == "ACTIVITY_TYPE_REQUIRED", "\(foreign.text)")
            #expect(try await stage.call("end", TestStage.body(id, more: #""options":{"force":true}"#)).status == 200)
            #expect(try await stage.call("start", "{\(name)}").code == "ACTIVITY_TYPE_REQUIRED")
        }
    }

    @Test("The same Idempotency-Key and body get the first answer; another body 422; without the key 409")
    func idempotencyKey() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await stage.addDevices(5)
            let id = try await stage.register(5)
            let key = ["Idempotency-Key": "order-7"]
            let answers = try await withThrowingTaskGroup(of: TestStage.Answer.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        try await stage.call("start", TestStage.body(id), headers: key, gateway: number % 2)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 200 && $0.accepted == 5 })
            #expect(Set(answers.compactMap { $0["broadcast_id"]?.string }).count == 1)
            let other = TestStage.body(id, more: #""target_devices":[]"#)
            #expect(try await stage.call("start", other, headers: key).code == "IDEMPOTENCY_KEY_REUSED")
            #expect(try await stage.call("start", TestStage.body(id)).code == "ALREADY_STARTED")
            #expect(stage.pushes(.start).count == 5)
        }
    }

    @Test(
        "A repetition gets the answer of the first also when the gateway that took it was killed",
        arguments: [true, false])
    func killedInBetween(wasRecorded: Bool) async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(5)
            let id = try await stage.register(5)
            let activity = try #require(UniqueID(id))
            let record = try #require(try await stage.store.activities.activity(activity))
            let body = TestStage.body(id)
            let name = StoredAnswers.IdempotencyKey(
                tenantID: stage.tenant.tenantID, route: "/start", key: "order-8", body: Array(body.utf8))
            // Claimed a while ago; no answer was ever written.
            let proposed = UniqueID.random()
            guard case .claimed = try await stage.store.answers.claim(name, proposing: proposed, hold: .zero) else {
                Issue.record("the key was used")
                return
            }
            if wasRecorded {
                _ = try await stage.store.broadcasts.begin(TestStage.startDraft(proposed), for: record).get()
            }
            for _ in 0..<2 {
                let answer = try await stage.call("start", body, headers: ["Idempotency-Key": "order-8"])
                #expect(answer.status == 200 && answer.accepted == 5, "\(answer.text)")
                #expect(answer["broadcast_id"]?.string == proposed.description)
            }
            #expect(stage.pushes(.start).count == 5)
        }
    }

    @Test("A call with respond-async gets 202 with a Location, even if the fan-out has ended")
    func doneAtOnce() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(2)
            let id = try await stage.register(2)
            let activity = try #require(UniqueID(id))
            let record = try #require(try await stage.store.activities.activity(activity))
            let body = TestStage.body(id)
            let name = StoredAnswers.IdempotencyKey(
                tenantID: stage.tenant.tenantID, route: "/start", key: "order-9", body: Array(body.utf8))
            let proposed = UniqueID.random()
            _ = try await stage.store.answers.claim(name, proposing: proposed, hold: .zero)
            _ = try await stage.store.broadcasts.begin(TestStage.startDraft(proposed), for: record).get()
            #expect(try await stage.ended(proposed)["state"]?.string == "done")
            let answer = try await stage.call(
                "start", body, headers: ["Idempotency-Key": "order-9", "Prefer": "respond-async"])
            #expect(answer.status == 202 && answer.accepted == 2, "\(answer.text)")
            #expect(answer.headers["location"] == "/api/v1/live-activity/broadcasts/\(proposed)")
        }
    }
}
