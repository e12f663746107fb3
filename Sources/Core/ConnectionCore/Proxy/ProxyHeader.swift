public import Encodings

/// What a proxy says at the beginning of a connection about whom it is for: HAProxy's PROXY protocol, versions 1 and 2.
public struct ProxyHeader: Equatable, Sendable {
    /// How many bytes it takes; what follows is the client's.
    public let length: Int
    /// Whose connection it is; nil when it is the proxy's own, or of a kind that has no address.
    public let client: IPAddress?

    init(length: Int, client: IPAddress?) {
        self.length = length
        self.client = client
    }

    /// What the first bytes of a connection are.
    public enum Reading: Equatable, Sendable {
        /// So far they may become a header.
        case incomplete
        case complete(ProxyHeader)
        /// They are none, and never become one.
        case malformed
    }

    /// The longest header that is taken, in bytes. Version 2 allows 65,551, of which addresses take 232: the rest are
    /// notes that nobody reads here.
    public static let maximumLength = 4096

    /// Reads the first bytes of a connection, as many as there are. It does not matter how they were cut.
    public static func read(_ bytes: some RandomAccessCollection<UInt8>) -> Reading {
        guard let first = bytes.first else { return .incomplete }
        switch first {
        case UInt8(ascii: "P"): return readVersion1(bytes)
        case signature[0]: return readVersion2(bytes)
        default: return .malformed
        }
    }

    // MARK: Version 1: a line of text

    /// With the line's end.
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
        // What follows is to be passed over.
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
    /// Version 2; the proxy speaks for itself.
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

    /// Version 2, and LOCAL (the proxy speaks for itself) or PROXY.
    private static func isCommand(_ byte: UInt8) -> Bool { byte == local || byte == 0x21 }

    /// Unspecified, or a stream or datagrams over version 4, version 6 or a local socket.
    private static func isFamily(_ byte: UInt8) -> Bool { byte >> 4 <= 3 && byte & 0xF <= 2 }

    /// What both addresses take, with their ports.
    private static func addressLength(_ family: UInt8) -> Int {
        switch family >> 4 {
        case 1: 12
        case 2: 36
        case 3: 216
        default: 0
        }
    }

    /// The source's address comes first; nil is made of any other number than 4 or 16. What is not a stream has no
    /// client here.
    private static func sourceLength(_ family: UInt8) -> Int {
        switch family {
        case 0x11: 4
        case 0x21: 16
        default: 0
        }
    }
}
