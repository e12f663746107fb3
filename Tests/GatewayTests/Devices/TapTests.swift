import GatewayStore
import LiveActivity
import RedisClient
import Testing

@Suite("Taps and dismissals", .serialized)
struct TapTests {
    private func tap(_ stage: TestStage, _ number: Int, _ systemID: String?, headers: [String: String] = [:])
        async throws -> TestStage.Answer
    {
        let system = systemID.map { #","system_activity_id":"\#($0)""# } ?? ""
        let body = #"{\#(TestStage.key(number).fields)\#(system)}"#
        return try await stage.report("POST", "tap", body, headers: headers)
    }

    @Test("A tap names the activity and the schedule that last changed it, and is counted")
    func attribution() async throws {
        try await TestStage.run(gateways: 2) { stage in
            let id = try await stage.started(2)
            try await stage.sync(0, id, named: "live-activity-0")
            let plain = try await tap(stage, 0, "live-activity-0")
            #expect(plain.status == 200 && plain["activity_id"]?.string == id, "\(plain.text)")
            #expect(plain["schedule_id"] == nil && plain["schedule_name"] == nil)
            let key = try #require(try await stage.keys("*:a:\(id)").first)
            _ = try await stage.redis(RedisCommand("HSET", key, "schedule", "s-1", "schedule_name", "half time"))
            let scheduled = try await tap(stage, 0, "live-activity-0")
            #expect(scheduled["schedule_id"]?.string == "s-1")
            #expect(scheduled["schedule_name"]?.string == "half time")
            #expect(try await stage.status(id, gateway: 1)["taps"]?.int64 == 2)
            // A Live Activity stays on the lock screen for a while after its end.
            #expect(try await stage.call("end", TestStage.body(id)).status == 200)
            #expect(try await tap(stage, 0, "live-activity-0")["activity_id"]?.string == id)
        }
    }

    @Test("A foreign Live Activity is not found, and a tap without a Live Activity is refused")
    func unknown() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(2)
            try await stage.sync(0, id, named: "live-activity-0")
            #expect(try await tap(stage, 0, "live-activity-1").code == "NOT_FOUND")
            #expect(try await tap(stage, 1, "live-activity-0").code == "NOT_FOUND")
            let missing = try await tap(stage, 0, nil)
            #expect(missing.status == 400 && missing.code == "VALIDATION_FAILED")
            #expect(missing["error"]?.string?.contains("system_activity_id") == true)
            #expect(try await stage.status(id)["taps"]?.int64 == 0)
        }
    }

    @Test("A tap requires a signature if the tenant demands signatures")
    func signed() async throws {
        try await TestStage.run(signatures: .any) { stage in
            let unsigned = try await tap(stage, 0, "live-activity-0")
            #expect(unsigned.status == 401)
            let signature = ["X-Identity-Signature": String(repeating: "0", count: 64)]
            let forged = try await tap(stage, 0, "live-activity-0", headers: signature)
            #expect(forged.code == "UNAUTHORIZED")
        }
    }

    @Test("A dismissed Live Activity has the reason of its dismissal, and a later report keeps it")
    func dismissed() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(3)
            try await stage.syncAll(0..<3, id)
            let some = TestStage.body(id, more: #""target_devices":[\#(TestStage.targets([0]))]"#)
            #expect(try await stage.call("end", some).accepted == 1)
            for number in 0..<2 {
                #expect(try await stage.dismiss(number, #""activity_id":"\#(id)""#).status == 200)
            }
            let status = try await stage.status(id)
            #expect(status["counts", "ended_by", "ended_by_api"]?.int64 == 1, "\(status.text)")
            #expect(status["counts", "ended_by", "user_dismissed"]?.int64 == 1)
            // Counted once, and only of a Live Activity that had not ended.
            #expect(status["dismissals"]?.int64 == 1)
            #expect(try await stage.dismiss(1, #""activity_id":"\#(id)""#).status == 200)
            #expect(try await stage.status(id)["dismissals"]?.int64 == 1)
            let update = try await stage.call("update", TestStage.body(id))
            #expect(update.accepted == 1 && update.skipped("ended") == 2)
        }
    }
}
