public import EventCore
public import LiveActivity
public import TimeCore

/// A receiver of a tenant's events, with its settings and statistics.
public struct Webhook: Equatable, Sendable {
    /// The id, unique within the tenant.
    public let id: String
    /// The receiver's URL as the customer gave it.
    public let url: String
    /// The types of events that the receiver gets.
    public let filter: EventFilter
    /// True if events are sent. The customer can change it, and the gateway disables a webhook that answers 410.
    public let isEnabled: Bool
    /// The reason if the gateway disabled the webhook.
    public let disabledReason: String?
    /// The time at which the webhook was added.
    public let createdAt: WallTime
    /// The end of the former secret's validity; nil if there is none.
    public let oldSecretUntil: WallTime?
    /// Failed attempts since the last successful delivery or change of the webhook.
    public let failures: Int
    /// The total of delivered events.
    public let delivered: Int
    /// The total of failed attempts.
    public let failed: Int
    /// The total of events dropped because there were too many.
    public let dropped: Int
    /// The time of the last successful delivery; nil before the first.
    public let lastDeliveryAt: WallTime?
    /// The time of the last failed attempt; nil if none has failed.
    public let lastFailureAt: WallTime?
    /// The readable reason of the last failure; nil if none has failed. It stays after later successes.
    public let lastError: String?
    /// The present secret, sealed.
    public let secret: [UInt8]
    /// The former secret, sealed. It is valid until `oldSecretUntil`; nil if there is none.
    public let oldSecret: [UInt8]?
    /// The earlier secrets that were valid at the last rotation, oldest first.
    public let olderSecrets: [FormerSecret]
    /// The id of the last rotation; nil if there was none.
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

    static let mostOlderSecrets = 9

    /// Parses the text of `older-secrets.lua` as far as it is well-formed.
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

    /// The sealed secrets that sign at a time: the present one, then the valid former ones, newest first.
    public func secrets(at now: WallTime) -> [[UInt8]] {
        var former = olderSecrets
        if let oldSecret, let oldSecretUntil { former.append(FormerSecret(sealed: oldSecret, until: oldSecretUntil)) }
        return [secret] + former.reversed().filter { now < $0.until }.map(\.sealed)
    }

    /// A secret that was replaced by a rotation.
    public struct FormerSecret: Equatable, Sendable {
        /// The sealed secret.
        public let sealed: [UInt8]
        /// The end of its validity.
        public let until: WallTime
    }
}

/// The number of a webhook's events.
public struct WebhookCounts: Equatable, Sendable {
    /// Events that wait for delivery.
    public let pending: Int
    /// Events that were given up.
    public let deadLetters: Int
}

/// An event that was given up for a webhook.
public struct DeadLetter: Equatable, Sendable {
    /// The event that was not delivered.
    public let event: RecordedEvent
    /// The time at which it was given up.
    public let diedAt: WallTime
    /// The number of attempts, which all failed.
    public let attempts: Int
    /// The readable reason of the last failure or of giving the event up; nil for none.
    public let lastError: String?
}
