public import TimeCore

/// How one push ended.
public struct PushResult: Sendable {
    /// The two numbers that were given with the push.
    public let tag: UInt64
    /// The device's number that was given with the push.
    public let slot: UInt32
    /// How it ended. Acceptances are told as `AcceptedPush`.
    public let outcome: PushOutcome
    /// How long ago it was sent, when it was answered; nil when the provider does not measure that.
    public let sentAgo: TimeInterval?

    public init(tag: UInt64, slot: UInt32, outcome: PushOutcome, sentAgo: TimeInterval? = nil) {
        self.tag = tag
        self.slot = slot
        self.outcome = outcome
        self.sentAgo = sentAgo
    }
}

/// A push that the provider has accepted. Plain, because nearly all are.
public struct AcceptedPush: BitwiseCopyable, Sendable {
    /// The two numbers that were given with the push.
    public let tag: UInt64
    /// The device's number that was given with the push.
    public let slot: UInt32
    /// The provider's own number.
    public let source: UInt32

    public init(tag: UInt64, slot: UInt32, source: UInt32) {
        self.tag = tag
        self.slot = slot
        self.source = source
    }
}

/// Hears how its pushes ended: once for each push, in batches, on the reactor's thread at the end of a turn. It may
/// push from within the calls. The provider holds it as long as it has pushes under way.
public protocol PushOutcomeReceiver: AnyObject {
    /// The provider answered 200. `pushes` is valid during the call only.
    func pushesAccepted(_ pushes: UnsafeBufferPointer<AcceptedPush>)

    /// Anything else. `outcomes` is valid during the call only.
    func pushesEnded(_ outcomes: UnsafeBufferPointer<PushResult>)
}
