/// Host and port as a URL has them (RFC 3986, sections 3.2.2 and 3.2.3), and nothing before them: `example.com`,
/// `127.0.0.1:8080`, `[::1]:443`.
public struct Authority: Hashable, Sendable, CustomStringConvertible {
    /// A name or an address; what stood in brackets without them.
    public let host: String
    /// Nil when none is given.
    public let port: UInt16?
    /// Whether the host stood in brackets, as an address of version 6 has to.
    public let isBracketed: Bool

    /// Why a text is none.
    public enum Malformed: Error, Hashable, Sendable {
        /// A bracket is not closed, or something else than a port follows it.
        case bracket
        /// The host is empty.
        case host
        /// An address of version 6 stands without brackets, or there is more than one port.
        case colons
        /// The port is no number from 1 to 65535.
        case port
    }

    /// Takes a text apart. Which characters a host may have is for the caller to say.
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
    ///   - host: a name or an address, without brackets.
    ///   - port: nil for that of the scheme, which is not spelled out.
    public init(host: String, port: UInt16?) {
        self.host = host
        self.port = port
        isBracketed = host.contains(":")
    }

    /// As a URL has it: an address of version 6 in brackets.
    public var description: String {
        let name = isBracketed ? "[\(host)]" : host
        return port.map { "\(name):\($0)" } ?? name
    }
}
