import Gateway
import GatewayAPI
import HTTPTypes
import LiveActivity
import Testing

/// Identifiers of a tenant's data, for requests.
struct NamedThings {
    var activity: String
    var broadcast: String
    var webhook: String
    var segment: String
    var topic: String
    /// The system's id of the Live Activity of device 0.
    var liveActivity: String

    /// Identifiers that no tenant has.
    static let unknown = NamedThings(
        activity: "6e1f6a0e-98f1-4c5e-9d0c-4a8e0d6f0001", broadcast: "6e1f6a0e-98f1-4c5e-9d0c-4a8e0d6f0002",
        webhook: "6e1f6a0e-98f1-4c5e-9d0c-4a8e0d6f0003", segment: "none-such", topic: "no-match",
        liveActivity: "NO-CARD")
}

/// A request to any endpoint of the table, so that tests also cover future endpoints.
struct EndpointRequest {
    let endpoint: Endpoint
    let path: String
    let body: String?

    /// Creates a valid request with these identifiers.
    init(_ endpoint: Endpoint, naming things: NamedThings) {
        self.endpoint = endpoint
        var path = endpoint.path
        let names = [
            "activity_id": things.activity, "broadcast_id": things.broadcast, "webhook_id": things.webhook,
            "name": things.segment, "topic": things.topic,
            // Every tenant may have users of these names.
            "insider_id": TestStage.key(0).insiderID, "udid": TestStage.key(0).udid,
        ]
        for (name, value) in names { path = path.replacing("{\(name)}", with: value) }
        if path.contains("{") { Issue.record("give NamedThings what the parameters of \(endpoint.path) stand for") }
        let key = TestStage.key(0)
        let isDevices = endpoint.credential == .sdkKey
        var query = isDevices ? "insider_id=\(key.insiderID)&udid=\(key.udid)" : ""
        if endpoint.fields.query.contains("activity_id") { query = "activity_id=\(things.activity)" }
        self.path = endpoint.method == .get && !query.isEmpty ? "\(path)?\(query)" : path
        // Endpoints for devices ignore unknown fields.
        let known = endpoint.body == .upload ? ["insider_ids"] : endpoint.fields.body
        body = endpoint.body == .none ? nil : EndpointRequest.body(things, isDevices ? nil : Set(known))
    }

    /// Creates a request with another body, if the endpoint reads one.
    init(_ endpoint: Endpoint, body: String) {
        let named = EndpointRequest(endpoint, naming: .unknown)
        self.endpoint = endpoint
        path = named.path
        self.body = named.body == nil ? nil : body
    }

    /// Returns the fields that endpoints require.
    /// - Parameter known: The fields of a customer's endpoint; nil for a device's.
    private static func body(_ things: NamedThings, _ known: Set<String>?) -> String {
        let key = TestStage.key(0)
        var fields = [
            "activity_id": "\"\(things.activity)\"", "activity_type": "\"\(TestStage.type)\"",
            "insider_ids": "[\"\(key.insiderID)\"]", "content": TestStage.content, "devices": #""unsent""#,
            "event": #""end""#, "state": #""upcoming""#, "deliver_at": "\"\(TestStage.endsAt(600))\"",
            "enabled": "true", "all": "true", "ends_at": "\"\(TestStage.endsAt())\"", "stream": "false",
            "url": #""https://hooks.example.com/""#,
        ]
        if known == nil {
            let device = [
                "insider_id": "\"\(key.insiderID)\"", "udid": "\"\(key.udid)\"", "external_id": #""none""#,
                "offset": "600", "content_state": "{}", "token": "\"\(TestStage.hex(TestStage.updateToken(0)))\"",
                "system_activity_id": "\"\(things.liveActivity)\"", "platform": #""ios""#, "os_version": #""18.1""#,
                "push_opt_in": "true", "gdpr_consent": "true", "environment": #""production""#,
            ]
            fields.merge(device) { $1 }
        }
        let members = fields.filter { known?.contains($0.key) != false }.map { "\"\($0.key)\":\($0.value)" }
        return "{\(members.sorted().joined(separator: ","))}"
    }

    /// The method and the path's template.
    var name: String { "\(endpoint.method) \(endpoint.path)" }
}

extension TestStage {
    /// Returns the first gateway's endpoints for a kind of key.
    func endpoints(_ credential: Endpoint.Credential) -> [Endpoint] {
        gateways[0].endpoints.endpoints.filter { $0.credential == credential }
    }

    /// - Parameter key: A key of the endpoint's kind.
    func send(_ request: EndpointRequest, key: String) async throws -> Answer {
        var headers = [request.endpoint.credential == .sdkKey ? "X-Sdk-Key" : "X-Api-Key": key]
        if request.body != nil { headers["Content-Type"] = "application/json" }
        return try await send(request.endpoint.method.rawValue, request.path, request.body, headers: headers)
    }
}
