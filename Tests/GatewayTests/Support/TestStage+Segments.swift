import GatewayStore
import LiveActivity
import Testing

extension TestStage {
    /// Sends a request about segments, as in `segment("PUT", "vip", "a\nb\n")`.
    func segment(
        _ method: String, _ path: String, _ body: String? = nil, type: String? = "text/csv",
        headers: [String: String] = [:], gateway: Int = 0
    ) async throws -> Answer {
        var own = ["X-Api-Key": tenant.apiKey]
        if body != nil { own["Content-Type"] = type }
        let path = path.isEmpty || path.hasPrefix("?") ? path : "/\(path)"
        return try await send(
            method, "/api/v1/segments\(path)", body, headers: own.merging(headers) { $1 }, gateway: gateway)
    }

    /// Returns the number of users of a segment; nil if it does not exist.
    func users(_ name: String) async throws -> Int? {
        let answer = try await segment("GET", name)
        try #require(answer.status == 200 || answer.code == "NOT_FOUND", "\(answer.text)")
        return answer["users"]?.int64.map { Int($0) }
    }

    static func csv(_ range: Range<Int>) -> String {
        range.map { key($0).insiderID }.joined(separator: "\n") + "\n"
    }

    static func segmentBody(_ name: String) -> String {
        #"{"activity_type":"\#(type)","segment":"\#(name)","ends_at":"\#(endsAt())"}"#
    }
}
