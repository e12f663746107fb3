/// An answer by which a provider has not taken a push.
public struct Rejection: Hashable, Sendable {
    /// The HTTP status.
    public let status: UInt16
    /// The provider's own word for it, as it came; empty when it gave none.
    public let reason: String
    /// What it means, as the provider's table of reasons has it.
    public let classification: Classification
    /// Since when the provider knows the address to be dead, in milliseconds since 1970; nil when it does not say.
    public let deadSince: UInt64?
    /// The answer's `Retry-After`, in seconds.
    public let retryAfter: UInt32?

    public init(
        status: UInt16, reason: String, _ classification: Classification, deadSince: UInt64? = nil,
        retryAfter: UInt32? = nil
    ) {
        self.status = status
        self.reason = reason
        self.classification = classification
        self.deadSince = deadSince
        self.retryAfter = retryAfter
    }

    /// The same of an address that is known to be dead since that time, in milliseconds since 1970, unless the provider
    /// has told another.
    public func dead(since time: UInt64) -> Rejection {
        Rejection(status: status, reason: reason, classification, deadSince: deadSince ?? time, retryAfter: retryAfter)
    }

    /// This answer, classified as a refusal of the topic.
    public var blamingTopic: Rejection {
        Rejection(status: status, reason: reason, .topicRefused, retryAfter: retryAfter)
    }

    /// What it says of the provider's state or of the credential; nil when it is about this push alone.
    public var trouble: ProviderTrouble? {
        classification.trouble.map {
            ProviderTrouble(
                kind: $0, name: reason.isEmpty ? "Status\(status)" : reason, isWeighty: classification.isWeighty,
                retryAfter: retryAfter)
        }
    }
}
