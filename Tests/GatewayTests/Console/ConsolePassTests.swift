import Gateway
import GatewayAPI
import GatewayStore
import HTTPTypes
import LiveActivity
import Testing

@Suite("The API at the console", .serialized)
struct ConsolePassTests {
    @Test("An activity lives its whole life through the console, and the audit log names who did it")
    func wholeLife() async throws {
        try await TestStage.runWithConsole { stage in
            try await stage.addDevices(3)
            let own = stage.tenant.tenantID
            let ada = try await ConsoleVisitor.signedIn(stage, try await stage.makeOperator("ada"))
            let registered = try await ada.api(
                "POST", own, "live-activity/register",
                #"{"activity_type":"\#(TestStage.type)","insider_ids":[\#(TestStage.list(0..<3))],"ends_at":"\#(TestStage.endsAt())"}"#
            )
            let activity = try #require(registered["activity_id"]?.string, "\(registered.text)")
            let started = try await ada.api("POST", own, "live-activity/start", TestStage.body(activity))
            #expect(started.accepted == 3, "\(started.text)")
            let broadcast = try #require(started["broadcast_id"]?.string)
            // The stream closes when the broadcast is done, as it is.
            let events = try await ada.api("GET", own, "live-activity/broadcasts/\(broadcast)/events")
            #expect(events.status == 200 && events.text.contains(#""accepted":3"#), "\(events.text)")
            #expect(events.headers["content-type"]?.hasPrefix("text/event-stream") == true)
            let listed = try await ada.api("GET", own, "live-activity?state=STARTED&limit=1")
            #expect(listed["activities"]?.elementCount == 1, "\(listed.text)")
            // An operator takes nothing of the tenant's rate.
            #expect(started.headers["x-ratelimit-limit"] == nil)
        }
    }

    @Test("A tenant's own requests count against its key's rate, as those with the key do")
    func rate() async throws {
        try await TestStage.runWithConsole(configure: { $0.api.requestsPerMinute = 4 }) { stage in
            let own = stage.tenant.tenantID
            let customer = try await ConsoleVisitor.signedIn(stage, stage.tenant.apiKey)
            let ada = try await ConsoleVisitor.signedIn(stage, try await stage.makeOperator("ada"))
            for _ in 0..<5 { #expect(try await ada.api("GET", own, "limits").status == 200) }
            for left in [2, 1, 0] {
                let answer = try await customer.api("GET", own, "limits")
                #expect(answer.status == 200 && answer.headers["x-ratelimit-remaining"] == "\(left)")
            }
            #expect(try await customer.api("GET", own, "limits").code == "RATE_LIMITED")
            #expect(try await ada.api("GET", own, "limits").status == 200)
        }
    }

    @Test("What no API key opens is not there: devices' routes, documents, metrics, another listener's paths")
    func strangers() async throws {
        try await TestStage.runWithConsole { stage in
            let own = stage.tenant.tenantID
            let customer = try await ConsoleVisitor.signedIn(stage, stage.tenant.apiKey)
            for endpoint in stage.gateways[0].endpoints.endpoints where endpoint.credential != .apiKey {
                let request = EndpointRequest(endpoint, naming: .unknown)
                for path in ["/console/tenants/\(own)\(request.path)", request.path] {
                    let answer = try await customer.ask(endpoint.method.rawValue, path, request.body)
                    #expect(answer.code == "NOT_FOUND", "\(endpoint.method) \(path): \(answer.text)")
                }
            }
            let key = ["X-Api-Key": stage.tenant.apiKey]
            for path in ["/api/v1/limits", "/api/v1/live-activity/update", "/console/tenants/\(own)//api/v1/limits"] {
                let method = path.hasSuffix("update") ? "POST" : "GET"
                #expect(try await customer.ask(method, path, method == "POST" ? "{}" : nil, headers: key).status == 404)
            }
        }
    }

    @Test("Every endpoint that a key opens is answered through the console as it is with the key")
    func sameAnswers() async throws {
        try await TestStage.runWithConsole { stage in
            // Each is asked the same in the same order, and so has the same.
            let other = try await stage.setup.store.tenants.createTenant(name: "other", tier: .growth)
            let own = other.tenantID
            let customer = try await ConsoleVisitor.signedIn(stage, other.apiKey)
            for endpoint in stage.gateways[0].endpoints.endpoints where endpoint.credential == .apiKey {
                let request = EndpointRequest(endpoint, naming: .unknown)
                let method = endpoint.method.rawValue
                var headers = ["X-Api-Key": stage.tenant.apiKey]
                if request.body != nil { headers["Content-Type"] = "application/json" }
                let direct = try await stage.send(method, request.path, request.body, headers: headers)
                let passed = try await customer.ask(method, "/console/tenants/\(own)\(request.path)", request.body)
                #expect(
                    passed.status == direct.status && passed.code == direct.code,
                    "\(method) \(request.path): \(passed.text)")
            }
        }
    }
}
