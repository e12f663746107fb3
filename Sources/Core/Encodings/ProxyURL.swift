/// The address of an HTTP proxy: `http://[user:password@]host:port`.
public struct ProxyURL: Hashable, Sendable, CustomStringConvertible {
    /// A name, or an address in numbers (IPv6 without brackets).
    public let host: String
    /// From 1 to 65535.
    public let port: UInt16
    /// User and password in Base64 for `Proxy-Authorization: Basic` (RFC 7617); nil without a user. A secret.
    public let credentials: String?

    /// The error in a malformed URL. No case contains a part of the text.
    public enum Malformed: Error, Hashable, Sendable {
        /// The URL does not begin with `http://`.
        case scheme
        /// User and password are not percent-encoded text with a colon between them.
        case credentials
        /// The host is missing or malformed.
        case host
        /// The port is missing or not a number from 1 to 65535.
        case port
        /// Text follows the port.
        case rest
    }

    /// Parses a URL. User and password may be percent-encoded.
    public init(_ text: String) throws(Malformed) {
        let scheme = "http://"
        guard text.lowercased().hasPrefix(scheme) else { throw .scheme }
        var rest = text.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        // A password may contain an unencoded `@`.
        if let at = rest.lastIndex(of: "@") {
            credentials = try ProxyURL.credentials(rest[..<at])
            rest = rest[rest.index(after: at)...]
        } else {
            credentials = nil
        }
        guard !rest.contains(where: { "/?#".contains($0) }) else { throw .rest }
        let authority: Authority
        do { authority = try Authority(rest) } catch { throw error == .port ? .port : .host }
        guard authority.host.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .host }
        guard let port = authority.port else { throw .port }
        (host, self.port) = (authority.host, port)
    }

    private static func credentials(_ text: Substring) throws(Malformed) -> String {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex,
            let user = PercentEncoding.decode(text[..<colon].utf8),
            let password = PercentEncoding.decode(text[text.index(after: colon)...].utf8),
            // RFC 7617, section 2: a colon ends the user, and no control character may be in either.
            !user.contains(0x3A), (user + password).allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw .credentials }
        return Base64.encode(user + [0x3A] + password)
    }

    /// Host and port, without the credentials.
    public var description: String { Authority(host: host, port: port).description }
}
