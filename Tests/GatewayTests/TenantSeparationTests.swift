import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import RedisClient
import Testing
import TimeCore

/// Everything a tenant has is his alone: with another tenant's key it is as good as none.
@Suite("Tenants are apart", .serialized)
struct TenantSeparationTests {
    private static let unknown = "6e1f6a0e-98f1-4c5e-9d0c-4a8e0d6f0001"

    /// Requests by the ids that they name. With a stranger's key every one must be answered the same, byte for byte,
    /// whether what it names is another tenant's or nobody's.
    private struct Request {
        let method: String
        let path: String
        let body: String?

        init(_ method: String, _ path: String, _ body: String? = nil) {
            self.method = method
            self.path = path
            self.body = body
        }
    }

    private func customerRequests(_ activity: String, _ broadcast: String) -> [Request] {
        let prefix = "/api/v1/live-activity"
        let users = #"{"activity_id":"\#(activity)","activity_type":"\#(TestStage.type)","insider_ids":["user-0"]}"#
        let wrongType = #"{"activity_id":"\#(activity)","activity_type":"Other","content":\#(TestStage.content)}"#
        let force = #""options":{"force":true}"#
        return [
            Request("POST", "\(prefix)/start", TestStage.body(activity)),
            Request("POST", "\(prefix)/restart", TestStage.body(activity, more: #""devices":"unsent""#)),
            Request("POST", "\(prefix)/update", TestStage.body(activity)),
            Request("POST", "\(prefix)/end", TestStage.body(activity)),
            Request("POST", "\(prefix)/end", TestStage.body(activity, more: force)),
            Request("POST", "\(prefix)/update", wrongType),
            Request(
                "POST", "\(prefix)/update",
                TestStage.body(activity, more: #""target_devices":[\#(TestStage.targets([0]))]"#)),
            Request("POST", "\(prefix)/add-users", users),
            Request("POST", "\(prefix)/remove-users", users),
            Request("GET", "\(prefix)/broadcasts/\(broadcast)"),
            Request("GET", "\(prefix)/broadcasts/\(broadcast)/events"),
            Request("GET", "\(prefix)/\(activity)/devices"),
        ]
    }

    private func deviceRequests(_ activity: String) -> [Request] {
        let key = TestStage.key(0)
        let names = #""insider_id":"\#(key.insiderID)","udid":"\#(key.udid)""#
        return [
            Request("POST", "/api/v1/sdk/sync", TestStage.syncBody(0, #""activity_id":"\#(activity)""#)),
            Request(
                "POST", "/api/v1/sdk/sync",
                TestStage.syncBody(0, #""activity_id":"\#(activity)","activity_type":"Other""#)),
            Request("POST", "/api/v1/sdk/sync", TestStage.syncBody(0, #""activity_type":"\#(TestStage.type)""#)),
            Request("POST", "/api/v1/sdk/dismissed", #"{\#(names),"activity_id":"\#(activity)"}"#),
            Request("POST", "/api/v1/sdk/dismissed", #"{\#(names),"system_activity_id":"CARD-1"}"#),
        ]
    }

    private func send(_ request: Request, _ headers: [String: String], _ stage: TestStage) async throws
        -> TestStage.Answer
    {
        let type = request.body == nil ? [:] : ["Content-Type": "application/json"]
        return try await stage.send(
            request.method, request.path, request.body, headers: headers.merging(type) { $1 })
    }

    @Test("On every route another tenant's activity, broadcast and card are answered as ones that do not exist")
    func everyRoute() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(2)
            let started = try await stage.register(2)
            let start = try await stage.call("start", TestStage.body(started))
            let broadcast = try #require(start["broadcast_id"]?.string)
            let card = TestStage.syncBody(0, #""activity_id":"\#(started)","system_activity_id":"CARD-1""#)
            #expect(try await stage.report("POST", "sync", card).status == 200)
            let registered = try await stage.register(2)

            let other = try await stage.store.createTenant(name: "other", tier: .growth)
            // The stranger has devices of the very same names.
            try await stage.store.importDevices(
                [(TestStage.key(0), TestStage.phone, TestStage.startToken(0))], tenantID: other.tenantID)
            let (api, sdk) = (["X-Api-Key": other.apiKey], ["X-Sdk-Key": other.sdkKey])
            let pushes = stage.mock.counts().pushes

            for activity in [started, registered] {
                let pairs = zip(
                    customerRequests(activity, broadcast), customerRequests(Self.unknown, Self.unknown))
                for (foreign, missing) in pairs {
                    let answer = try await send(foreign, api, stage)
                    let expected = try await send(missing, api, stage)
                    #expect(answer.status == 404 && answer.code == "NOT_FOUND", "\(foreign.path): \(answer.text)")
                    #expect(answer.status == expected.status && answer.bytes == expected.bytes, "\(foreign.path)")
                }
                for (foreign, missing) in zip(deviceRequests(activity), deviceRequests(Self.unknown)) {
                    let answer = try await send(foreign, sdk, stage)
                    let expected = try await send(missing, sdk, stage)
                    #expect(answer.status == 404, "\(foreign.path): \(answer.text)")
                    #expect(answer.status == expected.status && answer.bytes == expected.bytes, "\(foreign.path)")
                }
            }
            // Nothing has happened to what is the other's.
            #expect(stage.mock.counts().pushes == pushes)
            let update = try await stage.call("update", TestStage.body(started))
            #expect(update.accepted == 1 && update.skipped("not_synced") == 1, "\(update.text)")
            #expect(try await stage.call("start", TestStage.body(registered)).accepted == 2)
        }
    }

    @Test("A tenant registers and pushes to his own devices only, whatever they are called")
    func ownDevices() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1)
            let other = try await stage.store.createTenant(name: "other", tier: .growth)
            let api = ["X-Api-Key": other.apiKey]
            let body = #"""
                {"activity_type":"\#(TestStage.type)","insider_ids":["user-0"],"ends_at":"\#(TestStage.endsAt())"}
                """#
            let nobody = try await stage.call("register", body, headers: api)
            #expect(nobody.status == 422 && nobody.skipped("unknown_user") == 1)
            let token = [UInt8](repeating: 0xDD, count: 32)
            try await stage.store.importDevices([(TestStage.key(0), TestStage.phone, token)], tenantID: other.tenantID)
            let registered = try await stage.call("register", body, headers: api)
            let id = try #require(registered["activity_id"]?.string)
            #expect(try await stage.call("start", TestStage.body(id), headers: api).accepted == 1)
            #expect(stage.pushes(.start).map(\.token) == [TestStage.hex(token)])
        }
    }

    @Test("The same Idempotency-Key of two tenants is two keys, and each has a rate of his own")
    func keysAndRates() async throws {
        try await TestStage.run(configure: { $0.api.requestsPerMinute = 3 }) { stage in
            let other = try await stage.store.createTenant(name: "other", tier: .growth)
            for tenant in [stage.tenant, other] {
                try await stage.store.importDevices(
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

    @Test("While a tenant is switched off his devices are thanked on every route, and nothing of what they say is kept")
    func droppedSilently() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(1)
            _ = try await stage.store.setTenant(stage.tenant.tenantID, enabled: false)
            let key = TestStage.key(9)
            let names = #""insider_id":"\#(key.insiderID)","udid":"\#(key.udid)""#
            let device = #"""
                {\#(names),"platform":"ios","os_version":"18.0","push_opt_in":true,"gdpr_consent":true,"environment":"production"}
                """#
            let requests = [
                Request("PUT", "/api/v1/sdk/device", device),
                Request("PUT", "/api/v1/sdk/push-to-start-token", #"{\#(names),"token":"ab"}"#),
                Request("POST", "/api/v1/sdk/sync", TestStage.syncBody(0, #""activity_id":"\#(id)""#)),
                Request("POST", "/api/v1/sdk/dismissed", #"{\#(names),"activity_id":"\#(id)"}"#),
                Request("POST", "/api/v1/sdk/dismissed", "no JSON at all"),
            ]
            for request in requests {
                let answer = try await send(request, ["X-Sdk-Key": stage.tenant.sdkKey], stage)
                #expect(answer.status == 202, "\(request.path): \(answer.text)")
                #expect(answer.text == #"{"status":"success"}"#)
            }
            for request in customerRequests(id, Self.unknown) {
                let answer = try await send(request, ["X-Api-Key": stage.tenant.apiKey], stage)
                #expect(answer.status == 403 && answer.code == "LIVE_ACTIVITY_DISABLED", "\(request.path)")
            }
            #expect(try await stage.keys("*:\(key.insiderID)}").isEmpty)
            _ = try await stage.store.setTenant(stage.tenant.tenantID, enabled: true)
            #expect(try await stage.call("update", TestStage.body(id)).code == "DEVICE_NOT_SYNCED")
        }
    }

    @Test("Within its overlap a replaced key opens every route, afterwards none; the fresh one opens them all along")
    func overlap() async throws {
        try await TestStage.run(configure: { $0.api.admissionLifetime = .milliseconds(100) }) { stage in
            let id = try await stage.started(1)
            let tenantID = stage.tenant.tenantID
            let long = TimeInterval.seconds(4)
            guard case .rotated(let api, _) = try await stage.store.rotate(.api, of: tenantID, overlap: long),
                case .rotated(let sdk, _) = try await stage.store.rotate(.sdk, of: tenantID, overlap: long)
            else { return #expect(Bool(false)) }
            func statuses(_ apiKey: String, _ sdkKey: String) async throws -> [Int] {
                var statuses: [Int] = []
                for request in customerRequests(id, Self.unknown) {
                    let body = request.body == nil ? nil : "{"
                    let answer = try await send(
                        Request(request.method, request.path, body), ["X-Api-Key": apiKey], stage)
                    statuses.append(answer.status)
                }
                for request in deviceRequests(id) {
                    let answer = try await send(
                        Request(request.method, request.path, "{"), ["X-Sdk-Key": sdkKey], stage)
                    statuses.append(answer.status)
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
