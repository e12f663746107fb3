public import TimeCore

/// A push that ended in another way than by acceptance.
public struct PushResult: Sendable {
    /// The sender's number for the push.
    public let tag: UInt64
    /// The device's number from the push.
    public let slot: UInt32
    /// The outcome. Acceptances are reported as `AcceptedPush` instead.
    public let outcome: PushOutcome
    /// The time between sending and the answer; nil without an answer or if the provider does not measure it.
    public let sentAgo: TimeInterval?

    public init(tag: UInt64, slot: UInt32, outcome: PushOutcome, sentAgo: TimeInterval? = nil) {
        self.tag = tag
        self.slot = slot
        self.outcome = outcome
        self.sentAgo = sentAgo
    }
}

/// An accepted push. It is a trivial type because nearly all pushes are accepted.
public struct AcceptedPush: BitwiseCopyable, Sendable {
    /// The sender's number for the push.
    public let tag: UInt64
    /// The device's number from the push.
    public let slot: UInt32
    /// The provider's number for itself.
    public let source: UInt32

    public init(tag: UInt64, slot: UInt32, source: UInt32) {
        self.tag = tag
        self.slot = slot
        self.source = source
    }
}

/// Receives the outcome of each of its pushes once, in batches on the reactor's thread at the end of a turn. It may
/// push from within the calls. The provider retains it while it has pushes under way.
public protocol PushOutcomeReceiver: AnyObject {
    /// Reports pushes that the provider answered with 200. `pushes` is valid during the call only.
    func pushesAccepted(_ pushes: UnsafeBufferPointer<AcceptedPush>)

    /// Reports pushes with other outcomes. `outcomes` is valid during the call only.
    func pushesEnded(_ outcomes: UnsafeBufferPointer<PushResult>)
}
