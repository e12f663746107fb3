/// A provider's answer that rejects a push.
public struct Rejection: Hashable, Sendable {
    /// The HTTP status.
    public let status: UInt16
    /// The reason as the provider spells it; empty if it gave none.
    public let reason: String
    /// The meaning by the provider's table of reasons.
    public let classification: Classification
    /// The time since which the address is dead, in milliseconds since 1970; nil if the provider does not state it.
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

    /// Returns the rejection dated to `time`, in milliseconds since 1970, unless the provider stated one.
    public func dead(since time: UInt64) -> Rejection {
        Rejection(status: status, reason: reason, classification, deadSince: deadSince ?? time, retryAfter: retryAfter)
    }

    /// This rejection, classified as a refusal of the topic.
    public var blamingTopic: Rejection {
        Rejection(status: status, reason: reason, .topicRefused, retryAfter: retryAfter)
    }

    /// This rejection, to be tried again because only one connection has given it.
    public var unconfirmed: Rejection {
        Rejection(status: status, reason: reason, Classification(.later), retryAfter: retryAfter)
    }

    /// The trouble with the provider or credential that this rejection indicates; nil if it concerns this push alone.
    public var trouble: ProviderTrouble? {
        classification.trouble.map {
            ProviderTrouble(
                kind: $0, name: reason.isEmpty ? "Status\(status)" : reason, isWeighty: classification.isWeighty,
                retryAfter: retryAfter)
        }
    }
}
