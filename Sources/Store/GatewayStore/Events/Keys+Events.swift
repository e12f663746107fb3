import LiveActivity

// All of a tenant's events have one hash tag, so that publishing is one step.
extension Keys {
    private static func tag(_ tenantID: String) -> String { "fanfare:{e:\(tenantID)}" }

    /// What is recorded for the tenant: `stream`, `w:ID` for each webhook that is switched on with the types it wants,
    /// `x:ID` for the others, and `on` when there is anything to record for.
    static func eventSettings(_ tenantID: String) -> String { tag(tenantID) + ":on" }

    /// The stream, for whoever follows it.
    static func eventStream(_ tenantID: String) -> String { tag(tenantID) }

    /// The stream of the events that devices cause.
    static func deviceEventStream(_ tenantID: String) -> String { tag(tenantID) + ":devices" }

    /// Both streams, as the scripts take them.
    static func eventStreams(_ tenantID: String) -> [String] { [eventStream(tenantID), deviceEventStream(tenantID)] }

    /// What the keys of events begin with: that an event was published, and its text while a webhook needs it.
    static func eventPrefix(_ tenantID: String) -> String { tag(tenantID) + ":v:" }

    /// A webhook. Beside it `:q` has its events by when they are due, `:b` by when they came, `:d` those that were
    /// given up, `:n` how often each was tried, and `:a` the tries of the last day.
    static func webhook(_ tenantID: String, _ id: String) -> String { webhookPrefix(tenantID) + id }

    static func webhookPrefix(_ tenantID: String) -> String { tag(tenantID) + ":w:" }

    /// All keys of a webhook, as the scripts take them.
    static func webhookKeys(_ tenantID: String, _ id: String) -> [String] {
        let key = webhook(tenantID, id)
        return [key, "\(key):q", "\(key):b", "\(key):n", "\(key):d", eventSettings(tenantID)]
    }

    /// The tries of a webhook, the newest first.
    static func attempts(_ tenantID: String, _ id: String) -> String { "\(webhook(tenantID, id)):a" }

    /// What the finished pages of a partition have to tell, and has not been published.
    static func untold(_ activity: UniqueID, _ partition: Int, _ broadcast: UniqueID) -> String {
        "\(progress(activity, partition, broadcast)):e"
    }

    /// Which gateway delivers the tenant's events.
    static func webhookLease(_ tenantID: String) -> String { tag(tenantID) + ":lease" }

    /// The ids of all tenants with webhooks.
    static let webhookTenants = "fanfare:webhooks"
}
