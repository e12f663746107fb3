/// A value of a document. Copies are cheap, because they share the text.
public struct JSONValue: Sendable {
    let document: JSONDocument
    let index: Int

    /// The kinds of value. All numbers have one kind.
    public enum Kind: UInt8, Sendable {
        case object, array, string, number, `true`, `false`, null
    }

    var node: JSONNode { document.nodes[index] }

    /// The kind of the value.
    public var kind: Kind { node.kind }

    /// The range in the document's bytes, including quotes or braces, without surrounding white space.
    public var byteRange: Range<Int> {
        let node = node
        return Int(node.start)..<Int(node.end)
    }

    /// The bytes of the value, unchanged. The indices are those of the document's bytes.
    public var slice: ArraySlice<UInt8> { document.bytes[byteRange] }

    /// True for `{}`, also with white space in it.
    public var isEmptyObject: Bool {
        let node = node
        return node.kind == .object && node.count == 0
    }
}
