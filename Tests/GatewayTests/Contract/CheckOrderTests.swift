import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import Testing
import TimeCore

/// A request with two errors gets the answer that the contract checks first: 401, 403, 402, 429, 400, 404, 409, 422.
@Suite("The order of checks", .serialized)
struct CheckOrderTests {
    private static let unknown = NamedThings.unknown.activity

    /// The statuses of an invalid request to each endpoint for customers, by method and path.
    private func statuses(_ stage: TestStage, key: String? = nil) async throws -> [String: Int] {
        var statuses: [String: Int] = [:]
        for endpoint in stage.endpoints(.apiKey) {
            let request = EndpointRequest(endpoint, body: "{")
            statuses[request.name] = try await stage.send(request, key: key ?? stage.tenant.apiKey).status
        }
        return statuses
    }

    private func expect(_ statuses: [String: Int], all status: Int) {
        #expect(statuses.count > 30)
        for (name, found) in statuses { #expect(found == status, "\(name)") }
    }

    @Test("The gateway checks the key, the switch, the tier, the rate and then the body")
    func admission() async throws {
        // The rate limit admits one request, so every later request exceeds it.
        try await TestStage.run(tier: .starter, configure: { $0.api.requestsPerMinute = 1 }) { stage in
            let id = stage.tenant.tenantID
            _ = try await stage.store.tenants.setTenant(id, enabled: false)
            // Key, switch, tier, rate and body are wrong at once.
            expect(try await statuses(stage, key: "ffk_unknown"), all: 401)
            expect(try await statuses(stage), all: 403)
            _ = try await stage.store.tenants.setTenant(id, enabled: true)
            expect(try await statuses(stage), all: 402)
            _ = try await stage.store.tenants.setTenant(id, tier: .growth)
            expect(try await statuses(stage), all: 429)
        }
        try await TestStage.run { stage in
            for endpoint in stage.endpoints(.apiKey) where endpoint.body != .none {
                let answer = try await stage.send(EndpointRequest(endpoint, body: "{"), key: stage.tenant.apiKey)
                #expect(answer.code == "BAD_REQUEST", "\(endpoint.path): \(answer.text)")
            }
            for endpoint in stage.endpoints(.sdkKey) {
                let request = EndpointRequest(endpoint, body: "{")
                #expect(try await stage.send(request, key: "ffs_unknown").status == 401, "\(endpoint.path)")
                guard endpoint.body != .none else { continue }
                let answer = try await stage.send(request, key: stage.tenant.sdkKey)
                #expect(answer.code == "BAD_REQUEST", "\(endpoint.path): \(answer.text)")
            }
        }
    }

    @Test("A refusal by switch or tier has the rate's headers; an unknown key has none")
    func rateHeaders() async throws {
        try await TestStage.run(tier: .starter, configure: { $0.api.requestsPerMinute = 7 }) { stage in
            #expect(try await stage.call("start", "{").headers["x-ratelimit-limit"] == "7")
            _ = try await stage.store.tenants.setTenant(stage.tenant.tenantID, enabled: false)
            let answer = try await stage.call("start", "{")
            #expect(answer.status == 403 && answer.headers["x-ratelimit-remaining"] == "5")
            let stranger = try await stage.call("start", "{", headers: ["X-Api-Key": "ffk_unknown"])
            #expect(stranger.status == 401 && stranger.headers["x-ratelimit-limit"] == nil)
        }
    }

    @Test("The gateway checks the body, the activity, its state and then its devices")
    func commands() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(2)
            let started = try await stage.register(1)
            #expect(try await stage.call("start", TestStage.body(started)).accepted == 1)
            let registered = try await stage.register(1)
            let nobody = #""target_devices":[{"insider_id":"nobody","udid":"x"}]"#
            let mixed = #""target_devices":[{}]"#
            func users(_ id: String, _ ids: String) -> String {
                #"{"activity_id":"\#(id)","activity_type":"\#(TestStage.type)","insider_ids":[\#(ids)]}"#
            }
            for endpoint in ["start", "update", "end"] {
                // 400 before 404.
                let wrong = try await stage.call(endpoint, TestStage.body(Self.unknown, more: mixed))
                #expect(wrong.status == 400, "\(endpoint)")
                // 404 before 409: the unknown activity has another type as well.
                let other =
                    #"{"activity_id":"\#(Self.unknown)","activity_type":"Other","content":\#(TestStage.content)}"#
                #expect(try await stage.call(endpoint, other).status == 404, "\(endpoint)")
            }
            // A restart needs its devices: 400 before 404, and 409 before 422.
            let unsent = #""devices":"unsent""#
            #expect(try await stage.call("restart", TestStage.body(Self.unknown)).status == 400)
            #expect(try await stage.call("restart", TestStage.body(Self.unknown, more: unsent)).status == 404)
            #expect(try await stage.call("restart", TestStage.body(registered, more: unsent)).code == "NOT_STARTED")
            #expect(try await stage.call("restart", TestStage.body(started, more: unsent)).status == 422)
            // 409 before 422.
            let again = try await stage.call("start", TestStage.body(started, more: nobody))
            #expect(again.status == 409 && again.code == "ALREADY_STARTED")
            let early = try await stage.call("update", TestStage.body(registered, more: nobody))
            #expect(early.status == 409 && early.code == "NOT_STARTED")
            #expect(try await stage.call("start", TestStage.body(registered, more: nobody)).status == 422)
            // Among 409: the type before the state, except for a second start.
            let type = #"{"activity_id":"\#(started)","activity_type":"Other","content":\#(TestStage.content)}"#
            #expect(try await stage.call("start", type).code == "ALREADY_STARTED")
            #expect(try await stage.call("update", type).code == "ACTIVITY_TYPE_MISMATCH")

            for endpoint in ["add-users", "remove-users"] {
                #expect(try await stage.call(endpoint, users(Self.unknown, "")).status == 400, "\(endpoint)")
                #expect(try await stage.call(endpoint, users(Self.unknown, #""ghost""#)).status == 404, "\(endpoint)")
                #expect(try await stage.call(endpoint, users(started, #""ghost""#)).status == 409, "\(endpoint)")
            }
            #expect(try await stage.call("add-users", users(registered, #""ghost""#)).status == 422)
            // register has no activity yet: 400 before 422.
            let late = #"{"activity_type":"T","insider_ids":["ghost"],"ends_at":"2020-01-01T00:00:00Z"}"#
            #expect(try await stage.call("register", late).status == 400)
        }
    }

    @Test("The gateway checks the form of a body before its fields, in the API's order")
    func fields() async throws {
        try await TestStage.run { (stage: TestStage) async throws in
            #expect(try await stage.call("start", "{").code == "BAD_REQUEST")
            #expect(try await stage.call("start", "{}").code == "REQUEST_INVALID")
            #expect(try await stage.call("start", #"{"a":1}"#).code == "VALIDATION_FAILED")
            #expect(try await stage.call("start", #"{"activity_id":"x"}"#).code == "ACTIVITY_TYPE_REQUIRED")
            #expect(try await stage.call("start", #"{"activity_type":"T"}"#).code == "ACTIVITY_ID_REQUIRED")
            let targets = #"{"activity_type":"T","activity_id":"x","target_devices":[1]}"#
            #expect(try await stage.call("start", targets).code == "TARGET_DEVICES_INVALID")
            #expect(
                try await stage.call("start", #"{"activity_type":"T","activity_id":"x"}"#).code == "CONTENT_REQUIRED")
        }
    }
}
