/// The meaning of a rejection for the broadcast and for the provider's health. Only the provider's table of reasons
/// decides it.
public struct Classification: Hashable, Sendable {
    /// The outcome of the push.
    public enum Verdict: Hashable, Sendable, CaseIterable {
        /// The address is dead. It is dropped, but only if it was registered at or before `Rejection.deadSince`.
        case addressDead
        /// Permanent for this address; it is kept aside and counted. A wrong environment gives it for every address, so
        /// a broadcast in which nearly all of the first pushes get it stops with an alarm.
        case addressRefused
        /// Most likely a fault of the gateway or its configuration. It is final for this push, and probably the answer
        /// to every push of the broadcast. A single one proves nothing; a share of answers does.
        case requestRefused
        /// The provider or the device is busy: later, not before `Rejection.retryAfter`.
        case later
        /// Nothing is wrong with the push: it is sent again as soon as the provider takes pushes.
        case again
    }

    /// The outcome of the rejected push.
    public let verdict: Verdict
    /// True if the rejection is about this address, so another push to it would probably be rejected too. False if it
    /// is about the credential, the request or the provider's state.
    public let isAboutAddress: Bool
    /// True if the rejection would be final but its connection may be at fault. Another connection repeats the push.
    public let isDoubtful: Bool
    /// The trouble of the provider or the credential; nil if it is about this push alone.
    public let trouble: PauseReason.Kind?
    /// True if a few of these rejections in a row show trouble of the provider. Others count only by their share.
    public let isWeighty: Bool
    /// True if the topic is at fault, and not the address, until the provider has accepted a push for the topic.
    public let mayBlameTopic: Bool

    /// True if the provider has deleted the channel that the push goes to, or that its start names.
    public let isAboutChannel: Bool

    /// The topic is wrong for all addresses.
    public static let topicRefused = Classification(.again, trouble: .topic)

    public init(
        _ verdict: Verdict, isAboutAddress: Bool = false, isDoubtful: Bool = false, trouble: PauseReason.Kind? = nil,
        isWeighty: Bool = true, mayBlameTopic: Bool = false, isAboutChannel: Bool = false
    ) {
        self.verdict = verdict
        self.isAboutAddress = isAboutAddress
        self.isDoubtful = isDoubtful
        self.trouble = trouble
        self.isWeighty = isWeighty
        self.mayBlameTopic = mayBlameTopic
        self.isAboutChannel = isAboutChannel
    }
}
