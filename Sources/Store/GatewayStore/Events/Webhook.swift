public import EventCore
public import LiveActivity
public import TimeCore

/// A receiver of a tenant's events.
public struct Webhook: Equatable, Sendable {
    /// Unique among the tenant's.
    public let id: String
    /// Where events go, as the customer gave it.
    public let url: String
    /// Which events go there.
    public let filter: EventFilter
    /// Whether events are sent. The customer can switch it, and the gateway switches it off when the receiver wants
    /// nothing more.
    public let isEnabled: Bool
    /// Why it was switched off, when not by the customer.
    public let disabledReason: String?
    /// When it was made.
    public let createdAt: WallTime
    /// Until when the secret before the present one is in force too; nil when there is none.
    public let oldSecretUntil: WallTime?
    /// Failures since the last delivery that succeeded.
    public let failures: Int
    /// Events that the receiver took, all in all.
    public let delivered: Int
    /// Failed tries, all in all.
    public let failed: Int
    /// Events that were given up and are gone, because there were too many of them.
    public let dropped: Int
    /// When the receiver last took one; nil before the first.
    public let lastDeliveryAt: WallTime?
    /// When a try last failed; nil when none has.
    public let lastFailureAt: WallTime?
    /// Why that try failed, in words for people; nil when none has. It stays when later tries succeed.
    public let lastError: String?
    /// The present secret, sealed.
    public let secret: [UInt8]
    /// The secret before, sealed. It is in force until `oldSecretUntil`; nil when there is none.
    public let oldSecret: [UInt8]?
    /// Names the change of the secret that was the last; nil when there was none.
    public let rotation: UniqueID?

    init?(id: String, _ fields: [RedisField]) {
        var values: [String: [UInt8]] = [:]
        for (name, value) in fields { values[String(decoding: name, as: UTF8.self)] = value }
        func text(_ name: String) -> String? { values[name].map { String(decoding: $0, as: UTF8.self) } }
        func number(_ name: String) -> Int { text(name).flatMap { Int($0) } ?? 0 }
        func time(_ name: String) -> WallTime? { text(name).flatMap { Int64($0) }.map(WallTime.init(milliseconds:)) }
        guard let url = text("url"), let types = text("types"), let createdAt = time("created_at"),
            let secret = values["secret"]
        else { return nil }
        self.id = id
        self.url = url
        filter = EventFilter(text: types)
        isEnabled = text("enabled") == "1"
        disabledReason = text("reason")
        self.createdAt = createdAt
        oldSecretUntil = time("old_until")
        failures = number("failures")
        delivered = number("delivered")
        failed = number("failed")
        dropped = number("dropped")
        lastDeliveryAt = time("last_delivery")
        lastFailureAt = time("last_failure")
        lastError = text("last_error")
        self.secret = secret
        oldSecret = values["old_secret"]
        rotation = text("rotation").flatMap { UniqueID($0) }
    }
}

/// How many events a webhook has.
public struct WebhookCounts: Equatable, Sendable {
    /// Not delivered yet.
    public let pending: Int
    /// Given up.
    public let deadLetters: Int
}

/// An event that was given up for a webhook.
public struct DeadLetter: Equatable, Sendable {
    /// What the receiver was not told.
    public let event: RecordedEvent
    /// When it was given up.
    public let diedAt: WallTime
    /// Tries, all of which failed.
    public let attempts: Int
    /// Why the last one failed, in words for people; nil when none was made.
    public let lastError: String?
}
