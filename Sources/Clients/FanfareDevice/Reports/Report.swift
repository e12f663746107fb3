/// A report or request to the gateway.
enum Report: Codable, Hashable, Sendable {
    case device(DeviceReport)
    case pushToStartToken(String, activityType: String)
    case sync(SyncReport)
    case dismissed(systemID: String, activityID: String?, external: ExternalActivity?)
    case tap(systemID: String, tapID: String, external: ExternalActivity?)
    case follow(topic: String)
    case unfollow(topic: String)
    /// A request for the topics that the user follows.
    case topics
    case schedule(ScheduledChange)
    /// - Parameter scheduleID: The schedule to cancel; nil for all of the user and activity.
    case cancelSchedules(ExternalActivity, scheduleID: String?)
    case erase

    /// The device's description of itself.
    struct DeviceReport: Codable, Hashable, Sendable {
        var description: DeviceDescription
        var allowsActivities: Bool
        var frequentPushes: Bool
    }

    /// A present Live Activity, with its update token if it has one.
    struct SyncReport: Codable, Hashable, Sendable {
        var systemID: String
        var activityType: String
        var activityID: String?
        var external: ExternalActivity?
        var token: String?
    }
}

extension Report {
    /// The subject of the report. A newer report of the same subject replaces an older one that is not sent yet.
    func subject(_ identity: DeviceIdentity) -> String {
        switch self {
        case .device: "device:" + identity.name
        // A token belongs to the login that last reported it, so the login is not part of the subject.
        case .pushToStartToken(_, let type): "start:" + type
        case .sync(let sync): "sync:" + sync.systemID
        case .dismissed(let systemID, _, _): "dismissed:" + systemID
        case .tap(_, let tapID, _): "tap:" + tapID
        case .follow(let topic), .unfollow(let topic):
            "topic:\(identity.insiderID.utf8.count):\(identity.insiderID):" + topic
        case .topics: "topics"
        case .schedule(let change): "schedule:" + change.id
        case .cancelSchedules(let external, let id): "cancel:\(external.name):\(id ?? "")"
        case .erase: "erase:" + identity.name
        }
    }

    /// The lane of the report. Reports of one lane arrive in the order of their creation.
    func lane(_ identity: DeviceIdentity) -> String {
        switch self {
        case .sync(let sync): sync.external?.name ?? "activity:" + sync.systemID
        case .dismissed(let systemID, _, let external), .tap(let systemID, _, let external):
            external?.name ?? "activity:" + systemID
        case .schedule(let change): change.external.name
        case .cancelSchedules(let external, _): external.name
        case .device, .pushToStartToken, .follow, .unfollow, .topics, .erase: subject(identity)
        }
    }

    /// True if equal reports are skipped after a confirmation, until a refresh is due. A user's choice is always sent,
    /// because another phone may have changed it.
    var isRemembered: Bool {
        switch self {
        case .device, .pushToStartToken, .sync: true
        default: false
        }
    }

    /// True if the report describes a state, of which the newest counts.
    var isState: Bool {
        switch self {
        case .device, .pushToStartToken, .sync, .follow, .unfollow: true
        case .dismissed, .tap, .topics, .schedule, .cancelSchedules, .erase: false
        }
    }

    /// True if the request has an idempotency key.
    var hasKey: Bool {
        switch self {
        case .schedule, .cancelSchedules: true
        default: false
        }
    }

    /// True if the report is still sent after its user has signed out.
    var outlivesSignOut: Bool {
        switch self {
        case .follow, .unfollow, .cancelSchedules, .erase: true
        default: false
        }
    }

    /// The seconds for which the report is worth sending; nil for no limit.
    var lifetime: Double? {
        switch self {
        // The gateway recognizes a repeated tap for an hour.
        case .tap: 3600
        // A Live Activity stays on the lock screen for at most twelve hours.
        case .sync: 24 * 3600
        // The dismissal of a topic's Live Activity may unfollow the topic.
        case .dismissed: 7 * 24 * 3600
        case .topics: 60
        case .device, .pushToStartToken, .follow, .unfollow, .schedule, .cancelSchedules, .erase: nil
        }
    }
}

extension DeviceIdentity {
    /// A unique text of both ids.
    var name: String { "\(insiderID.utf8.count):\(insiderID):\(udid)" }
}

extension ExternalActivity {
    /// A unique text of all fields.
    var name: String { "own:\(scope.rawValue):\(activityType.utf8.count):\(activityType):\(externalID)" }
}
