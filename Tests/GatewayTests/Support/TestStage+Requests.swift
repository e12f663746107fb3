import Gateway
import GatewayStore
import LiveActivity
import Testing

// Requests that tests of many features send.
extension TestStage {
    /// Sends a customer's request to a path under `/api/v1/`.
    func customer(
        _ method: String, _ path: String, _ body: String? = nil, key: String? = nil, gateway: Int = 0
    ) async throws -> Answer {
        var headers = ["X-Api-Key": key ?? tenant.apiKey]
        if body != nil { headers["Content-Type"] = "application/json" }
        return try await send(method, "/api/v1/\(path)", body, headers: headers, gateway: gateway)
    }

    /// Reads a whole path as a customer.
    func read(_ location: String, key: String? = nil, gateway: Int = 0) async throws -> Answer {
        try await send("GET", location, nil, headers: ["X-Api-Key": key ?? tenant.apiKey], gateway: gateway)
    }

    /// Reads the readiness of a gateway.
    ///
    /// - Parameter gateway: Pass nil for the first gateway of the stage.
    func ready(_ gateway: Gateway? = nil) async throws -> Answer {
        try await send("GET", "/health/ready", nil, headers: [:], port: gateway?.port)
    }

    /// Reads the state of an activity.
    func status(_ id: String, gateway: Int = 0) async throws -> Answer {
        try await read("/api/v1/live-activity/\(id)", gateway: gateway)
    }

    /// Reports a Live Activity under the name that the system gave it.
    func sync(_ number: Int, _ id: String, named name: String, token: [UInt8]? = nil) async throws {
        let body = TestStage.syncBody(number, #""activity_id":"\#(id)","system_activity_id":"\#(name)""#, token: token)
        let answer = try await report("POST", "sync", body)
        try #require(answer.status == 200, "\(answer.text)")
    }

    /// Reports that a Live Activity is shown, without a token.
    func shown(_ number: Int, _ id: String) async throws -> Answer {
        let body = #"{\#(TestStage.key(number).fields),"activity_id":"\#(id)"}"#
        return try await report("POST", "sync", body)
    }

    /// Reports a dismissal.
    ///
    /// - Parameter reference: `"activity_id":"…"` or `"system_activity_id":"…"`.
    func dismiss(_ number: Int, _ reference: String) async throws -> Answer {
        try await report("POST", "dismissed", "{\(TestStage.key(number).fields),\(reference)}")
    }
}

extension TestStage.Answer {
    /// Returns the elements of a member; none if it is missing.
    func elements(_ name: String) -> [JSONValue] { self[name].map { Array($0.elements) } ?? [] }

    /// Returns the names of the elements of a member.
    func names(_ list: String) -> [String] { elements(list).compactMap { $0.text("name") } }

    /// Returns the element with this name; nil if there is none.
    func element(_ list: String, named name: String) -> JSONValue? {
        elements(list).first { $0.text("name") == name }
    }

    /// Returns the devices and the accepted pushes of a cohort.
    func cohort(_ name: String) -> [Int64?] {
        [self["cohorts", name, "devices"]?.int64, self["cohorts", name, "accepted"]?.int64]
    }
}

extension JSONValue {
    /// The value as spelled in its document.
    var text: String { String(decoding: slice, as: UTF8.self) }

    /// Returns the string of a member; nil if there is none.
    func text(_ name: String) -> String? { (try? member(name)?.string).flatMap { $0 } }
}
