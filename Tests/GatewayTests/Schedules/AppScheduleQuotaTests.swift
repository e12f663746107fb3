import EventCore
import GatewayStore
import LiveActivity
import MockAPNs
import RedisClient
import Testing

@Suite("Quotas of apps' schedules over all activities", .serialized)
struct AppScheduleQuotaTests {
    private static let change = #""offset":60,"event":"update","content_state":{"ready":true}"#

    private func schedule(
        _ stage: TestStage, _ number: Int, _ externalID: String = "chest", more: String = change,
        idempotency: String? = nil, gateway: Int = 0
    ) async throws -> TestStage.Answer {
        let headers = idempotency.map { ["Idempotency-Key": $0] } ?? [:]
        return try await stage.report(
            "POST", "schedule", TestStage.appBody(number, externalID, more: more), headers: headers, gateway: gateway)
    }

    private func cancel(_ stage: TestStage, _ number: Int, _ schedule: TestStage.Answer) async throws -> Int64? {
        let id = try #require(schedule["schedule_id"]?.string)
        let body = TestStage.appBody(number, more: #""schedule_id":"\#(id)""#)
        return try await stage.report("POST", "schedule/cancel", body)["canceled"]?.int64
    }

    /// The entry of a limit in the tenant's list.
    private func limit(_ stage: TestStage, _ name: String) async throws -> JSONValue {
        let answer = try await stage.read("/api/v1/limits")
        return try #require(answer.element("limits", named: name), "\(answer.text)")
    }

    private func used(_ stage: TestStage, _ name: String = "app_schedules") async throws -> Int64? {
        try await limit(stage, name).member("used")?.int64
    }

    private func isRefused(_ answer: TestStage.Answer, _ name: String) -> Bool {
        answer.status == 403 && answer.code == "QUOTA_EXCEEDED" && answer["quota"]?.string == name
            && answer["error"]?.string?.hasPrefix("quota \(name): ") == true
    }

    @Test(
        "As many wait for a user and a tenant as may; what is taken back or carried out makes room, and others have their own"
    )
    func counts() async throws {
        let clock = TestClock()
        try await TestStage.run(gateways: 2, clock: clock) { stage in
            let tenant = stage.tenant.tenantID
            _ = try await stage.setup.store.tenants.setTenant(
                tenant, limits: [(.appSchedules, 5), (.appSchedulesPerUser, 3)])
            try await stage.setup.store.events.setEventStream(tenant, isOn: true)
            try await stage.addDevices(3)
            for number in 0..<3 { _ = try await stage.opened(number, "chest") }
            _ = try await stage.opened(0, "harvest")
            var made: [TestStage.Answer] = []
            for (index, name) in ["chest", "harvest", "chest"].enumerated() {
                made.append(try await schedule(stage, 0, name, gateway: index % 2))
            }
            #expect(made.allSatisfy { $0.status == 200 })
            #expect(isRefused(try await schedule(stage, 0, "harvest"), "app_schedules_per_user"))
            for gateway in 0..<2 { #expect(try await schedule(stage, 1, gateway: gateway).status == 200) }
            for gateway in 0..<2 { #expect(isRefused(try await schedule(stage, 2, gateway: gateway), "app_schedules")) }
            let entry = try await limit(stage, "app_schedules")
            #expect(try entry.member("limit")?.int64 == 5 && entry.member("used")?.int64 == 5)
            #expect(try await limit(stage, "app_schedules_per_user").member("used") == nil)

            try await expectRoomOfAnother(stage)
            // A customer's schedules are not apps'.
            let customers = try await stage.opened(2, "chest")
            _ = try await stage.schedule(customers, #""offset":600"#)
            #expect(try await used(stage) == 5)

            #expect(try await cancel(stage, 0, made[0]) == 1)
            #expect(try await cancel(stage, 0, made[0]) == 0)
            #expect(try await used(stage) == 4)
            #expect(try await schedule(stage, 2).status == 200)
            #expect(isRefused(try await schedule(stage, 2), "app_schedules"))
            clock.advance(seconds: 60)
            try await stage.eventually("what was carried out counts still") { try await used(stage) == 0 }
            try await stage.settled()
            let tokens = Set(stage.pushes(.update).map(\.token))
            #expect(tokens.isSuperset(of: (0..<3).map { TestStage.hex(TestStage.updateToken($0)) }))
            for number in 0..<3 { #expect(try await schedule(stage, number).status == 200) }
            try await stage.eventually("that the quota is reached is not told") {
                let page = try await stage.setup.store.events.events(
                    of: tenant, after: .beginning, types: [.quotaReached], limit: 100)
                return page.events.map { (try? JSONDocument(parsing: $0.data).root)?.text("quota") } == [
                    "app_schedules"
                ]
            }
        }
    }

    /// Another tenant's device of the same name schedules.
    private func expectRoomOfAnother(_ stage: TestStage) async throws {
        let other = try await stage.setup.store.tenants.createTenant(name: "other", tier: .growth)
        try await stage.setup.store.devices.importDevices(
            [(TestStage.key(0), TestStage.phone, nil)], tenantID: other.tenantID)
        let headers = ["X-Sdk-Key": other.sdkKey, "Content-Type": "application/json"]
        for (path, more) in [("sync", #""token":"abcd""#), ("schedule", Self.change)] {
            let answer = try await stage.send(
                "POST", "/api/v1/sdk/\(path)", TestStage.appBody(0, more: more), headers: headers)
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    @Test("The bytes of payloads are bounded for a user and a tenant, and a repeated request counts once")
    func bytes() async throws {
        try await TestStage.run(gateways: 2) { stage in
            let tenant = stage.tenant.tenantID
            try await stage.addDevices(2)
            for number in 0..<2 { _ = try await stage.opened(number, "chest") }
            for gateway in 0..<2 {
                #expect(try await schedule(stage, 0, idempotency: "one", gateway: gateway).status == 200)
            }
            #expect(try await used(stage) == 1)
            let size = try #require(try await used(stage, "app_schedule_bytes"))
            #expect(size > 40)
            _ = try await stage.setup.store.tenants.setTenant(
                tenant,
                limits: [(.appScheduleBytes, 3 * Int(size)), (.appScheduleBytesPerUser, 2 * Int(size))])
            try await stage.eventually("the limits are not known") {
                try await limit(stage, "app_schedule_bytes").member("limit")?.int64 == 3 * size
            }
            #expect(try await schedule(stage, 0).status == 200)
            #expect(isRefused(try await schedule(stage, 0), "app_schedule_bytes_per_user"))
            let longer = #""offset":60,"event":"update","content_state":{"ready":false}"#
            #expect(isRefused(try await schedule(stage, 1, more: longer), "app_schedule_bytes"))
            #expect(try await schedule(stage, 1).status == 200)
            #expect(try await used(stage, "app_schedule_bytes") == 3 * size)
        }
    }

    @Test("Schedules that go with their user, or by a customer's cancel, make room")
    func removed() async throws {
        try await TestStage.run(gateways: 2) { stage in
            _ = try await stage.setup.store.tenants.setTenant(stage.tenant.tenantID, limits: [(.appSchedules, 4)])
            try await stage.addDevices(2)
            var id = ""
            for number in 0..<2 {
                id = try await stage.opened(number, "chest")
                for _ in 0..<2 { #expect(try await schedule(stage, number).status == 200) }
            }
            #expect(isRefused(try await schedule(stage, 1), "app_schedules"))
            let erased = try await stage.send(
                "DELETE", "/api/v1/users/\(TestStage.key(0).insiderID)", nil,
                headers: ["X-Api-Key": stage.tenant.apiKey])
            #expect(erased.status == 200 || erased.status == 202, "\(erased.text)")
            try await stage.eventually("an erased user's schedules count still") { try await used(stage) == 2 }
            #expect(try await schedule(stage, 1).status == 200)
            let answer = try await stage.call("schedule/cancel", #"{"activity_id":"\#(id)"}"#)
            #expect(answer["canceled"]?.int64 == 3, "\(answer.text)")
            #expect(try await used(stage) == 0)
            #expect(try await stage.keys("fanfare:{t:*}:schedules*").isEmpty)
        }
    }

    @Test("Schedules of an ended activity make room for others")
    func endedActivities() async throws {
        try await TestStage.run(gateways: 2) { stage in
            _ = try await stage.setup.store.tenants.setTenant(
                stage.tenant.tenantID, limits: [(.appSchedules, 4), (.appSchedulesPerUser, 3)])
            try await stage.addDevices(2)
            let chest = try await stage.opened(0, "chest")
            _ = try await stage.opened(0, "harvest")
            for _ in 0..<3 { #expect(try await schedule(stage, 0).status == 200) }
            #expect(isRefused(try await schedule(stage, 0, "harvest"), "app_schedules_per_user"))
            try await end(chest, stage)
            #expect(try await schedule(stage, 0, "harvest").status == 200)
            #expect(try await used(stage) == 1)
            for list in ["s", "us"] { #expect(try await stage.keys("fanfare:*:a:\(chest):\(list)*").isEmpty) }

            let tent = try await stage.opened(1, "tent")
            for _ in 0..<3 { #expect(try await schedule(stage, 1, "tent").status == 200) }
            #expect(isRefused(try await schedule(stage, 0, "harvest"), "app_schedules"))
            try await end(tent, stage)
            #expect(try await schedule(stage, 0, "harvest", gateway: 1).status == 200)
            #expect(try await used(stage) == 2)
        }
    }

    /// A customer ends an activity. The records of its schedules remain until a quota is reached.
    private func end(_ id: String, _ stage: TestStage) async throws {
        #expect(try await stage.keys("fanfare:*:a:\(id):s:*").count == 3)
        let answer = try await stage.call("end", TestStage.body(id))
        #expect(answer.status == 200, "\(answer.text)")
    }
}
