/// The host and port of a URL (RFC 3986, sections 3.2.2 and 3.2.3): `example.com`, `127.0.0.1:8080`, `[::1]:443`.
public struct Authority: Hashable, Sendable, CustomStringConvertible {
    /// A name or an address, without brackets.
    public let host: String
    /// Nil if the text has no port.
    public let port: UInt16?
    /// True if the host was in brackets, as an IPv6 address must be.
    public let isBracketed: Bool

    /// The error in a malformed text.
    public enum Malformed: Error, Hashable, Sendable {
        /// A bracket is not closed, or the text after it is not a port.
        case bracket
        /// The host is empty.
        case host
        /// An IPv6 address lacks brackets, or the text has more than one port.
        case colons
        /// The port is not a number from 1 to 65535.
        case port
    }

    /// Splits a text into host and port. The caller validates the host's characters.
    public init(_ text: some StringProtocol) throws(Malformed) {
        var rest = Substring(text)
        isBracketed = rest.hasPrefix("[")
        if isBracketed {
            guard let end = rest.firstIndex(of: "]") else { throw .bracket }
            host = String(rest[..<end].dropFirst())
            rest = rest[end...].dropFirst()
            guard rest.isEmpty || rest.hasPrefix(":") else { throw .bracket }
        } else {
            host = String(rest.prefix { $0 != ":" })
            rest = rest.dropFirst(host.count)
        }
        guard !host.isEmpty else { throw .host }
        if rest.isEmpty {
            port = nil
            return
        }
        let digits = rest.dropFirst()
        guard !digits.contains(":") else { throw .colons }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(digits),
            number > 0
        else { throw .port }
        port = number
    }

    /// - Parameters:
    ///   - host: A name or an address, without brackets.
    ///   - port: Nil for the scheme's default port, which is omitted.
    public init(host: String, port: UInt16?) {
        self.host = host
        self.port = port
        isBracketed = host.contains(":")
    }

    /// The form in a URL: an IPv6 address in brackets.
    public var description: String {
        let name = isBracketed ? "[\(host)]" : host
        return port.map { "\(name):\($0)" } ?? name
    }
}
