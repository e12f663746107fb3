public import Foundation

/// A report that waits, or is on its way.
struct QueuedReport: Codable, Equatable, Sendable {
    /// Grows from report to report.
    let id: UInt64
    let report: Report
    let identity: DeviceIdentity
    let queuedAt: Moment
    /// How often it was put off alone.
    var tries = 0
    /// The pause of this report alone.
    var wait: Wait?
    /// Whether it was delivered already and is said once more, because an older one may have arrived after it.
    var isRepetition = false

    var subject: String { report.subject(identity) }
    var lane: String { report.lane(identity) }

    func isExpired(at now: Moment) -> Bool {
        guard let lifetime = report.lifetime else { return false }
        return now.elapsed(since: queuedAt) >= lifetime
    }
}

/// What the gateway has confirmed last of a subject.
struct Confirmation: Codable, Equatable, Sendable {
    var report: Report
    var identity: DeviceIdentity
    var at: Moment
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
