/// What a rejection means for the broadcast and for the provider's health. The provider's table of reasons says it;
/// nobody infers it from a reason's name again.
public struct Classification: Hashable, Sendable {
    /// What becomes of the push.
    public enum Verdict: Hashable, Sendable, CaseIterable {
        /// The address is dead. It is dropped, but only if it was registered at or before `Rejection.deadSince`.
        case addressDead
        /// Permanent for this address; it is kept aside and counted. A wrong environment gives it for every address, so
        /// a broadcast in which nearly all of the first pushes get it stops with an alarm.
        case addressRefused
        /// Our own fault or the configuration's, most likely: final for this push, and probably what every push of the
        /// broadcast would be told. A single one proves nothing; a share of answers does.
        case requestRefused
        /// The provider or the device is busy: later, not before `Rejection.retryAfter`.
        case later
        /// Nothing is wrong with the push: it is sent again as soon as the provider takes pushes.
        case again
    }

    /// What becomes of the push that was rejected.
    public let verdict: Verdict
    /// Whether it is about this address, and not about the credential, the request or the provider's state: a further
    /// push to it is likely to be rejected too.
    public let isAboutAddress: Bool
    /// Whether it would be final, and might be the fault of the connection that it came on: another one is asked too.
    public let isDoubtful: Bool
    /// What it says of the provider's state or of the credential; nil when it is about this push alone.
    public let trouble: PauseReason.Kind?
    /// Whether a few of them in a row tell that the provider is in trouble. Others count by their share alone.
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
