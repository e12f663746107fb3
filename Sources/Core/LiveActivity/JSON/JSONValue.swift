/// A value of a document. Cheap to copy: the text is shared, not copied.
public struct JSONValue: Sendable {
    let document: JSONDocument
    let index: Int

    /// What a value can be. A number is of one kind however it is spelled.
    public enum Kind: UInt8, Sendable {
        case object, array, string, number, `true`, `false`, null
    }

    var node: JSONNode { document.nodes[index] }

    /// What the value is.
    public var kind: Kind { node.kind }

    /// Where the value lies in the document's bytes: quotes and braces are in it, white space around it is not.
    public var byteRange: Range<Int> {
        let node = node
        return Int(node.start)..<Int(node.end)
    }

    /// The bytes of the value as they came. The indices are those of the document's bytes.
    public var slice: ArraySlice<UInt8> { document.bytes[byteRange] }

    /// True for `{}`, with any white space in it.
    public var isEmptyObject: Bool {
        let node = node
        return node.kind == .object && node.count == 0
    }
}
