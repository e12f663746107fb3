import LiveActivity

// All of a tenant's events have one hash tag, so that publishing is one step.
extension Keys {
    private static func tag(_ tenantID: String) -> String { "fanfare:{e:\(tenantID)}" }

    /// The tenant's event settings: `stream`, `audit`, and the types of each webhook as `w:ID` if enabled, else as
    /// `x:ID`. The field `on` is 1 if the stream or any webhook is enabled.
    static func eventSettings(_ tenantID: String) -> String { tag(tenantID) + ":on" }

    /// The stream that clients follow.
    static func eventStream(_ tenantID: String) -> String { tag(tenantID) }

    /// The stream of events caused by devices.
    static func deviceEventStream(_ tenantID: String) -> String { tag(tenantID) + ":devices" }

    /// Both streams.
    static func eventStreams(_ tenantID: String) -> [String] { [eventStream(tenantID), deviceEventStream(tenantID)] }

    /// The key prefix of events. An event's key marks it as published, and holds its text while a webhook needs it.
    static func eventPrefix(_ tenantID: String) -> String { tag(tenantID) + ":v:" }

    /// A webhook. Keys with a suffix hold its events by due time (`:q`) and arrival (`:b`), and its dead letters
    /// (`:d`). Others hold the attempts per event (`:n`) and the latest attempts (`:a`).
    static func webhook(_ tenantID: String, _ id: String) -> String { webhookPrefix(tenantID) + id }

    static func webhookPrefix(_ tenantID: String) -> String { tag(tenantID) + ":w:" }

    /// The keys of a webhook's events.
    static func deliveries(
        _ tenantID: String, _ id: String
    ) -> (queue: String, arrivals: String, tries: String, deadLetters: String) {
        let key = webhook(tenantID, id)
        return ("\(key):q", "\(key):b", "\(key):n", "\(key):d")
    }

    /// The attempts of a webhook, newest first.
    static func attempts(_ tenantID: String, _ id: String) -> String { "\(webhook(tenantID, id)):a" }

    /// The outbox entries of a partition's finished pages that are not published yet.
    static func untold(_ activity: UniqueID, _ partition: Int, _ broadcast: UniqueID) -> String {
        "\(progress(activity, partition, broadcast)):e"
    }

    /// The lease of the gateway that delivers the tenant's events.
    static func webhookLease(_ tenantID: String) -> String { tag(tenantID) + ":lease" }

    /// The ids of all tenants with webhooks.
    static let webhookTenants = "fanfare:webhooks"
}
