/// What an event tells of. Raw values are the names that receivers see.
public enum EventType: String, CaseIterable, Sendable {
    /// The provider accepted the start for these devices, or their apps opened the Live Activity.
    case started = "push.live_activity_started"
    /// These devices have reported a new update token.
    case synced = "push.live_activity_synced"
    case updated = "push.live_activity_updated"
    /// The provider accepted the end for these devices, or the user dismissed the Live Activity; the reason says which.
    case ended = "push.live_activity_ended"
    /// The provider called the tokens of these devices dead.
    case invalidated = "push.live_activity_invalidated"
    /// The user has tapped the Live Activity.
    case tapped = "push.live_activity_tapped"
    /// The user has dismissed the Live Activity before it had ended.
    case dismissed = "push.live_activity_dismissed"
    case broadcastFinished = "broadcast.finished"
    case activityExpired = "activity.expired"
    /// The activity has had so many updates in an hour that iOS may slow them down.
    case updateBudget = "activity.update_budget"
    /// Somebody has changed something of the tenant's, or tried to. Only for tenants that have asked for it.
    case audit = "audit.recorded"
    /// Four fifths of a quota of the tenant are used.
    case quotaNear = "quota.near"
    /// A quota of the tenant is used up.
    case quotaReached = "quota.reached"
    /// Sent on request, to one webhook.
    case test = "webhook.test"

    /// Those that a webhook can ask for.
    public static let subscribable = allCases.filter { $0 != .test }
}

/// Which events a webhook gets.
public enum EventFilter: Equatable, Sendable {
    case all
    /// Never empty.
    case only([EventType])

    /// As the store keeps it: `*`, or names with commas between them.
    public var text: String {
        switch self {
        case .all: "*"
        case .only(let types): types.map(\.rawValue).joined(separator: ",")
        }
    }

    /// Names that this version does not know are passed over.
    public init(text: String) {
        let types = text.split(separator: ",").compactMap { EventType(rawValue: String($0)) }
        self = text == "*" || types.isEmpty ? .all : .only(types)
    }
}

/// How the devices of a page are spread over events: by their place in it, so that a repetition is spread alike.
public enum EventGeometry {
    /// A quarter of a page. With ids of usual length an event then has less than the 20 kB that the Standard Webhooks
    /// specification recommends as the most.
    public static let devicesPerEvent = 217
}
