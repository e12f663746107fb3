/// The elements of an array in their order.
public struct JSONElements: Sequence, Sendable {
    fileprivate let array: JSONValue

    /// Returns an iterator from the first element.
    public func makeIterator() -> Iterator { Iterator(array) }

    /// An iterator over the elements in their order.
    public struct Iterator: IteratorProtocol, Sendable {
        private let document: JSONDocument
        private var upcoming: Int
        private let end: Int

        fileprivate init(_ value: JSONValue) {
            document = value.document
            upcoming = value.index + 1
            end = value.kind == .array ? Int(value.node.next) : upcoming
        }

        /// The next element; nil after the last.
        public mutating func next() -> JSONValue? {
            guard upcoming < end else { return nil }
            defer { upcoming = Int(document.nodes[upcoming].next) }
            return JSONValue(document: document, index: upcoming)
        }
    }
}

extension JSONValue {
    /// The elements of an array; empty for other kinds.
    public var elements: JSONElements { JSONElements(array: self) }

    /// The number of elements of an array; 0 for other kinds. Takes constant time up to 268 million elements.
    public var elementCount: Int {
        let node = node
        guard node.kind == .array else { return 0 }
        return node.count < JSONNode.countLimit ? node.count : elements.reduce(0) { count, _ in count + 1 }
    }
}
