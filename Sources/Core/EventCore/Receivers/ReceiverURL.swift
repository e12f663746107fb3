public import Encodings

/// The address that a customer gives for a webhook, taken apart. Only spellings that every program reads alike are
/// taken.
public struct ReceiverURL: Equatable, Sendable {
    /// Whether it is `https`.
    public let isSecure: Bool
    /// A name in lower case, or an address without brackets.
    public let host: String
    /// That of the scheme where none is given.
    public let port: Int
    /// Path and query, at least `/`.
    public let target: String
    /// Set when the host is an address.
    public let address: IPAddress?

    /// The longest text that is taken, in bytes.
    public static let maximumLength = 2048

    /// Why a text is not taken, for people.
    public struct Refusal: Error, Equatable, Sendable {
        /// What is wrong with it, as the end of a sentence.
        public let reason: String

        /// - Parameter reason: what is wrong, as the end of a sentence.
        public init(_ reason: String) { self.reason = reason }
    }

    /// - Parameter allowsPlainHTTP: whether `http` is fine besides `https`.
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

    /// As the `Host` header field spells it.
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
        // Below 1024 there is only the web: mail and other services understand parts of a request.
        guard port == 443 || port == 80 || port >= 1024 else {
            throw Refusal("has a port that is reserved for another service")
        }
        return port
    }

    /// A name of letters, digits and hyphens that no program takes for a number.
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
        // 0x7f.1, 2130706433, 127.1: what inet_aton reads as an address ends in a number.
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
