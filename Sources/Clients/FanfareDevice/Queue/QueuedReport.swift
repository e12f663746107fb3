public import Foundation

/// A report that waits or is being sent.
struct QueuedReport: Codable, Equatable, Sendable {
    /// Increases with each report.
    let id: UInt64
    var report: Report
    let identity: DeviceIdentity
    var queuedAt: Moment
    /// The number of times that it was postponed alone.
    var tries = 0
    /// The number of failed requests that paused sending.
    var failures = 0
    /// The number of failures that followed a success of another report.
    var strikes = 0
    /// True if another report succeeded since the last failure.
    var isPassed = false
    /// For a schedule, the number of times that it was cancelled and created again because its result was unknown.
    var doubts = 0
    /// The first of the repeated requests. Nil if none was sent, or if it certainly had no effect.
    var attempt: Attempt?
    /// The number of former attempts.
    var attempts = 0
    /// The pause of this report alone.
    var wait: Wait?
    /// True if it was already delivered. It is sent again because an older state may have arrived after it.
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

    /// Returns the report without times in the future.
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

/// A request that is repeated unchanged if its answer was lost. Its idempotency key lets the gateway execute it only
/// once.
struct Attempt: Codable, Equatable, Sendable {
    /// Seconds in which the key may be used. A gateway forgets a key after an hour.
    static let lifetime: TimeInterval = 3300

    let key: String
    let body: Data?
    var at: Moment
    /// True if one of the requests may have arrived.
    var mayHaveArrived = false
}

/// The last report of a subject that the gateway confirmed.
struct Confirmation: Codable, Equatable, Sendable {
    var report: Report
    var identity: DeviceIdentity
    var at: Moment

    func capped(at now: Moment) -> Confirmation {
        Confirmation(report: report, identity: identity, at: at.capped(at: now))
    }
}

/// A report that the gateway refused.
public struct Refusal: Codable, Hashable, Sendable {
    /// The kind of the report: `device`, `start token`, `sync`, `follow` and so on.
    public let kind: String
    /// The gateway's error code, like `VALIDATION_FAILED`. It is `HTTP_418` or similar if another server answered, and
    /// `EXPIRED` if the report could not be sent in time.
    public let code: String
    /// The gateway's error message.
    public let message: String
    /// The time by the device's clock.
    public let at: Date
}

extension Report {
    /// The name of the report in a refusal.
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
