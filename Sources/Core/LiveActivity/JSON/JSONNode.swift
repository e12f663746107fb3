/// The position of one value in the text. Nodes are in the order of the text. An object's children are alternating
/// names and values, so the first child of node `i` is node `i + 1`.
struct JSONNode: Sendable {
    /// The offset of the value's first byte.
    let start: UInt32
    /// The offset after the value's last byte.
    var end: UInt32
    /// The index after the last descendant, which is the next sibling's index, if any. While the scanner has the
    /// container open, the index of the enclosing container.
    var next: UInt32
    /// From the lowest bit: three bits of kind, one bit for escapes in a string, 28 bits of child count.
    private var details: UInt32

    init(_ kind: JSONValue.Kind, start: Int, end: Int, next: Int, hasEscapes: Bool = false) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.end = UInt32(truncatingIfNeeded: end)
        self.next = UInt32(truncatingIfNeeded: next)
        details = UInt32(kind.rawValue) | (hasEscapes ? Self.escapesBit : 0)
    }

    private static let kindBits: UInt32 = 0b111
    private static let escapesBit: UInt32 = 0b1000
    private static let oneChild: UInt32 = 0b1_0000

    /// The maximum count that a node can hold. It also represents all higher counts.
    static let countLimit = Int(UInt32.max / oneChild)

    var kind: JSONValue.Kind {
        JSONValue.Kind(rawValue: UInt8(truncatingIfNeeded: details & Self.kindBits)) ?? .null
    }

    var hasEscapes: Bool { details & Self.escapesBit != 0 }

    /// The number of an array's elements or an object's members, up to `countLimit`.
    var count: Int { Int(details / Self.oneChild) }

    mutating func countChild() {
        let (sum, overflow) = details.addingReportingOverflow(Self.oneChild)
        if !overflow { details = sum }
    }
}
