import Gateway
import GatewayAPI
import GatewayStore
import HTTPTypes
import LiveActivity
import MockAPNs
import Testing

@Suite("Pages of other origins", .serialized)
struct CrossOriginTests {
    private static let origin = "https://tools.example.com"
    private static let path = "/api/v1/live-activity/register"

    private func asked(
        _ stage: TestStage, _ path: String = path, origin: String = origin, method: String = "POST"
    ) async throws -> TestStage.Answer {
        try await stage.send(
            "OPTIONS", path, nil,
            headers: [
                "Origin": origin, "Access-Control-Request-Method": method,
                "Access-Control-Request-Headers": "x-api-key, content-type",
            ])
    }

    @Test("A configured origin may send customers' requests and read the replies, including refusals")
    func allowed() async throws {
        try await TestStage.run(configure: { $0.api.crossOrigins = [Self.origin] }) { stage in
            try await stage.addDevices(1)
            let id = try await stage.register(1)
            for endpoint in stage.endpoints(.apiKey) {
                let path = EndpointRequest(endpoint, naming: .unknown).path
                let answer = try await asked(stage, path, method: endpoint.method.rawValue)
                #expect(answer.status == 204, "\(path)")
                #expect(answer.headers["access-control-allow-origin"] == Self.origin)
                #expect(answer.headers["access-control-allow-methods"]?.contains(endpoint.method.rawValue) == true)
                #expect(answer.headers["access-control-allow-headers"]?.contains("X-Api-Key") == true)
                #expect(answer.headers["vary"] == "Origin")
            }
            let from = ["Origin": Self.origin]
            let started = try await stage.call("start", TestStage.body(id), headers: from)
            #expect(started.accepted == 1 && started.headers["access-control-allow-origin"] == Self.origin)
            #expect(started.headers["access-control-expose-headers"]?.contains("X-Request-Id") == true)
            #expect(try await stage.sync(0, id).status == 200)
            // Updates are answered in front of the router as a rule.
            for _ in 0..<3 {
                let updated = try await stage.call("update", TestStage.body(id), headers: from)
                #expect(updated.accepted == 1 && updated.headers["access-control-allow-origin"] == Self.origin)
            }
            let refused = try await stage.call("start", TestStage.body(id), headers: from)
            #expect(refused.status == 409 && refused.headers["access-control-allow-origin"] == Self.origin)
            let unknown = try await stage.call(
                "start", "{}", headers: ["Origin": Self.origin, "X-Api-Key": "wrong"])
            #expect(unknown.status == 401 && unknown.headers["access-control-allow-origin"] == Self.origin)
        }
    }

    @Test("Other origins and device routes are not allowed, and without a configuration no headers are sent")
    func others() async throws {
        try await TestStage.run(configure: { $0.api.crossOrigins = [Self.origin] }) { stage in
            for origin in ["https://evil.example.com", "http://tools.example.com", "null", "\(Self.origin):8443", ""] {
                let answer = try await asked(stage, origin: origin)
                #expect(answer.status == 405 && answer.headers["access-control-allow-origin"] == nil, "\(origin)")
                let called = try await stage.call("register", "{}", headers: ["Origin": origin])
                #expect(called.headers["access-control-allow-origin"] == nil, "\(origin)")
                // Caches need this header all the same.
                #expect(called.headers["vary"] == "Origin")
            }
            for path in ["/api/v1/sdk/sync", "/api/v1/sdk/tap", "/health/live", "/nowhere"] {
                let answer = try await asked(stage, path)
                #expect(answer.status >= 404 && answer.headers["access-control-allow-origin"] == nil, "\(path)")
            }
        }
        try await TestStage.run(configure: { $0.api.crossOrigins = ["*"] }) { (stage: TestStage) async throws in
            let answer = try await asked(stage)
            #expect(answer.headers["access-control-allow-origin"] == "*")
        }
        try await TestStage.run { stage in
            let answer = try await asked(stage)
            #expect(answer.status == 405)
            let called = try await stage.call("register", "{}", headers: ["Origin": Self.origin])
            #expect(called.headers["vary"] == nil && called.headers["access-control-allow-origin"] == nil)
        }
    }
}
