/// The type of an event. The raw value is its public name.
public enum EventType: String, CaseIterable, Sendable {
    /// The provider accepted the start for these devices, or their apps opened the Live Activity.
    case started = "push.live_activity_started"
    /// The devices reported a new update token.
    case synced = "push.live_activity_synced"
    case updated = "push.live_activity_updated"
    /// The provider accepted the end for these devices, or the user dismissed the Live Activity; see the reason.
    case ended = "push.live_activity_ended"
    /// The provider called the tokens of these devices dead.
    case invalidated = "push.live_activity_invalidated"
    /// The user tapped the Live Activity.
    case tapped = "push.live_activity_tapped"
    /// The user dismissed the Live Activity before its end.
    case dismissed = "push.live_activity_dismissed"
    case broadcastFinished = "broadcast.finished"
    case activityExpired = "activity.expired"
    /// The number of the activity's updates in an hour may cause iOS to slow them down.
    case updateBudget = "activity.update_budget"
    /// An entry of the tenant's audit log, for a change or an attempt. Only for tenants that enabled it.
    case audit = "audit.recorded"
    /// Four fifths of a quota of the tenant are used.
    case quotaNear = "quota.near"
    /// A quota of the tenant is used up.
    case quotaReached = "quota.reached"
    /// Sent on request, to one webhook.
    case test = "webhook.test"

    /// The types to which a webhook can subscribe.
    public static let subscribable = allCases.filter { $0 != .test }
}

/// The event types that a webhook receives.
public enum EventFilter: Equatable, Sendable {
    case all
    /// Never empty.
    case only([EventType])

    /// The stored form: `*`, or names with commas between them.
    public var text: String {
        switch self {
        case .all: "*"
        case .only(let types): types.map(\.rawValue).joined(separator: ",")
        }
    }

    /// Ignores names that this version does not define.
    public init(text: String) {
        let types = text.split(separator: ",").compactMap { EventType(rawValue: String($0)) }
        self = text == "*" || types.isEmpty ? .all : .only(types)
    }
}

/// The distribution of a page's devices over events, by their place in the page. A repetition yields equal events.
public enum EventGeometry {
    /// A quarter of a page. With ids of usual length an event has less than 20 kB, the limit that the Standard Webhooks
    /// specification recommends.
    public static let devicesPerEvent = 217
}
