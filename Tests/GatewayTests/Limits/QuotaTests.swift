import EventCore
import Gateway
import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Quotas", .serialized)
struct QuotaTests {
    private func body(_ user: String, _ udid: String, _ rest: String = "") -> String {
        #"{"insider_id":"\#(user)","udid":"\#(udid)"\#(rest)}"#
    }

    @Test("A device's requests a minute count over all routes and gateways; those beyond get 429 with Retry-After")
    func rates() async throws {
        try await TestStage.run(gateways: 2) { stage in
            let tenant = stage.tenant.tenantID
            _ = try await stage.store.tenants.setTenant(tenant, limits: [(.deviceRequests, 20), (.userRequests, nil)])
            var letIn = 0
            var refused: [TestStage.Answer] = []
            for number in 0..<60 {
                let answer =
                    if number % 3 == 0 {
                        try await stage.report(
                            "POST", "tap", body("u", "d", #","system_activity_id":"x""#), gateway: number % 2)
                    } else {
                        try await stage.report(
                            "POST", "sync", body("u", "d", #","token":"00","activity_type":"T""#), gateway: number % 2)
                    }
                if answer.status == 429 { refused.append(answer) } else { letIn += 1 }
            }
            #expect((20...26).contains(letIn), "\(letIn)")
            #expect(refused.allSatisfy { $0.code == "RATE_LIMITED" })
            let wait = try #require(refused.last?.headers["retry-after"].flatMap { Int($0) })
            #expect((1...62).contains(wait))
            #expect(refused.last?["retry_after"]?.int64 == Int64(wait))
            #expect(refused.last?["error"]?.string?.hasPrefix("device_sdk_requests_per_minute") == true)
            // Other devices keep their whole limit.
            for gateway in 0..<2 {
                let other = try await stage.report(
                    "POST", "tap", body("u", "e", #","system_activity_id":"x""#), gateway: gateway)
                #expect(other.status == 404)
            }
        }
    }

    private func put(
        _ stage: TestStage, _ user: String, _ udid: String, gateway: Int = 0
    ) async throws -> TestStage.Answer {
        try await stage.report(
            "PUT", "device",
            body(
                user, udid,
                #","platform":"ios","os_version":"18.1","push_opt_in":true,"gdpr_consent":true,"environment":"production""#
            ),
            gateway: gateway)
    }

    private func used(_ stage: TestStage, _ limit: String, gateway: Int = 0) async throws -> Int? {
        for gateway in stage.gateways { await gateway.store.usage.flush() }
        let answer = try await stage.read("/api/v1/limits", gateway: gateway)
        return try answer.element("limits", named: limit)?.member("used")?.int64.map { Int($0) }
    }

    @Test("Changed limits apply at every gateway within a second, also to refused devices")
    func changed() async throws {
        try await TestStage.run(gateways: 2) { stage in
            let tenant = stage.tenant.tenantID
            func set(_ limits: [(TenantLimits.Limit, Int?)]) async throws {
                _ = try await stage.store.tenants.setTenant(tenant, limits: limits)
            }
            func tap(_ gateway: Int) async throws -> Int {
                try await stage.report("POST", "tap", body("u", "d", #","system_activity_id":"x""#), gateway: gateway)
                    .status
            }
            // Both gateways know an existing limit.
            try await set([(.deviceRequests, 20), (.newDevices, 1)])
            #expect(try await put(stage, "u", "d").status == 200)
            for gateway in 0..<2 {
                try await stage.eventually("it is not refused") { try await tap(gateway) == 429 }
                try await stage.eventually("it is new") {
                    try await put(stage, "new", "d\(gateway)", gateway: gateway).status == 429
                }
            }
            // Without the change both would be refused for most of a minute.
            let begin = MonotonicTime.now()
            try await set([(.deviceRequests, 10_000), (.newDevices, 1000)])
            for gateway in 0..<2 {
                try await stage.eventually("it is refused still") { try await tap(gateway) == 404 }
                try await stage.eventually("it is none of the minute's") {
                    try await put(stage, "new", "d\(gateway)", gateway: gateway).status == 200
                }
                let listed = try await stage.read("/api/v1/limits", gateway: gateway)
                let entry = listed.element("limits", named: "device_sdk_requests_per_minute")
                #expect(try entry?.member("limit")?.int64 == 10_000)
            }
            #expect(MonotonicTime.now() - begin < .seconds(20))
            try await set([(.users, 1)])
            for gateway in 0..<2 {
                try await stage.eventually("it is let in still") {
                    try await put(stage, "one-\(UniqueID.random())", "d", gateway: gateway).code == "QUOTA_EXCEEDED"
                }
            }
        }
    }

    @Test("New devices beyond the minute's limit are refused by both gateways, and known ones continue")
    func newDevices() async throws {
        try await TestStage.run(gateways: 2) { stage in
            _ = try await stage.store.tenants.setTenant(stage.tenant.tenantID, limits: [(.newDevices, 20)])
            var refused: [TestStage.Answer] = []
            for number in 0..<60 {
                let answer = try await put(stage, "u\(number)", "d", gateway: number % 2)
                if answer.status != 200 { refused.append(answer) }
            }
            // Exactly twenty, over both gateways.
            #expect(refused.count == 40)
            #expect(refused.allSatisfy { $0.status == 429 && $0.code == "RATE_LIMITED" })
            let wait = try #require(refused.last?.headers["retry-after"].flatMap { Int($0) })
            #expect((1...62).contains(wait))
            for gateway in 0..<2 {
                #expect(try await put(stage, "u0", "d", gateway: gateway).status == 200)
                let token = try await stage.report(
                    "PUT", "push-to-start-token", body("stranger", "d", #","token":"0011""#), gateway: gateway)
                #expect(token.status == 429)
            }
            // A user who follows is one as well; made up, it leaves nothing.
            #expect(try await stage.put("t", TestStage.topic("upcoming")).status == 200)
            for method in ["PUT", "DELETE"] {
                let follow = try await stage.report(method, "topics/t/follow", body("follower", "d"))
                #expect(follow.status == 429 && follow.code == "RATE_LIMITED", "\(follow.text)")
                #expect(try await stage.report(method, "topics/t/follow", body("u0", "d")).status == 200)
            }
            #expect(try await stage.keys("*follower*").isEmpty)
            #expect(try await used(stage, "new_devices_per_minute") == 20)
            let owners = try await stage.keys("fanfare:{o:*")
            #expect(owners.isEmpty, "a token that was refused has left its owner")
        }
    }

    @Test("Quotas refuse new users and devices, name themselves, and send one event when near and when reached")
    func usersAndDevices() async throws {
        try await TestStage.run(gateways: 2) { stage in
            let tenant = stage.tenant.tenantID
            _ = try await stage.store.tenants.setTenant(tenant, limits: [(.users, 5), (.devices, 8)])
            try await stage.setup.store.events.setEventStream(tenant, isOn: true)
            for number in 0..<5 {
                #expect(try await put(stage, "u\(number)", "d", gateway: number % 2).status == 200)
                #expect(try await used(stage, "users") == number + 1)
            }
            let stranger = try await put(stage, "stranger", "d")
            #expect(stranger.status == 403 && stranger.code == "QUOTA_EXCEEDED")
            #expect(stranger["quota"]?.string == "users")
            for number in 0..<3 {
                #expect(try await put(stage, "u0", "e\(number)").status == 200)
                #expect(try await used(stage, "devices", gateway: 1) == 6 + number)
            }
            let full = try await put(stage, "u0", "f")
            #expect(full.status == 403 && full["quota"]?.string == "devices", "\(full.text)")
            #expect(try await put(stage, "u0", "e0").status == 200)
            var told: [String] = []
            while told.count < 4 {
                let page = try await stage.setup.store.events.events(
                    of: tenant, after: .beginning, types: [.quotaNear, .quotaReached], limit: 100)
                told = page.events.map { event in
                    let data = try? JSONDocument(parsing: event.data).root
                    return "\(event.type.rawValue) \((try? data?.member("quota"))?.string ?? "")"
                }
            }
            #expect(
                told.sorted() == [
                    "quota.near devices", "quota.near users", "quota.reached devices", "quota.reached users",
                ], "\(told)")
            // Removed users and devices make room.
            stage.store.usage.removed(devices: 3, users: 1, tenantID: tenant)
            #expect(try await used(stage, "devices") == 5)
            #expect(try await put(stage, "newcomer", "d").status == 200)
        }
    }

    @Test("Five hundred invented devices keep no phone out, and displace none that a push has reached")
    func devicesOfUser() async throws {
        try await TestStage.run(gateways: 2) { stage in
            let phone = TestStage.key(0)
            let id = try await stage.started(1)
            #expect(try await stage.sync(0, id).status == 200)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<510 {
                    group.addTask {
                        try await put(stage, phone.insiderID, "made-up-\(number)", gateway: number % 2).status
                    }
                    if number >= 4, let status = try await group.next() { #expect(status == 200) }
                }
                for try await status in group { #expect(status == 200) }
            }
            #expect(try await put(stage, phone.insiderID, "new-phone").status == 200)
            let token = try await stage.report(
                "PUT", "push-to-start-token", body(phone.insiderID, "new-phone", #","token":"0011""#))
            #expect(token.status == 200)
            let user = try await stage.redis(
                RedisCommand("HKEYS", "fanfare:{u:\(stage.tenant.tenantID):\(phone.insiderID)}"))
            let devices = (user.array ?? []).compactMap(\.bytes).filter { $0.first == UInt8(ascii: "d") }
            // Devices that come at the same moment may each find room.
            #expect((100...104).contains(devices.count), "\(devices.count)")
            let names = devices.map { PackedName.decode($0.dropFirst()) }
            #expect(names.contains(phone.udid) && names.contains("new-phone"))
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 1)
        }
    }

    @Test("Live activities that devices open are counted for the user and the tenant")
    func openedActivities() async throws {
        try await TestStage.run(gateways: 2) { stage in
            let tenant = stage.tenant.tenantID
            _ = try await stage.store.tenants.setTenant(
                tenant, limits: [(.openedActivities, 5), (.openedActivitiesPerUser, 3)])
            try await stage.addDevices(3)
            for number in 0..<3 {
                for gateway in 0..<2 { _ = try await stage.opened(0, "a\(number)", gateway: gateway) }
            }
            var full = try await stage.open(0, "a3")
            #expect(full.status == 403 && full.code == "QUOTA_EXCEEDED")
            #expect(full["quota"]?.string == "opened_activities_per_user")
            // An activity that another user has opened counts as well.
            for number in 0..<2 { _ = try await stage.opened(1, "b\(number)", gateway: number) }
            #expect(try await stage.open(0, "b0").status == 403)
            full = try await stage.open(2, "c0", gateway: 1)
            #expect(full.status == 403 && full["quota"]?.string == "opened_activities", "\(full.text)")
            #expect(try await used(stage, "opened_activities") == 5)
            #expect(try await stage.open(2, "b0").status == 200)

            let end = try await stage.call("end", "{\(TestStage.external("a0"))}")
            #expect(end.status == 200, "\(end.text)")
            #expect(try await used(stage, "opened_activities") == 4)
            #expect(try await stage.open(0, "a3", gateway: 1).status == 200)
            #expect(try await stage.open(2, "c0").status == 403)
        }
    }

    @Test("A user at the limit of opened activities has room when one has ended or was dismissed")
    func endedOnes() async throws {
        try await TestStage.run(gateways: 2) { stage in
            _ = try await stage.store.tenants.setTenant(
                stage.tenant.tenantID, limits: [(.openedActivities, 5), (.openedActivitiesPerUser, 3)])
            try await stage.addDevices(2)
            func ends(_ name: String, scope: String? = nil, gateway: Int = 0) async throws {
                let scope = scope.map { #","external_scope":"\#($0)""# } ?? ""
                let key = TestStage.key(0)
                let answer = try await stage.report(
                    "POST", "schedule",
                    body(
                        key.insiderID, key.udid, #",\#(TestStage.external(name))\#(scope),"event":"end","offset":0"#),
                    gateway: gateway)
                let id = try #require(answer["schedule_id"]?.string.flatMap { UniqueID($0) }, "\(answer.text)")
                try await stage.eventually("the schedule is not carried out") {
                    try await stage.read("/api/v1/live-activity/broadcasts/\(id)").status == 200
                }
                #expect(try await stage.ended(id)["accepted"]?.int64 == 1)
            }
            func dismiss(_ activity: String) async throws {
                let key = TestStage.key(0)
                let answer = try await stage.report(
                    "POST", "dismissed", body(key.insiderID, key.udid, #","activity_id":"\#(activity)""#), gateway: 1)
                #expect(answer.status == 200, "\(answer.text)")
            }
            let own = try await [stage.opened(0, "a0", scope: "user"), stage.opened(0, "a1", scope: "user")]
            _ = try await stage.opened(1, "match")
            _ = try await stage.opened(0, "match", gateway: 1)
            let full = try await stage.open(0, "a2", scope: "user")
            #expect(full.status == 403 && full["quota"]?.string == "opened_activities_per_user")
            #expect(full["error"]?.string?.contains("the user has reached its limit") == true, "\(full.text)")
            #expect(try await used(stage, "opened_activities") == 3)
            // The activities are the user's own: no other user is in them.
            try await dismiss(own[0])
            #expect(try await used(stage, "opened_activities") == 2)
            _ = try await stage.opened(0, "a2", scope: "user")
            #expect(try await stage.open(0, "a3", scope: "user").status == 403)
            try await ends("a1", scope: "user", gateway: 1)
            #expect(try await used(stage, "opened_activities") == 2)
            let dismissed = try await stage.opened(0, "a3", scope: "user", gateway: 1)
            #expect(try await stage.open(0, "a4", scope: "user").status == 403)
            // The other user's Live Activity of it is there.
            try await ends("match")
            #expect(try await used(stage, "opened_activities") == 3)
            _ = try await stage.opened(0, "a4", scope: "user")
            #expect(try await stage.open(0, "a5", scope: "user").status == 403)
            // A device that comes to one that was dismissed on the other has it counted again.
            try await dismiss(dismissed)
            let tablet = DeviceKey(insiderID: TestStage.key(0).insiderID, udid: "tablet")
            try await stage.store.devices.importDevices(
                [(tablet, TestStage.phone, nil)], tenantID: stage.tenant.tenantID)
            let joined = try await stage.report(
                "POST", "sync",
                body(
                    tablet.insiderID, tablet.udid,
                    #","token":"abcd",\#(TestStage.external("a3")),"external_scope":"user""#))
            #expect(joined.status == 200, "\(joined.text)")
            #expect(try await used(stage, "opened_activities") == 4)
            #expect(try await stage.open(0, "a5", scope: "user").status == 403)
            let erased = try await stage.send(
                "DELETE", "/api/v1/users/\(tablet.insiderID)", nil, headers: ["X-Api-Key": stage.tenant.apiKey])
            #expect(erased.status == 200 || erased.status == 202, "\(erased.text)")
            try await stage.eventually("what the user has opened is counted still") {
                try await used(stage, "opened_activities") == 1
            }
        }
    }
}
