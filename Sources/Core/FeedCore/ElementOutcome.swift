/// What became of one element of a feed.
public enum ElementOutcome: Equatable, Sendable {
    /// It says something new, which is seen to.
    case changed
    /// It says what is known.
    case unchanged
    /// A newer one is known, by its sequence.
    case stale
    /// It cannot be taken.
    case refused(ElementRefusal)

    /// For metrics.
    public var name: String {
        switch self {
        case .changed: "changed"
        case .unchanged: "unchanged"
        case .stale: "stale"
        case .refused: "refused"
        }
    }

    /// All names.
    public static let names = ["changed", "unchanged", "stale", "refused"]
}

/// Why an element of a feed cannot be taken.
public struct ElementRefusal: Equatable, Sendable {
    /// The topic, where its name is one; nil otherwise.
    public var topic: String?
    /// The code that the PUT answers with, such as `VALIDATION_FAILED`.
    public var code: String
    /// The sentence that the PUT answers with. Quotes no content.
    public var text: String
    /// Whether the same words would be refused again, however the topic is.
    public var isFinal: Bool

    public init(topic: String?, code: String, text: String, isFinal: Bool) {
        self.topic = topic
        self.code = code
        self.text = text
        self.isFinal = isFinal
    }
}
