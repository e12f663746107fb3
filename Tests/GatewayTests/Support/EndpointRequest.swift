import Gateway
import GatewayAPI
import HTTPTypes
import LiveActivity
import Testing

/// What a tenant has, by the names that requests call it.
struct NamedThings {
    var activity: String
    var broadcast: String
    var webhook: String
    var segment: String
    var topic: String
    /// What iOS calls the Live Activity of device 0.
    var liveActivity: String

    /// What nobody has.
    static let unknown = NamedThings(
        activity: "6e1f6a0e-98f1-4c5e-9d0c-4a8e0d6f0001", broadcast: "6e1f6a0e-98f1-4c5e-9d0c-4a8e0d6f0002",
        webhook: "6e1f6a0e-98f1-4c5e-9d0c-4a8e0d6f0003", segment: "none-such", topic: "no-match",
        liveActivity: "NO-CARD")
}

/// A request to any endpoint of the table, so that a test can walk them all, those to come among them.
struct EndpointRequest {
    let endpoint: Endpoint
    let path: String
    let body: String?

    /// A request that is in order, but for what it names.
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
        // Those of devices pass over what they do not know.
        let known = endpoint.body == .upload ? ["insider_ids"] : endpoint.fields.body
        body = endpoint.body == .none ? nil : EndpointRequest.body(things, isDevices ? nil : Set(known))
    }

    /// The same with another body, where the endpoint reads any.
    init(_ endpoint: Endpoint, body: String) {
        let named = EndpointRequest(endpoint, naming: .unknown)
        self.endpoint = endpoint
        path = named.path
        self.body = named.body == nil ? nil : body
    }

    /// Every field that some endpoint needs.
    /// - Parameter known: those of a customer's endpoint; nil for a device's.
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

    /// Method and path, as the table has them.
    var name: String { "\(endpoint.method) \(endpoint.path)" }
}

extension TestStage {
    /// All that the first gateway answers and that a key of this kind opens.
    func endpoints(_ credential: Endpoint.Credential) -> [Endpoint] {
        gateways[0].endpoints.endpoints.filter { $0.credential == credential }
    }

    /// - Parameter key: of the kind that the endpoint needs.
    func send(_ request: EndpointRequest, key: String) async throws -> Answer {
        var headers = [request.endpoint.credential == .sdkKey ? "X-Sdk-Key" : "X-Api-Key": key]
        if request.body != nil { headers["Content-Type"] = "application/json" }
        return try await send(request.endpoint.method.rawValue, request.path, request.body, headers: headers)
    }
}
