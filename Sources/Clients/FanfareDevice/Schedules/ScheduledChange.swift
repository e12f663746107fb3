public import Foundation

/// A scheduled update or end of the user's Live Activities of an app-started activity. The gateway executes it.
public struct ScheduledChange: Codable, Hashable, Sendable {
    /// The kind of a change.
    public enum Event: String, Codable, Sendable {
        /// New content, without an alert.
        case update
        /// The end, with or without a last content.
        case end
    }

    /// The library's id, which cancels the schedule.
    public let id: String
    /// The activity to change.
    public let external: ExternalActivity
    /// The kind of the change.
    public let event: Event
    /// A JSON object that the app's `ContentState` decodes, passed through byte for byte.
    public let contentState: String?
    /// A name for display, which is part of a tap's attribution.
    public let label: String?
    /// The seconds after which a late change is dropped; nil for no limit.
    public let expireAfter: Int?
    var wait: Wait

    /// The seconds until the change is due; 0 after that.
    public func secondsLeft(at now: Moment) -> TimeInterval { wait.left(at: now) }

    func capped(at now: Moment) -> ScheduledChange {
        var change = self
        change.wait = wait.capped(at: now)
        return change
    }
}

/// The result of scheduling a change.
public enum ScheduleOutcome: Hashable, Sendable {
    /// The change is sent once the gateway is reachable. This id cancels it.
    case queued(id: String)
    /// Twenty changes of this activity are waiting, the gateway's limit.
    case tooMany
    /// The content is not a JSON object, is missing from an update, or is longer than 4,096 bytes. Or a time is not
    /// from 0 s to seven days, or the name is longer than 250 bytes.
    case invalid
    /// No user is signed in, or the queue is full.
    case notTaken
}
