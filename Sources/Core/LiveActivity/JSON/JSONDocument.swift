/// A text that is JSON by RFC 8259, and the byte range of every value in it. Nothing is decoded until it is asked
/// for, so a value can be passed on byte for byte.
///
/// Strict: valid UTF-8, no control characters in strings, no lone surrogates in escapes, nothing but white space after
/// the value. A byte order mark in front is passed over (RFC 8259, section 8.1). An object may have a member twice
/// unless the member is asked for.
public struct JSONDocument: Sendable {
    /// The text as it came.
    public let bytes: [UInt8]
    /// Every value in the order of the text, the root first.
    let nodes: [JSONNode]

    /// The longest text that is read, in bytes.
    public static let maximumLength = 1 << 31

    /// The usual limit of the depth. The signature of a report is checked within it as well.
    public static let maximumDepth = 64

    /// Checks the whole text in one pass, in time and memory proportional to its length, without recursion.
    ///
    /// - Parameter maximumDepth: how many objects and arrays may be open inside one another.
    public init(parsing bytes: [UInt8], maximumDepth: Int = Self.maximumDepth) throws(JSONSyntaxError) {
        try self.init(parsing: bytes, maximumDepth: maximumDepth, maximumLength: Self.maximumLength)
    }

    package init(parsing bytes: [UInt8], maximumDepth: Int, maximumLength: Int) throws(JSONSyntaxError) {
        guard bytes.count <= maximumLength else {
            throw JSONSyntaxError(offset: maximumLength, reason: .tooLong(maximum: maximumLength))
        }
        var scanner = JSONScanner(length: bytes.count, maximumDepth: maximumDepth)
        try scanner.scan(bytes.span)
        self.bytes = bytes
        self.nodes = scanner.nodes
    }

    /// Checks the whole text, and keeps only the outermost value and some of its members, without their contents. The
    /// memory needed does not grow with the text. A caller that may refuse a text because of one of these members uses
    /// this first.
    ///
    /// - Parameter names: The names of the members that are kept.
    public init(parsing bytes: [UInt8], members names: [String]) throws(JSONSyntaxError) {
        guard bytes.count <= Self.maximumLength else {
            throw JSONSyntaxError(offset: Self.maximumLength, reason: .tooLong(maximum: Self.maximumLength))
        }
        var scanner = JSONMemberScanner(names: names)
        try scanner.scan(bytes.span)
        self.bytes = bytes
        self.nodes = scanner.nodes
    }

    /// The outermost value.
    public var root: JSONValue { JSONValue(document: self, index: 0) }
}
