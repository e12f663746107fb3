import GatewayStore
import LiveActivity
import Testing

extension TestStage {
    /// Returns the fields with which a customer names an activity that devices opened.
    static func external(_ externalID: String, of user: Int? = nil) -> String {
        let owner = user.map { #","insider_id":"\#(key($0).insiderID)""# } ?? ""
        return #""activity_type":"\#(type)","external_id":"\#(externalID)"\#(owner)"#
    }

    /// Returns the body of a device's request about an activity that its app has opened.
    static func appBody(
        _ number: Int, _ externalID: String = "chest", scope: String? = nil, more: String = "", udid: String? = nil
    ) -> String {
        let key = key(number)
        let scope = scope.map { #","external_scope":"\#($0)""# } ?? ""
        return """
            {"insider_id":"\(key.insiderID)","udid":"\(udid ?? key.udid)",\(external(externalID))\(scope)\
            \(more.isEmpty ? "" : ",\(more)")}
            """
    }

    /// Reports a Live Activity that a device's app has opened.
    func open(
        _ number: Int, _ externalID: String, scope: String? = nil, token: [UInt8]? = nil, gateway: Int = 0
    ) async throws -> Answer {
        let scope = scope.map { #","external_scope":"\#($0)""# } ?? ""
        let token = token ?? updateToken(number, scope + externalID)
        let body = TestStage.syncBody(number, TestStage.external(externalID) + scope, token: token)
        return try await report("POST", "sync", body, gateway: gateway)
    }

    /// Reports a Live Activity that a device's app has opened. Returns the activity's id.
    func opened(
        _ number: Int, _ externalID: String, scope: String? = nil, token: [UInt8]? = nil, gateway: Int = 0
    ) async throws -> String {
        let answer = try await open(number, externalID, scope: scope, token: token, gateway: gateway)
        try #require(answer.status == 200, "\(answer.text)")
        return try #require(answer["activity_id"]?.string)
    }

    /// Returns the ids in a listing of activities.
    func listed(_ query: String) async throws -> [String] {
        let answer = try await read("/api/v1/live-activity\(query)")
        try #require(answer.status == 200, "\(answer.text)")
        return answer.elements("activities").map { $0.text("activity_id") ?? "" }
    }
}
