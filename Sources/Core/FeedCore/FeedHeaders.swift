/// The header fields of each request to a feed, from a file. They usually contain a credential, so the description
/// omits values.
public struct FeedHeaders: Equatable, Sendable, CustomStringConvertible {
    /// A header field. The value is without surrounding space.
    public struct Field: Equatable, Sendable {
        /// In the file's spelling.
        public let name: String
        /// Usually a secret.
        public let value: String
    }

    /// In the order of the file; names may repeat.
    public let fields: [Field]

    /// No fields.
    public init() { fields = [] }

    /// The reason why a file is unusable: a sentence without values.
    public struct Invalid: Error, Equatable, Sendable, CustomStringConvertible {
        public let description: String

        /// - Parameter description: The sentence.
        public init(_ description: String) { self.description = description }
    }

    /// Parses lines of `Name: value`. Empty lines and lines that begin with `#` are ignored.
    public init(file bytes: [UInt8]) throws(Invalid) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Invalid("the file is not UTF-8 text")
        }
        var fields: [Field] = []
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
            guard fields.count < Self.most else { throw Invalid("the file has more than \(Self.most) lines") }
            fields.append(try Self.field(line, number: index + 1))
        }
        self.fields = fields
    }

    private static let most = 32

    /// Names that the gateway or HTTP sets.
    private static let own: Set = [
        "accept-encoding", "connection", "content-length", "expect", "host", "if-modified-since", "if-none-match",
        "keep-alive", "range", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    private static func field(_ line: Substring, number: Int) throws(Invalid) -> Field {
        guard let colon = line.firstIndex(of: ":") else { throw Invalid("line \(number) has no colon") }
        let name = line[..<colon]
        guard !name.isEmpty, name.utf8.allSatisfy(isToken) else {
            throw Invalid("line \(number) does not start with the name of a header field")
        }
        guard !own.contains(name.lowercased()) else {
            throw Invalid("line \(number): the field \(name) is not allowed")
        }
        let value = line[colon...].dropFirst().drop { $0 == " " || $0 == "\t" }
        let end = value.lastIndex { $0 != " " && $0 != "\t" }.map(value.index(after:)) ?? value.startIndex
        let trimmed = value[..<end]
        guard !trimmed.isEmpty, trimmed.utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 }) else {
            throw Invalid("line \(number): the value of \(name) is empty, or not ASCII")
        }
        return Field(name: String(name), value: String(trimmed))
    }

    /// True for a token character of RFC 9110, section 5.6.2.
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// The names only.
    public var description: String { fields.map(\.name).joined(separator: ", ") }
}
