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
    /// Those before it that were in force when it was replaced, the oldest first.
    public let olderSecrets: [FormerSecret]
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
        olderSecrets = Webhook.olderSecrets(values["older_secrets"] ?? [])
        rotation = text("rotation").flatMap { UniqueID($0) }
    }

    /// Of those before the one before the present one so many are kept.
    static let mostOlderSecrets = 9

    /// Reads what `older-secrets.lua` writes, as far as it can be read.
    private static func olderSecrets(_ bytes: [UInt8]) -> [FormerSecret] {
        var rest = bytes[...]
        func number() -> Int64? {
            guard let colon = rest.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            defer { rest = rest[(colon + 1)...] }
            return Int64(String(decoding: rest[..<colon], as: UTF8.self))
        }
        var secrets: [FormerSecret] = []
        while let until = number(), let length = number(), length >= 0, length <= rest.count {
            secrets.append(FormerSecret(sealed: Array(rest.prefix(Int(length))), until: WallTime(milliseconds: until)))
            rest = rest.dropFirst(Int(length))
        }
        return secrets
    }

    /// The sealed secrets that sign at a time: the present one, and those before it that are in force, the newest
    /// first.
    public func secrets(at now: WallTime) -> [[UInt8]] {
        var former = olderSecrets
        if let oldSecret, let oldSecretUntil { former.append(FormerSecret(sealed: oldSecret, until: oldSecretUntil)) }
        return [secret] + former.reversed().filter { now < $0.until }.map(\.sealed)
    }

    /// A secret that was replaced.
    public struct FormerSecret: Equatable, Sendable {
        /// As the store has it.
        public let sealed: [UInt8]
        /// Until when it is in force.
        public let until: WallTime
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
