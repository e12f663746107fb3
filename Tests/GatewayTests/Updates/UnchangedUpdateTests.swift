import LiveActivity
import MockAPNs
import Testing

@Suite("Updates that show nothing new", .serialized)
struct UnchangedUpdateTests {
    private static let content = #"{"content_state":{"n":1}}"#

    private static func body(_ id: String, content: String = content, skip: String = "true") -> String {
        TestStage.body(id, content: content, more: #""options":{"skip_unchanged":\#(skip)}"#)
    }

    @Test("Any gateway answers the last content sent to all as unchanged, and pushes nothing")
    func unchanged() async throws {
        try await TestStage.run(gateways: 2) { stage in
            let id = try await stage.started(3)
            try await stage.syncAll(0..<3, id)
            let first = try await stage.call("update", Self.body(id))
            #expect(first.accepted == 3 && first["unchanged"] == nil, "\(first.text)")
            for gateway in 0..<2 {
                let again = try await stage.call("update", Self.body(id), gateway: gateway)
                #expect(again.status == 200 && again.accepted == 0 && again["unchanged"]?.bool == true)
                #expect(again["broadcast_id"] == nil && again["updates_this_hour"]?.int64 == 1, "\(again.text)")
            }
            #expect(stage.pushes(.update).count == 3)
            #expect(try await stage.call("update", Self.body(id, skip: "false")).accepted == 3)
            let wrong = try await stage.call("update", Self.body(id, skip: "1"))
            #expect(wrong.code == "VALIDATION_FAILED", "\(wrong.text)")
        }
    }

    @Test("Content that the provider refused for all devices is sent again", arguments: ["false", "true"])
    func refused(skip: String) async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(2)
            try await stage.syncAll(0..<2, id)
            var script = MockScript()
            script.rules = [
                MockRule(.init(event: .update), .answer(status: 400, reason: "BadExpirationDate"))
            ]
            stage.mock.setScript(script)
            // Without the option, an update of few devices is sent at once by the gateway that takes it.
            let first = try await stage.call("update", Self.body(id, skip: skip))
            #expect(first.accepted == 0, "\(first.text)")
            stage.mock.setScript(MockScript())
            let again = try await stage.call("update", Self.body(id))
            #expect(again.accepted == 2 && again["unchanged"] == nil, "\(again.text)")
            #expect(try await stage.call("update", Self.body(id))["unchanged"]?.bool == true)
        }
    }

    @Test("An unchanged answer is repeated for its Idempotency-Key, even after other content")
    func idempotency() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(1)
            try await stage.syncAll(0..<1, id)
            #expect(try await stage.call("update", Self.body(id)).accepted == 1)
            let headers = ["Idempotency-Key": "one"]
            let first = try await stage.call("update", Self.body(id), headers: headers)
            #expect(try await stage.call("update", Self.body(id, content: #"{"content_state":{}}"#)).accepted == 1)
            let again = try await stage.call("update", Self.body(id), headers: headers)
            #expect(first["unchanged"]?.bool == true && again.text == first.text)
            #expect(stage.pushes(.update).count == 2)
        }
    }

    @Test("A schedule of an update that shows nothing new is done without a broadcast")
    func schedule() async throws {
        try await TestStage.run(clock: TestClock()) { stage in
            let id = try await stage.started(1)
            try await stage.syncAll(0..<1, id)
            #expect(try await stage.call("update", Self.body(id)).accepted == 1)
            let schedule = try await stage.schedule(
                id, #""offset":0"#, content: Self.content, more: #""options":{"skip_unchanged":true}"#)
            let ended = try await stage.ended(schedule: schedule, of: id)
            #expect(ended.text("state") == "done" && ended.text("broadcast_id") == nil)
            #expect(stage.pushes(.update).count == 1)
        }
    }
}
