import GatewayStore

/// A job that a gateway works on.
struct JobAssignment {
    /// Names this gateway's hold of the job: what an earlier hold still writes is refused.
    let owner: String
    /// How far others have come with it.
    let progress: JobProgress
}

/// What becomes of those devices of a start that were on their way to the provider when their gateway was lost.
public enum UnknownRule: String, Sendable {
    /// They count as `unknown`: a second Live Activity is worse than a missing one.
    case skip
    /// They are sent the start, perhaps for the second time.
    case resend
}

/// How a gateway's work on a broadcast, or on a part of it, ended.
enum RunEnd {
    case complete
    /// What is left is another gateway's.
    case handedOver
    /// Somebody else has taken the job.
    case lost
}
