/// A sign that the provider, and not the push, is the reason for a failure.
public struct ProviderTrouble: Equatable, Sendable {
    /// What the provider is paused for when this goes on.
    public let kind: PauseReason.Kind
    /// The provider's own word, or ours.
    public let name: String
    /// Whether a few in a row are enough when nothing else is heard. Others count by their share alone.
    public let isWeighty: Bool
    /// The answer's `Retry-After`, in seconds.
    public let retryAfter: UInt32?

    public init(kind: PauseReason.Kind, name: String, isWeighty: Bool = true, retryAfter: UInt32? = nil) {
        self.kind = kind
        self.name = name
        self.isWeighty = isWeighty
        self.retryAfter = retryAfter
    }

    /// A push was sent, and no answer came in time.
    public static let noAnswer = ProviderTrouble(kind: .noAnswer, name: "NoAnswer")
}
