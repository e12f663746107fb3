import LiveActivity

/// The answer of a feed: `{"topics": [...]}`. Other members are ignored.
struct FeedDocument {
    /// The elements in their order.
    let elements: [JSONValue]

    /// Nil for any other content.
    init?(_ bytes: [UInt8]) {
        guard let document = try? JSONDocument(parsing: bytes),
            let topics = try? document.root.member("topics"), topics.kind == .array
        else { return nil }
        elements = Array(topics.elements)
    }
}
