public import Encodings

/// A header of HAProxy's PROXY protocol, version 1 or 2, at the beginning of a connection.
public struct ProxyHeader: Equatable, Sendable {
    /// The length of the header in bytes; the client's bytes follow.
    public let length: Int
    /// The client's address; nil for the proxy's own connection, or for a kind without addresses.
    public let client: IPAddress?

    init(length: Int, client: IPAddress?) {
        self.length = length
        self.client = client
    }

    /// The state of parsing a connection's first bytes.
    public enum Reading: Equatable, Sendable {
        /// The bytes may be the beginning of a header.
        case incomplete
        case complete(ProxyHeader)
        /// The bytes are not a header.
        case malformed
    }

    /// The maximum length of a header in bytes. Version 2 allows 65,551, of which addresses need 232. The rest are
    /// extensions that are ignored.
    public static let maximumLength = 4096

    /// Parses the first bytes of a connection, however they are fragmented.
    public static func read(_ bytes: some RandomAccessCollection<UInt8>) -> Reading {
        guard let first = bytes.first else { return .incomplete }
        switch first {
        case UInt8(ascii: "P"): return readVersion1(bytes)
        case signature[0]: return readVersion2(bytes)
        default: return .malformed
        }
    }

    // MARK: Version 1: a line of text

    /// Includes the end of the line.
    private static let longestLine = 107

    private static func readVersion1(_ bytes: some RandomAccessCollection<UInt8>) -> Reading {
        let start = bytes.prefix(longestLine)
        guard start.prefix(6).elementsEqual("PROXY ".utf8.prefix(start.count)) else { return .malformed }
        guard let end = start.firstIndex(of: 0x0A) else {
            return bytes.count < longestLine ? .incomplete : .malformed
        }
        let line = start[..<end]
        guard line.last == 0x0D else { return .malformed }
        let words = String(decoding: line.dropLast(), as: UTF8.self)
            .split(separator: " ", omittingEmptySubsequences: false)
        let length = line.count + 1
        guard words.count >= 2 else { return .malformed }
        // The rest of the line is ignored.
        if words[1] == "UNKNOWN" { return .complete(ProxyHeader(length: length, client: nil)) }
        guard words.count == 6, words[1] == "TCP4" || words[1] == "TCP6",
            let source = IPAddress(words[2]), let destination = IPAddress(words[3]),
            source.isVersion4 == (words[1] == "TCP4"), destination.isVersion4 == source.isVersion4,
            isPort(words[4]), isPort(words[5])
        else { return .malformed }
        return .complete(ProxyHeader(length: length, client: source.unmapped))
    }

    private static func isPort(_ text: Substring) -> Bool {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text == "0" || text.first != "0", let number = Int(text)
        else { return false }
        return number <= 65_535
    }

    // MARK: Version 2: bytes

    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    private static let fixedLength = 16
    /// Version 2, command LOCAL.
    private static let local: UInt8 = 0x20

    private static func readVersion2(_ bytes: some RandomAccessCollection<UInt8>) -> Reading {
        guard bytes.prefix(signature.count).elementsEqual(signature.prefix(bytes.count)) else { return .malformed }
        let fixed = Array(bytes.prefix(fixedLength))
        if fixed.count > 12, !isCommand(fixed[12]) { return .malformed }
        if fixed.count > 13, fixed[12] != local, !isFamily(fixed[13]) { return .malformed }
        guard fixed.count == fixedLength else { return .incomplete }
        let rest = Int(fixed[14]) << 8 | Int(fixed[15])
        let isLocal = fixed[12] == local
        guard fixedLength + rest <= maximumLength, isLocal || rest >= addressLength(fixed[13]) else {
            return .malformed
        }
        guard bytes.count >= fixedLength + rest else { return .incomplete }
        let count = sourceLength(fixed[13])
        let source = isLocal ? nil : IPAddress(bytes: Array(bytes.dropFirst(fixedLength).prefix(count)))
        return .complete(ProxyHeader(length: fixedLength + rest, client: source?.unmapped))
    }

    /// True for version 2 with the command LOCAL or PROXY.
    private static func isCommand(_ byte: UInt8) -> Bool { byte == local || byte == 0x21 }

    /// True for unspecified, or for a stream or datagrams over IPv4, IPv6 or a local socket.
    private static func isFamily(_ byte: UInt8) -> Bool { byte >> 4 <= 3 && byte & 0xF <= 2 }

    /// The length of both addresses with their ports, in bytes.
    private static func addressLength(_ family: UInt8) -> Int {
        switch family >> 4 {
        case 1: 12
        case 2: 36
        case 3: 216
        default: 0
        }
    }

    /// The length of the source's address, which comes first. It is 0 for a kind other than a stream over IP.
    private static func sourceLength(_ family: UInt8) -> Int {
        switch family {
        case 0x11: 4
        case 0x21: 16
        default: 0
        }
    }
}
