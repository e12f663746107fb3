public import Foundation

/// The reason why sending is paused.
public enum PauseReason: String, Codable, Sendable {
    /// The gateway rejects the SDK key, or even a new identity signature.
    case unauthorized
    /// A quota of the customer is exhausted, or something in front of the gateway refuses requests.
    case forbidden
    /// Live Activities are disabled for the customer. The gateway drops all reports.
    case switchedOff
}

/// A pause of sending.
struct Hold: Codable, Equatable, Sendable {
    enum Cause: Codable, Equatable, Sendable {
        /// The network or the gateway is unavailable.
        case trouble
        case paused(PauseReason, message: String)
    }

    var cause: Cause
    var wait: Wait
    /// True if the gateway requested the pause. Nothing shortens it.
    var isDemanded: Bool
    /// The held report, if only one has failed so far; nil if all are held.
    var report: UInt64?

    /// The seconds for which a report is held; 0 if it is not.
    func left(for id: UInt64, at now: Moment) -> TimeInterval {
        report == nil || report == id ? wait.left(at: now) : 0
    }
}

/// The pauses and limits of retries.
public struct RetryPolicy: Hashable, Sendable {
    /// Seconds of the first pause after a missing answer or an unavailable gateway. Each further pause is twice as
    /// long.
    public var firstPause: TimeInterval = 2
    /// Seconds of the longest pause of this kind.
    public var longestPause: TimeInterval = 900
    /// Seconds of the first pause after 202, 401, 402, 403 or 407. Each further pause is twice as long.
    public var firstProbe: TimeInterval = 900
    /// Seconds of the longest pause of this kind.
    public var longestProbe: TimeInterval = 21_600
    /// The maximum of `Retry-After` in seconds; a longer time is cut to this.
    public var longestRetryAfter: TimeInterval = 3600
    /// The number of tries of a report that waits for a condition of its own. Examples are an activity that the gateway
    /// does not know yet, and a missing signature of a former user.
    public var triesOfOne = 6
    /// Seconds after which a confirmed state is sent again when the system reports it.
    public var refreshAfter: TimeInterval = 604_800
    /// Seconds for which an unanswered request may still arrive. A schedule may be late by this time if its first
    /// request had no answer.
    public var settling: TimeInterval = 60

    /// Creates the default policy.
    public init() {}

    var pauses: Backoff { Backoff(first: firstPause, longest: longestPause) }
    var probes: Backoff { Backoff(first: firstProbe, longest: longestProbe) }
}
