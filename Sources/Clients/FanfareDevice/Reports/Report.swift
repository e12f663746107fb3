/// Something that the gateway is to know or do.
enum Report: Codable, Hashable, Sendable {
    case device(DeviceReport)
    case pushToStartToken(String, activityType: String)
    case sync(SyncReport)
    case dismissed(systemID: String, activityID: String?, external: ExternalActivity?)
    case tap(systemID: String, tapID: String, external: ExternalActivity?)
    case follow(topic: String)
    case unfollow(topic: String)
    /// A question: what the user follows.
    case topics
    case schedule(ScheduledChange)
    /// - Parameter scheduleID: only this one; nil: all that wait for the user and activity.
    case cancelSchedules(ExternalActivity, scheduleID: String?)
    case erase

    /// What the device says of itself.
    struct DeviceReport: Codable, Hashable, Sendable {
        var description: DeviceDescription
        var allowsActivities: Bool
        var frequentPushes: Bool
    }

    /// A Live Activity that is there, with its update token if it has one.
    struct SyncReport: Codable, Hashable, Sendable {
        var systemID: String
        var activityType: String
        var activityID: String?
        var external: ExternalActivity?
        var token: String?
    }
}

extension Report {
    /// What it is about: a newer report with the same subject stands for an older one that is not sent yet.
    func subject(_ identity: DeviceIdentity) -> String {
        switch self {
        case .device: "device:" + identity.name
        // A token counts for whoever reported it last, so the login is no part of this.
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

    /// Reports of one lane arrive in the order in which they were made.
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

    /// Whether it is not said again, once confirmed. A user's wish always is: another phone may have changed it.
    var isRemembered: Bool {
        switch self {
        case .device, .pushToStartToken, .sync: true
        default: false
        }
    }

    /// Whether it says how something is, so that saying it twice changes nothing, and the newest counts.
    var isState: Bool {
        switch self {
        case .device, .pushToStartToken, .sync, .follow, .unfollow: true
        case .dismissed, .tap, .topics, .schedule, .cancelSchedules, .erase: false
        }
    }

    /// Whether its request has a key, by which the gateway carries repetitions out once.
    var hasKey: Bool {
        switch self {
        case .schedule, .cancelSchedules: true
        default: false
        }
    }

    /// Whether it is told also when its user has signed out meanwhile.
    var outlivesSignOut: Bool {
        switch self {
        case .follow, .unfollow, .cancelSchedules, .erase: true
        default: false
        }
    }

    /// How many seconds it is worth sending; nil: for ever.
    var lifetime: Double? {
        switch self {
        // The gateway knows a repeated tap for an hour.
        case .tap: 3600
        // A Live Activity is on the lock screen for twelve hours at most.
        case .sync: 24 * 3600
        // To dismiss what belongs to a topic is a wish.
        case .dismissed: 7 * 24 * 3600
        case .topics: 60
        case .device, .pushToStartToken, .follow, .unfollow, .schedule, .cancelSchedules, .erase: nil
        }
    }
}

extension DeviceIdentity {
    /// Both names in one text that no other identity has.
    var name: String { "\(insiderID.utf8.count):\(insiderID):\(udid)" }
}

extension ExternalActivity {
    /// All of it in one text that no other activity has.
    var name: String { "own:\(scope.rawValue):\(activityType.utf8.count):\(activityType):\(externalID)" }
}
