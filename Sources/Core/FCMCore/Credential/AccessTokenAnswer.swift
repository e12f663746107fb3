import LiveActivity
public import TimeCore

/// The token endpoint's answer (RFC 6749, sections 5.1 and 5.2). The input is untrusted.
public enum AccessTokenAnswer: Hashable, Sendable {
    /// A token of visible ASCII characters, with its lifetime counted from the request.
    case token(String, lifetime: TimeInterval)
    /// The service account or its key is refused. The text is the endpoint's own, for people.
    case refused(String)
    /// Any other answer; a retry may succeed. The text is for people.
    case failed(String)

    /// Google's tokens have up to 2,048 bytes.
    static let longestToken = 4_096
    private static let longestText = 200
    /// The errors that blame the account or its key.
    private static let refusals: Set = ["invalid_grant", "invalid_client", "unauthorized_client", "invalid_scope"]

    /// Never fails.
    public init(status: UInt16, body: [UInt8]) {
        let root = try? JSONDocument(parsing: body).root
        let member = { (name: String) in try? root?.member(name) }
        if (200..<300).contains(status) {
            self =
                Self.token(member("access_token")?.string, member("expires_in")?.int64, member("token_type")?.string)
                ?? .failed("the answer has no token")
            return
        }
        let error = Self.plain(member("error")?.string)
        let words = [error, Self.plain(member("error_description")?.string)].filter { !$0.isEmpty }
        let text = (["status \(status)"] + words).joined(separator: ", ")
        let isRefused = status == 401 || status == 403 || (status == 400 && Self.refusals.contains(error))
        self = isRefused ? .refused(text) : .failed(text)
    }

    private static func token(_ text: String?, _ seconds: Int64?, _ type: String?) -> AccessTokenAnswer? {
        guard let text, let seconds, seconds > 0, type?.lowercased() == "bearer",
            (1...longestToken).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return .token(text, lifetime: .seconds(Int(clamping: seconds)))
    }

    /// The printable ASCII characters of a text, up to a maximum length, for the log.
    private static func plain(_ text: String?) -> String {
        String(decoding: (text ?? "").utf8.filter { (0x20...0x7E).contains($0) }.prefix(longestText), as: UTF8.self)
    }
}
