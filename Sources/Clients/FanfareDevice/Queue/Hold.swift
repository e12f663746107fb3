public import Foundation

/// Why nothing is sent although something waits.
public enum PauseReason: String, Codable, Sendable {
    /// The SDK key or the identity signature is not taken, also not a fresh one.
    case unauthorized
    /// A quota of the customer is used up, or something in front of the gateway forbids it.
    case forbidden
    /// Live activities are switched off for the customer: the gateway drops what it is told.
    case switchedOff
}

/// A time in which nothing is sent.
struct Hold: Codable, Equatable, Sendable {
    enum Cause: Codable, Equatable, Sendable {
        /// No network, no answer, or a gateway that cannot serve.
        case trouble
        case paused(PauseReason, message: String)
    }

    var cause: Cause
    var wait: Wait
    /// Whether the gateway named the time, which is kept whatever happens meanwhile.
    var isDemanded: Bool
    /// The only report that has failed so, which alone is held: it may be that one that never gets through. Nil: all
    /// are.
    var report: UInt64?

    /// The seconds for which a report is held, 0 when it is not.
    func left(for id: UInt64, at now: Moment) -> TimeInterval {
        report == nil || report == id ? wait.left(at: now) : 0
    }
}

/// How often and how long is tried.
public struct RetryPolicy: Hashable, Sendable {
    /// Seconds of the first pause after no answer, or after a gateway that cannot serve. Each further one is twice as
    /// long.
    public var firstPause: TimeInterval = 2
    /// Seconds of the longest such pause.
    public var longestPause: TimeInterval = 900
    /// Seconds of the first pause after 401, 403 or 202; each further one is twice as long.
    public var firstProbe: TimeInterval = 900
    /// Seconds of the longest such pause.
    public var longestProbe: TimeInterval = 21_600
    /// The most seconds of a `Retry-After` that are honoured; a longer one is cut to this.
    public var longestRetryAfter: TimeInterval = 3600
    /// How often a single report is tried that waits for something of its own: a sync or schedule of an activity that
    /// the gateway does not know yet, or a report of a former user for whom the app gives no signature.
    public var triesOfOne = 6
    /// Seconds after which what was confirmed is said once more when the system reports it again.
    public var refreshAfter: TimeInterval = 604_800
    /// Seconds for which a request without an answer may still be under way to the gateway, and by which a schedule may
    /// be late whose first request had none.
    public var settling: TimeInterval = 60

    /// The policy that is used where the app does not say otherwise.
    public init() {}

    var pauses: Backoff { Backoff(first: firstPause, longest: longestPause) }
    var probes: Backoff { Backoff(first: firstProbe, longest: longestProbe) }
}
