import GatewayStore

/// A job that this gateway has leased.
struct JobAssignment {
    /// The id of this gateway's lease. Writes of an earlier lease are refused.
    let owner: String
    /// The progress that other gateways have made.
    let progress: JobProgress
}

/// The rule for devices of a start whose pushes were in progress when their gateway was lost.
public enum UnknownRule: String, Sendable {
    /// The devices count as `unknown`, because a second Live Activity is worse than a missing one.
    case skip
    /// The devices get the start again, perhaps for the second time.
    case resend
}

/// The end of a gateway's work on a broadcast or a part of it.
enum RunEnd {
    case complete
    /// Another gateway continues.
    case handedOver
    /// Another gateway has taken the lease.
    case lost
}
