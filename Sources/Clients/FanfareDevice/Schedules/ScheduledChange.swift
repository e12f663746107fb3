public import Foundation

/// An update or end that the gateway carries out later on the user's Live Activities of an activity that the app
/// opened.
public struct ScheduledChange: Codable, Hashable, Sendable {
    /// What is carried out.
    public enum Event: String, Codable, Sendable {
        /// A new content, without an alert.
        case update
        /// The end, with a last content or without.
        case end
    }

    /// The library's name of it, with which it is taken back.
    public let id: String
    /// The activity that it is for.
    public let external: ExternalActivity
    /// What is carried out.
    public let event: Event
    /// What the app's `ContentState` decodes: a JSON object, passed through byte for byte.
    public let contentState: String?
    /// For people; a tap is told it.
    public let label: String?
    /// How many seconds late it may be carried out; nil: however late.
    public let expireAfter: Int?
    var wait: Wait

    /// The seconds until it is to be carried out, 0 when that time is over.
    public func secondsLeft(at now: Moment) -> TimeInterval { wait.left(at: now) }

    func capped(at now: Moment) -> ScheduledChange {
        var change = self
        change.wait = wait.capped(at: now)
        return change
    }
}

/// What became of a wish to schedule something.
public enum ScheduleOutcome: Hashable, Sendable {
    /// It is told to the gateway as soon as that is reached. It can be taken back by this id.
    case queued(id: String)
    /// Twenty wait for this activity: as many as a gateway takes.
    case tooMany
    /// The content is no JSON object, is missing from an update, or is longer than 4,096 bytes; a time is not from 0 s
    /// to seven days; the name is longer than 250 bytes.
    case invalid
    /// Nobody is signed in, or the queue is full.
    case notTaken
}
