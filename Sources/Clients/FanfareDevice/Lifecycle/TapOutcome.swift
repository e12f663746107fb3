/// What a Live Activity that was tapped belongs to.
public struct TapAttribution: Hashable, Sendable {
    /// The gateway's id of the activity.
    public let activityID: String?
    /// The schedule that last drove it, if it was one.
    public let scheduleID: String?
    /// That schedule's name.
    public let scheduleName: String?
}

/// What came of the report of a tap.
public enum TapOutcome: Hashable, Sendable {
    /// It is counted, and this is what it belongs to.
    case attributed(TapAttribution)
    /// It has no answer yet; it is reported within an hour, or not at all.
    case queued
    /// The gateway knows no such Live Activity.
    case unknown
    /// Nobody is signed in, or the queue is full: it is not reported.
    case notTaken
}
