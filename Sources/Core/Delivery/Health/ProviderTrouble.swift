/// A failure whose cause is the provider or the credential rather than the push.
public struct ProviderTrouble: Equatable, Sendable {
    /// The reason of the pause if the failures continue.
    public let kind: PauseReason.Kind
    /// The provider's own name for the failure, or the gateway's.
    public let name: String
    /// True if a few failures in a row without other answers suffice for a pause. Others count only by their share.
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
