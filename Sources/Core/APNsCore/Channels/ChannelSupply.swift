public import TimeCore

/// Decides when the next call of one kind, for example a channel creation, may be made.
///
/// After a final refusal (limit, missing capability, credential) it pauses for half an hour to an hour. After other
/// failures the pause grows.
public struct ChannelSupply: Sendable {
    /// The reason that blocks calls.
    public enum State: String, CaseIterable, Sendable {
        /// Calls are allowed.
        case ready
        /// APNs was unreachable or unavailable.
        case trouble
        /// The app has the maximum number of channels.
        case limitReached = "limit"
        /// The app lacks the capability.
        case featureOff = "feature_off"
        /// The key is refused.
        case credentialRefused = "credential"
        /// APNs refuses the request for another reason.
        case refused
    }

    /// The state after the last answer.
    public private(set) var state = State.ready
    /// The earliest time of the next call.
    private var next: MonotonicTime?
    private var failures = 0

    static let trouble = Backoff(first: .seconds(2), longest: .seconds(300))
    static let refusedPause = TimeInterval.seconds(3600)

    public init() {}

    /// True if a call may be made now.
    public func mayAsk(now: MonotonicTime) -> Bool {
        next.map { now >= $0 } ?? true
    }

    /// Records the answer to a call.
    /// - Parameters:
    ///   - random: Any number. It shortens the pause by up to half.
    /// - Returns: The new state if it has changed.
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

    /// Allows a creation again, because a channel was deleted.
    public mutating func channelDeleted() {
        if state == .limitReached { next = nil }
    }
}
