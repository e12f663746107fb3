public import Foundation

/// A report that waits, or is on its way.
struct QueuedReport: Codable, Equatable, Sendable {
    /// Grows from report to report.
    let id: UInt64
    var report: Report
    let identity: DeviceIdentity
    var queuedAt: Moment
    /// How often it was put off alone.
    var tries = 0
    /// How often it was sent, and nothing was sent for a while because of what came of that.
    var failures = 0
    /// How often it failed although another one had got through since it failed before.
    var strikes = 0
    /// Whether another one has got through since it failed.
    var isPassed = false
    /// Of a schedule: how often it was taken back, for it may have been made, and was to be made anew.
    var doubts = 0
    /// The first of the requests that say the same; nil: none was sent, or it is known to have done nothing.
    var attempt: Attempt?
    /// How many attempts are known to have done nothing.
    var attempts = 0
    /// The pause of this report alone.
    var wait: Wait?
    /// Whether it was delivered already and is said once more, because an older one may have arrived after it.
    var isRepetition = false

    var subject: String { report.subject(identity) }
    var lane: String { report.lane(identity) }

    /// True if other syncs of its type wait until it has arrived. The gateway takes a sync that names no activity for
    /// the only activity of its type without a token. Another sync may change which activity that is. A sync that fails
    /// again and again while others get through is stuck.
    var holdsUpItsType: Bool {
        guard case .sync(let sync) = report, sync.activityID == nil, sync.external == nil else { return false }
        return failures > 0 && strikes < 3 && !isRepetition
    }

    /// The same, of which nothing lies ahead of now.
    func capped(at now: Moment) -> QueuedReport {
        var capped = self
        capped.queuedAt = queuedAt.capped(at: now)
        capped.wait = wait?.capped(at: now)
        if let attempt { capped.attempt?.at = attempt.at.capped(at: now) }
        if case .schedule(let change) = report { capped.report = .schedule(change.capped(at: now)) }
        return capped
    }

    func isExpired(at now: Moment) -> Bool {
        guard let lifetime = report.lifetime else { return false }
        return now.elapsed(since: queuedAt) >= lifetime
    }
}

/// A request that is made again as it is when its answer was lost: the gateway knows it by its key, and carries it out
/// once.
struct Attempt: Codable, Equatable, Sendable {
    /// A gateway forgets a key after an hour. The last request with it is to reach the gateway before.
    static let lifetime: TimeInterval = 3300

    let key: String
    let body: Data?
    var at: Moment
    /// Whether one of the requests may have reached the gateway.
    var mayHaveArrived = false
}

/// What the gateway has confirmed last of a subject.
struct Confirmation: Codable, Equatable, Sendable {
    var report: Report
    var identity: DeviceIdentity
    var at: Moment

    func capped(at now: Moment) -> Confirmation {
        Confirmation(report: report, identity: identity, at: at.capped(at: now))
    }
}

/// Something that the gateway did not take.
public struct Refusal: Codable, Hashable, Sendable {
    /// What was reported: `device`, `start token`, `sync`, `follow` and the like.
    public let kind: String
    /// The gateway's code, such as `VALIDATION_FAILED`; `HTTP_418` and the like where something else answered, and
    /// `EXPIRED` for what could not be sent as long as it was worth it.
    public let code: String
    /// The gateway's sentence for people.
    public let message: String
    /// When, by the device's clock.
    public let at: Date
}

extension Report {
    /// Its name in a refusal.
    var kind: String {
        switch self {
        case .device: "device"
        case .pushToStartToken: "start token"
        case .sync: "sync"
        case .dismissed: "dismissed"
        case .tap: "tap"
        case .follow: "follow"
        case .unfollow: "unfollow"
        case .topics: "topics"
        case .schedule: "schedule"
        case .cancelSchedules: "cancel schedules"
        case .erase: "erase"
        }
    }
}
