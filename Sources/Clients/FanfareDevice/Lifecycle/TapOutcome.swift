/// The origin of a tapped Live Activity.
public struct TapAttribution: Hashable, Sendable {
    /// The gateway's id of the activity.
    public let activityID: String?
    /// The schedule that last drove the activity for this user; nil if a schedule was not the last driver.
    public let scheduleID: String?
    /// The name of that schedule.
    public let scheduleName: String?
}

/// The result of reporting a tap.
public enum TapOutcome: Hashable, Sendable {
    /// The tap is counted, with this attribution.
    case attributed(TapAttribution)
    /// The answer is pending. The report is sent within an hour or dropped.
    case queued
    /// The gateway does not know the Live Activity.
    case unknown
    /// The tap is not reported, because no user is signed in or the queue is full.
    case notTaken
}
