import LiveActivity
public import TimeCore

/// What the token endpoint answered (RFC 6749, sections 5.1 and 5.2). The bytes come from outside and may be anything.
public enum AccessTokenAnswer: Hashable, Sendable {
    /// A token, of visible ASCII characters, and how long it is good from when it was asked for.
    case token(String, lifetime: TimeInterval)
    /// The service account or its key is not taken; the endpoint's own words, for people.
    case refused(String)
    /// Anything else: it may be well later. For people.
    case failed(String)

    /// Google's tokens have up to 2,048 bytes.
    static let longestToken = 4_096
    private static let longestText = 200
    /// The errors by which the account or its key is at fault.
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

    /// What of a text may stand in a line of the log: its printable ASCII characters, up to a length.
    private static func plain(_ text: String?) -> String {
        String(decoding: (text ?? "").utf8.filter { (0x20...0x7E).contains($0) }.prefix(longestText), as: UTF8.self)
    }
}
