import LiveActivity

/// What a feed answers with: `{"topics": [...]}`. Other members are passed over.
struct FeedDocument {
    /// In their order.
    let elements: [JSONValue]

    /// Nil when it is no such thing.
    init?(_ bytes: [UInt8]) {
        guard let document = try? JSONDocument(parsing: bytes),
            let topics = try? document.root.member("topics"), topics.kind == .array
        else { return nil }
        elements = Array(topics.elements)
    }
}
