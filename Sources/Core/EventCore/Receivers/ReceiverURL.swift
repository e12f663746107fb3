public import Encodings

/// The parsed URL of a webhook. Only spellings that all programs parse alike are accepted.
public struct ReceiverURL: Equatable, Sendable {
    /// True for `https`.
    public let isSecure: Bool
    /// A name in lower case, or an address without brackets.
    public let host: String
    /// The scheme's default if the URL has none.
    public let port: Int
    /// Path and query, at least `/`.
    public let target: String
    /// The address if the host is one, otherwise nil.
    public let address: IPAddress?

    /// The maximum length in bytes.
    public static let maximumLength = 2048

    /// The reason for refusing a URL, for people.
    public struct Refusal: Error, Equatable, Sendable {
        /// The error, as the end of a sentence.
        public let reason: String

        /// - Parameter reason: The error, as the end of a sentence.
        public init(_ reason: String) { self.reason = reason }
    }

    /// - Parameter allowsPlainHTTP: True if `http` is allowed besides `https`.
    public init(_ text: String, allowsPlainHTTP: Bool = false) throws(Refusal) {
        guard text.utf8.count <= ReceiverURL.maximumLength else {
            throw Refusal("longer than \(ReceiverURL.maximumLength) bytes")
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.contains("\\"), !text.contains("\"") else {
            throw Refusal("has characters that must be escaped")
        }
        guard let colon = text.firstRange(of: "://") else { throw Refusal("has no scheme") }
        switch text[..<colon.lowerBound].lowercased() {
        case "https": isSecure = true
        case "http":
            guard allowsPlainHTTP else { throw Refusal("must begin with https://") }
            isSecure = false
        default: throw Refusal("must begin with https://")
        }
        let rest = text[colon.upperBound...]
        guard !rest.contains("#") else { throw Refusal("has a fragment") }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = rest[..<end]
        guard !authority.contains("@") else { throw Refusal("has user information") }
        let (host, portNumber) = try ReceiverURL.split(authority)
        port = try ReceiverURL.port(portNumber, isSecure)
        let path = rest[end...]
        target = path.hasPrefix("/") ? String(path) : "/" + path
        if let address = host.address {
            self.host = host.text
            self.address = address
        } else {
            self.host = try ReceiverURL.name(host.text)
            address = nil
        }
    }

    /// The form in the `Host` header field.
    public var authority: String {
        Authority(host: host, port: port == (isSecure ? 443 : 80) ? nil : UInt16(clamping: port)).description
    }

    private static func split(
        _ authority: Substring
    ) throws(Refusal) -> (host: (text: String, address: IPAddress?), port: UInt16?) {
        let parts: Authority
        do {
            parts = try Authority(authority)
        } catch {
            throw Refusal(fault(error))
        }
        let text = parts.host.lowercased()
        let address = IPAddress(text)
        guard !parts.isBracketed || address?.isVersion4 == false else { throw Refusal(fault(.bracket)) }
        return ((text, address), parts.port)
    }

    private static func fault(_ malformed: Authority.Malformed) -> String {
        switch malformed {
        case .bracket: "has a malformed address"
        case .host: "has no host"
        case .colons, .port: "has an invalid port"
        }
    }

    private static func port(_ given: UInt16?, _ isSecure: Bool) throws(Refusal) -> Int {
        guard let port = given.map({ Int($0) }) else { return isSecure ? 443 : 80 }
        // Other services below port 1024, for example mail, would interpret parts of a request.
        guard port == 443 || port == 80 || port >= 1024 else {
            throw Refusal("has a port that is reserved for another service")
        }
        return port
    }

    /// Validates a name of letters, digits, hyphens and underscores that no program parses as a number.
    private static func name(_ text: String) throws(Refusal) -> String {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 253, let last = labels.last, !last.isEmpty else {
            throw Refusal("has an invalid host")
        }
        for label in labels {
            guard (1...63).contains(label.utf8.count), !label.hasPrefix("-"), !label.hasSuffix("-"),
                label.utf8.allSatisfy(isNameCharacter)
            else { throw Refusal("has an invalid host") }
        }
        // inet_aton parses names with a numeric end as addresses: 0x7f.1, 2130706433, 127.1.
        guard !last.utf8.allSatisfy({ (0x30...0x39).contains($0) }), !last.hasPrefix("0x") else {
            throw Refusal("has a number instead of a host")
        }
        guard last != "localhost" else { throw Refusal("names this machine") }
        return text
    }

    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x5F
    }
}
