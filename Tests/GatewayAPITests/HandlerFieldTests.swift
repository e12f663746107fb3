import GatewayStore
import HTTPTypes
import LiveActivity
import Testing
import TimeCore

@testable import GatewayAPI

/// Handlers read a request to its end before they ask the store, which is away here: what is wrong is said all the
/// same.
@Suite("Fields that handlers read")
struct HandlerFieldTests {
    private static let webhook = "/api/v1/webhooks/6e1f6a0e-98f1-4c5e-9d0c-4a8e0d6f0001"
    private static let device = #""insider_id":"ann","udid":"u""#

    private let caller: Caller

    init() {
        let store = AbsentStore()
        var policy = WebhookPolicy()
        policy.secrets = WebhookSecrets(keyMaterial: [UInt8](repeating: 7, count: 32))
        caller = Caller(
            EndpointTable.events(EventAPI(store: store))
                + EndpointTable.webhooks(WebhookAPI(store: store, policy: policy))
                + EndpointTable.segments(
                    SegmentsAPI(store: store, settings: APISettings(), shares: GatewayShares(APISettings())))
                + EndpointTable.devices(
                    SDKAPI(
                        store: store, schedules: store, topics: store, service: store, dismissUnfollows: true,
                        clock: WallTime.now)))
    }

    private func code(
        _ method: HTTPRequest.Method, _ path: String, _ body: String?, headers: [String: String] = [:]
    ) async throws -> String? {
        try await caller.ask(method, path, body, key: "good", headers: headers).code
    }

    @Test(
        "A query that is wrong is refused",
        arguments: [
            "/api/v1/events?limit=0", "/api/v1/events?limit=many", "/api/v1/events?after=x",
            "/api/v1/events?types=none", "\(webhook)/dead-letters?limit=0", "\(webhook)/dead-letters?cursor=-1",
            "/api/v1/segments?limit=0",
            "/api/v1/segments?cursor=a%20b", "/api/v1/segments/a%20b", "/api/v1/segments/%zz",
        ])
    func queries(_ path: String) async throws {
        #expect(try await code(.get, path, nil) == "VALIDATION_FAILED")
    }

    @Test("A body that is wrong is refused")
    func bodies() async throws {
        let wrong: [(HTTPRequest.Method, String, String, String)] = [
            (.put, "/api/v1/events/settings", #"{"stream":1}"#, "VALIDATION_FAILED"),
            (.put, "/api/v1/events/settings", #"{"other":true}"#, "VALIDATION_FAILED"),
            (.post, "/api/v1/webhooks", #"{"types":[]}"#, "VALIDATION_FAILED"),
            (.post, "/api/v1/webhooks", #"{"url":"ftp://hooks.example.com/"}"#, "VALIDATION_FAILED"),
            (.post, "/api/v1/webhooks", #"{"url":"https://127.0.0.1/"}"#, "VALIDATION_FAILED"),
            (.patch, Self.webhook, #"{"other":1}"#, "VALIDATION_FAILED"),
            (.patch, Self.webhook, #"{"enabled":"yes"}"#, "VALIDATION_FAILED"),
            (.put, "/api/v1/segments/vip", #"{"insider_ids":"ann"}"#, "VALIDATION_FAILED"),
            (.post, "/api/v1/segments/vip/users", #"{"insider_ids":[7]}"#, "VALIDATION_FAILED"),
            (.post, "/api/v1/sdk/dismissed", "{\(Self.device)}", "ACTIVITY_ID_REQUIRED"),
            (.post, "/api/v1/sdk/tap", "{\(Self.device)}", "VALIDATION_FAILED"),
            (.post, "/api/v1/sdk/tap", #"{\#(Self.device),"system_activity_id":"a","tap_id":""}"#, "VALIDATION_FAILED"),
            (.post, "/api/v1/sdk/schedule", "{\(Self.device)}", "ACTIVITY_TYPE_REQUIRED"),
            (.post, "/api/v1/sdk/schedule", #"{\#(Self.device),"activity_type":"T"}"#, "ACTIVITY_ID_REQUIRED"),
            (.post, "/api/v1/sdk/schedule/cancel", "{\(Self.device)}", "ACTIVITY_TYPE_REQUIRED"),
            (.post, "/api/v1/sdk/schedule/cancel", #"{\#(Self.device),"activity_type":"T"}"#, "ACTIVITY_ID_REQUIRED"),
            (.post, "/api/v1/sdk/tap", #"{\#(Self.device),"system_activity_id":7}"#, "VALIDATION_FAILED"),
        ]
        for (method, path, body, expected) in wrong {
            #expect(try await code(method, path, body) == expected, "\(method) \(path) \(body)")
        }
        let text = ["Content-Type": "text/plain"]
        #expect(try await code(.put, "/api/v1/segments/vip", "ann", headers: text) == "REQUEST_INVALID")
    }

    @Test("What can be no id is answered like what does not exist")
    func ids() async throws {
        for path in ["/api/v1/webhooks/word", "/api/v1/webhooks/word/dead-letters"] {
            #expect(try await code(.get, path, nil) == "NOT_FOUND", "\(path)")
        }
        let dismissed = #"{\#(Self.device),"activity_id":"word"}"#
        #expect(try await code(.post, "/api/v1/sdk/dismissed", dismissed) == "NOT_FOUND")
    }

    @Test("What is in order reaches the store")
    func right() async throws {
        let right: [(HTTPRequest.Method, String, String?)] = [
            (.get, "/api/v1/events?limit=5", nil),
            (.put, "/api/v1/events/settings", #"{"stream":true}"#),
            (.get, "/api/v1/webhooks", nil),
            (.post, "/api/v1/webhooks", #"{"url":"https://hooks.example.com/"}"#),
            (.patch, Self.webhook, #"{"enabled":true}"#),
            (.delete, Self.webhook, nil),
            (.get, "\(Self.webhook)/dead-letters?limit=5&cursor=7", nil),
            (.get, "/api/v1/segments?limit=5&cursor=a", nil),
            (.get, "/api/v1/segments/%76ip", nil),
            (.delete, "/api/v1/segments/vip", nil),
            (.put, "/api/v1/segments/vip", #"{"insider_ids":["ann"]}"#),
            (.post, "/api/v1/sdk/dismissed", #"{\#(Self.device),"system_activity_id":"one"}"#),
            (.post, "/api/v1/sdk/tap", #"{\#(Self.device),"system_activity_id":"one"}"#),
        ]
        for (method, path, body) in right {
            #expect(try await code(method, path, body) == "STORE_UNAVAILABLE", "\(method) \(path)")
        }
    }
}
