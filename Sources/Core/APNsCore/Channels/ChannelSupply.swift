public import TimeCore

/// Whether calls of one kind may be made, such as those that make channels: a machine that says when the next one may,
/// by what was answered before.
///
/// After an answer that says that there is nothing to be had nothing is asked for an hour; after trouble for a growing
/// while.
public struct ChannelSupply: Sendable {
    /// What keeps calls from being made.
    public enum State: String, CaseIterable, Sendable {
        /// Nothing does.
        case ready
        /// APNs could not be asked, or was in trouble.
        case trouble
        /// The app has as many channels as it may have.
        case limitReached = "limit"
        /// The app lacks the capability.
        case featureOff = "feature_off"
        /// The key is refused.
        case credentialRefused = "credential"
        /// APNs refuses what is asked, for another reason.
        case refused
    }

    /// What the last answer meant.
    public private(set) var state = State.ready
    /// When the next call may be made.
    private var next: MonotonicTime?
    private var failures = 0

    static let trouble = Backoff(first: .seconds(2), longest: .seconds(300))
    static let refusedPause = TimeInterval.seconds(3600)

    public init() {}

    /// Whether a call may be made now.
    public func mayAsk(now: MonotonicTime) -> Bool {
        next.map { now >= $0 } ?? true
    }

    /// What came of it.
    /// - Parameters:
    ///   - random: any number; spreads pauses between half of them and the whole.
    /// - Returns: the new state when it is another one than before.
    public mutating func answered(_ answer: ChannelAnswer, now: MonotonicTime, random: UInt64) -> State? {
        let before = state
        var least = TimeInterval.zero
        switch answer {
        case .created, .deleted, .gone, .listed: state = .ready
        case .limitReached: state = .limitReached
        case .featureOff: state = .featureOff
        case .credentialRefused, .tokenExpired: state = .credentialRefused
        case .later(_, let after):
            state = .trouble
            least = after
        case .unanswered: state = .trouble
        case .failed: state = .refused
        }
        if state == .ready {
            failures = 0
            next = nil
        } else {
            failures += 1
            let isTrouble = state == .trouble || state == .refused
            let pause = isTrouble ? Self.trouble.pause(after: failures) : Self.refusedPause
            next = now + max(least, pause.cut(random: random))
        }
        return state == before ? nil : state
    }

    /// A channel was deleted: one may be had again.
    public mutating func channelDeleted() {
        if state == .limitReached { next = nil }
    }
}
