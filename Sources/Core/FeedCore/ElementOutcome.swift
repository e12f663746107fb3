/// The outcome of one element of a feed.
public enum ElementOutcome: Equatable, Sendable {
    /// The element changes the topic, and the change is applied.
    case changed
    /// The element changes at most the label and the sequence.
    case unchanged
    /// A newer element is stored, by its sequence.
    case stale
    /// The element is refused.
    case refused(ElementRefusal)

    /// The label in metrics.
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

/// The reason for refusing an element of a feed.
public struct ElementRefusal: Equatable, Sendable {
    /// The topic if its name is valid, otherwise nil.
    public var topic: String?
    /// The error code of the equivalent PUT, for example `VALIDATION_FAILED`.
    public var code: String
    /// The error message of the equivalent PUT. Quotes no content.
    public var text: String
    /// True if the same element would be refused in any state of the topic.
    public var isFinal: Bool

    public init(topic: String?, code: String, text: String, isFinal: Bool) {
        self.topic = topic
        self.code = code
        self.text = text
        self.isFinal = isFinal
    }
}
