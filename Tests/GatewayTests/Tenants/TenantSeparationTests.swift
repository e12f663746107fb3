import Gateway
import GatewayAPI
import GatewayStore
import HTTPTypes
import LiveActivity
import MockAPNs
import PushClient
import RedisClient
import Testing
import TimeCore

/// All objects of a tenant are its own alone: with another tenant's key they are unknown.
@Suite("Separation of tenants", .serialized)
struct TenantSeparationTests {
    /// The endpoints that every tenant may call. All others name an object, which is missing for another tenant.
    static let own: Set = [
        "POST /api/v1/live-activity/register", "GET /api/v1/live-activity", "GET /api/v1/events",
        "GET /api/v1/events/settings", "PUT /api/v1/events/settings", "GET /api/v1/webhooks", "POST /api/v1/webhooks",
        "GET /api/v1/segments", "PUT /api/v1/segments/{name}", "PUT /api/v1/sdk/device",
        "PUT /api/v1/sdk/push-to-start-token", "PUT /api/v1/sdk/registration-token",
        "DELETE /api/v1/users/{insider_id}", "GET /api/v1/users/{insider_id}/devices",
        "DELETE /api/v1/users/{insider_id}/devices/{udid}", "DELETE /api/v1/sdk/device",
        "GET /api/v1/topics", "PUT /api/v1/topics/{topic}", "GET /api/v1/sdk/topics", "GET /api/v1/limits",
    ]

    /// Further requests that name an activity.
    private func variants(_ activity: String) -> [(path: String, body: String)] {
        let targets = #""target_devices":[\#(TestStage.targets([0]))]"#
        let wrongType = #"{"activity_id":"\#(activity)","activity_type":"Other","content":\#(TestStage.content)}"#
        return [
            ("live-activity/end", TestStage.body(activity, more: #""options":{"force":true}"#)),
            ("live-activity/update", wrongType),
            ("live-activity/update", TestStage.body(activity, more: targets)),
            ("sdk/sync", TestStage.syncBody(0, #""activity_id":"\#(activity)","activity_type":"Other""#)),
            ("sdk/sync", TestStage.syncBody(0, #""activity_type":"\#(TestStage.type)""#)),
            ("sdk/dismissed", TestStage.syncBody(0, #""system_activity_id":"CARD-1""#)),
        ]
    }

    @Test("Every route answers another tenant's activity, broadcast and Live Activity as unknown ones")
    func everyRoute() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(2)
            let started = try await stage.register(2)
            let start = try await stage.call("start", TestStage.body(started))
            let liveActivity = TestStage.syncBody(0, #""activity_id":"\#(started)","system_activity_id":"CARD-1""#)
            #expect(try await stage.report("POST", "sync", liveActivity).status == 200)
            let registered = try await stage.register(2)
            let json = ["X-Api-Key": stage.tenant.apiKey, "Content-Type": "application/json"]
            _ = try await stage.send("PUT", "/api/v1/segments/vip", #"{"insider_ids":["ann"]}"#, headers: json)
            #expect(try await stage.put("match", TestStage.topic("upcoming")).status == 200)
            #expect(try await stage.follow(0, "match").status == 200)
            var things = NamedThings(
                activity: started, broadcast: try #require(start["broadcast_id"]?.string),
                webhook: try await stage.addWebhook("https://hooks.example.com/").id, segment: "vip", topic: "match",
                liveActivity: "CARD-1")

            let other = try await stage.store.tenants.createTenant(name: "other", tier: .growth)
            // The stranger has devices of the very same names.
            try await stage.store.devices.importDevices(
                [(TestStage.key(0), TestStage.phone, TestStage.startToken(0))], tenantID: other.tenantID)
            let pushes = stage.mock.counts().pushes

            for activity in [started, registered] {
                things.activity = activity
                for endpoint in stage.endpoints(.apiKey) + stage.endpoints(.sdkKey) {
                    let key = endpoint.credential == .sdkKey ? other.sdkKey : other.apiKey
                    let foreign = EndpointRequest(endpoint, naming: things)
                    guard !Self.own.contains(foreign.name) else { continue }
                    let answer = try await stage.send(foreign, key: key)
                    let expected = try await stage.send(EndpointRequest(endpoint, naming: .unknown), key: key)
                    #expect(answer.status == 404 && answer.code == "NOT_FOUND", "\(foreign.name): \(answer.text)")
                    #expect(answer.bytes == expected.bytes && expected.status == 404, "\(foreign.name)")
                }
                for (foreign, missing) in zip(variants(activity), variants(NamedThings.unknown.activity)) {
                    let keys = [
                        "X-Api-Key": other.apiKey, "X-Sdk-Key": other.sdkKey, "Content-Type": "application/json",
                    ]
                    let path = "/api/v1/\(foreign.path)"
                    let answer = try await stage.send("POST", path, foreign.body, headers: keys)
                    let expected = try await stage.send("POST", path, missing.body, headers: keys)
                    #expect(answer.status == 404 && answer.code == "NOT_FOUND", "\(foreign.body): \(answer.text)")
                    #expect(answer.bytes == expected.bytes, "\(foreign.body)")
                }
            }
            // Another tenant's replies about its own objects contain no data of this one.
            for endpoint in stage.endpoints(.apiKey) where endpoint.method == .get {
                let request = EndpointRequest(endpoint, naming: things)
                guard Self.own.contains(request.name) else { continue }
                let answer = try await stage.send(request, key: other.apiKey)
                #expect(answer.status == 200, "\(request.name)")
                for name in [started, registered, things.broadcast, things.webhook, things.segment, things.topic] {
                    #expect(!answer.text.contains(name), "\(request.name)")
                }
            }
            // Nothing has happened to what is the other's.
            #expect(stage.mock.counts().pushes == pushes)
            let update = try await stage.call("update", TestStage.body(started))
            #expect(update.accepted == 1 && update.skipped("not_synced") == 1, "\(update.text)")
            #expect(try await stage.call("start", TestStage.body(registered)).accepted == 2)
            #expect(try await stage.read("/api/v1/webhooks/\(things.webhook)").status == 200)
            #expect(try await stage.read("/api/v1/segments/vip")["users"]?.int64 == 1)
            #expect(try await stage.read("/api/v1/topics/match")["followers", "app"]?.int64 == 1)
        }
    }

    @Test("The table lists existing endpoints only")
    func ownEndpoints() async throws {
        try await TestStage.run { stage in
            let names = stage.gateways[0].endpoints.endpoints.map { "\($0.method) \($0.path)" }
            #expect(Self.own.isSubset(of: names))
            #expect(Set(names).count == names.count)
        }
    }

    @Test("A tenant registers and pushes to its own devices only, even with equal names")
    func ownDevices() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            let other = try await stage.store.tenants.createTenant(name: "other", tier: .growth)
            let api = ["X-Api-Key": other.apiKey]
            let body = #"""
                {"activity_type":"\#(TestStage.type)","insider_ids":["user-0"],"ends_at":"\#(TestStage.endsAt())"}
                """#
            let nobody = try await stage.call("register", body, headers: api)
            #expect(nobody.status == 422 && nobody.skipped("unknown_user") == 1)
            let token = [UInt8](repeating: 0xDD, count: 32)
            try await stage.store.devices.importDevices(
                [(TestStage.key(0), TestStage.phone, token)], tenantID: other.tenantID)
            let registered = try await stage.call("register", body, headers: api)
            let id = try #require(registered["activity_id"]?.string)
            #expect(try await stage.call("start", TestStage.body(id), headers: api).accepted == 1)
            #expect(stage.pushes(.start).map(\.token) == [TestStage.hex(token)])
        }
    }

    @Test("Equal Idempotency-Keys of two tenants are two keys, and each tenant has a rate of its own")
    func keysAndRates() async throws {
        try await TestStage.run(configure: { $0.api.requestsPerMinute = 3 }) { stage in
            let other = try await stage.store.tenants.createTenant(name: "other", tier: .growth)
            for tenant in [stage.tenant, other] {
                try await stage.store.devices.importDevices(
                    [(TestStage.key(0), TestStage.phone, TestStage.startToken(0))], tenantID: tenant.tenantID)
            }
            let body = #"{"activity_type":"T","insider_ids":["user-0"],"ends_at":"\#(TestStage.endsAt())"}"#
            var ids: Set<String> = []
            for tenant in [stage.tenant, other] {
                let headers = ["X-Api-Key": tenant.apiKey, "Idempotency-Key": "one"]
                let first = try await stage.call("register", body, headers: headers)
                #expect(try await stage.call("register", body, headers: headers).bytes == first.bytes)
                ids.insert(try #require(first["activity_id"]?.string))
                #expect(try await stage.call("register", "{", headers: headers).status == 400)
                #expect(try await stage.call("register", "{", headers: headers).status == 429)
            }
            #expect(ids.count == 2)
        }
    }

    @Test("Devices of a disabled tenant get 202 on every route, and no report is kept")
    func droppedSilently() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(1)
            _ = try await stage.store.tenants.setTenant(stage.tenant.tenantID, enabled: false)
            let key = TestStage.key(9)
            let names = key.fields
            let device = #"""
                {\#(names),"platform":"ios","os_version":"18.0","push_opt_in":true,"gdpr_consent":true,\
                "environment":"production","token":"ab","activity_id":"\#(id)","system_activity_id":"CARD-1"}
                """#
            // Erasures by a device are carried out all the same: see `UserErasureTests`.
            let heard = "/api/v1/sdk/device"
            for endpoint in stage.endpoints(.sdkKey) where endpoint.method != .delete || endpoint.path != heard {
                for body in [device, TestStage.syncBody(0, #""activity_id":"\#(id)""#), "no JSON at all"] {
                    let request = EndpointRequest(endpoint, body: body)
                    let answer = try await stage.send(request, key: stage.tenant.sdkKey)
                    #expect(answer.status == 202, "\(request.name): \(answer.text)")
                    #expect(answer.text == #"{"status":"success"}"#)
                }
            }
            var things = NamedThings.unknown
            things.activity = id
            for endpoint in stage.endpoints(.apiKey) {
                let request = EndpointRequest(endpoint, naming: things)
                let answer = try await stage.send(request, key: stage.tenant.apiKey)
                #expect(answer.status == 403 && answer.code == "LIVE_ACTIVITY_DISABLED", "\(request.name)")
            }
            #expect(try await stage.keys("*:\(key.insiderID)}").isEmpty)
            _ = try await stage.store.tenants.setTenant(stage.tenant.tenantID, enabled: true)
            #expect(try await stage.call("update", TestStage.body(id)).code == "DEVICE_NOT_SYNCED")
        }
    }

    @Test("A replaced key opens every route within its overlap and none afterwards; the fresh one always does")
    func overlap() async throws {
        try await TestStage.run(configure: { $0.api.admissionLifetime = .milliseconds(100) }) { stage in
            let tenantID = stage.tenant.tenantID
            let long = TimeInterval.seconds(4)
            guard case .rotated(let api, _) = try await stage.store.tenants.rotate(.api, of: tenantID, overlap: long),
                case .rotated(let sdk, _) = try await stage.store.tenants.rotate(.sdk, of: tenantID, overlap: long)
            else { return #expect(Bool(false)) }
            func statuses(_ apiKey: String, _ sdkKey: String) async throws -> [Int] {
                var statuses: [Int] = []
                for endpoint in stage.endpoints(.apiKey) {
                    statuses.append(try await stage.send(EndpointRequest(endpoint, body: "{"), key: apiKey).status)
                }
                for endpoint in stage.endpoints(.sdkKey) {
                    statuses.append(try await stage.send(EndpointRequest(endpoint, body: "{"), key: sdkKey).status)
                }
                return statuses
            }
            let opened = try await statuses(api, sdk)
            #expect(!opened.contains(401))
            #expect(try await statuses(stage.tenant.apiKey, stage.tenant.sdkKey) == opened)
            let end = MonotonicTime.now() + .seconds(30)
            while try await !statuses(stage.tenant.apiKey, stage.tenant.sdkKey).allSatisfy({ $0 == 401 }) {
                try #require(MonotonicTime.now() < end)
            }
            #expect(try await statuses(api, sdk) == opened)
        }
    }
}
