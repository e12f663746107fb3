import Encodings
public import EventCore
import LiveActivity
import Secrets
public import TimeCore

/// An event in the form in which streams and webhooks receive it.
public struct RecordedEvent: Equatable, Sendable {
    /// The event's id, equal for each repetition so that receivers can drop duplicates.
    public let id: String
    /// The type of the event.
    public let type: EventType
    /// The time of the record by the store's clock; for a finished broadcast, the time at which it finished.
    public let time: WallTime
    /// The event's data as JSON.
    public let data: [UInt8]

    public init(id: String, type: EventType, time: WallTime, data: [UInt8]) {
        self.id = id
        self.type = type
        self.time = time
        self.data = data
    }

    /// Derives an id from the type and the parts. Equal parts give the same id.
    static func id(_ type: EventType, _ parts: any CustomStringConvertible...) -> String {
        let text = ([type.rawValue] + parts.map(\.description)).joined(separator: "\n")
        return "evt_" + Hexadecimal.encode(Array(Digest.sha256(Array(text.utf8)).prefix(16)))
    }

    /// The event as a receiver gets it: a JSON object.
    public var body: [UInt8] {
        JSONWriter.object {
            $0.field("id", id)
            $0.field("type", type.rawValue)
            $0.field("timestamp", time.rfc3339)
            $0.raw("data", data)
        }
    }
}

/// The limits of a tenant's stored events.
public struct EventLimits: Sendable {
    /// The approximate length of the stream.
    public var streamLength = 10_000
    /// The number of pending events per webhook, and half of it for events of devices. Further events become dead
    /// letters at once, or are dropped.
    public var pending = 10_000
    /// The number of dead letters per webhook. The oldest are dropped.
    public var deadLetters = 10_000
    /// The time for which dead letters are kept.
    public var deadLetterLifetime = TimeInterval.seconds(30 * 86_400)
    /// The number of webhooks per tenant.
    public var webhooks = 10

    /// The time for which an event's id is kept, so that a repetition is not recorded again.
    static let remembered = TimeInterval.seconds(3600)

    public init() {}
}
