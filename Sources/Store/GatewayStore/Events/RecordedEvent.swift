import Encodings
public import EventCore
import LiveActivity
import Secrets
public import TimeCore

/// Something that happened, as streams and receivers see it.
public struct RecordedEvent: Equatable, Sendable {
    /// The same for every repetition, so that receivers can tell one.
    public let id: String
    /// What happened.
    public let type: EventType
    /// When it was recorded, by the store's clock; of a finished broadcast, when that was.
    public let time: WallTime
    /// JSON.
    public let data: [UInt8]

    public init(id: String, type: EventType, time: WallTime, data: [UInt8]) {
        self.id = id
        self.type = type
        self.time = time
        self.data = data
    }

    /// An id that is made from what the event tells of.
    static func id(_ type: EventType, _ parts: any CustomStringConvertible...) -> String {
        let text = ([type.rawValue] + parts.map(\.description)).joined(separator: "\n")
        return "evt_" + Hexadecimal.encode(Array(Digest.sha256(Array(text.utf8)).prefix(16)))
    }

    /// The event as a receiver gets it: one JSON object.
    public var body: [UInt8] {
        JSONWriter.object {
            $0.field("id", id)
            $0.field("type", type.rawValue)
            $0.field("timestamp", time.rfc3339)
            $0.raw("data", data)
        }
    }
}

/// The bounds of what is kept of a tenant's events.
public struct EventLimits: Sendable {
    /// Entries of the stream, about.
    public var streamLength = 10_000
    /// Events that wait for one webhook; what comes beyond is given up at once.
    public var pending = 10_000
    /// Events that were given up and can be sent again, for each webhook; the oldest goes.
    public var deadLetters = 10_000
    /// How long these are kept.
    public var deadLetterLifetime = TimeInterval.seconds(30 * 86_400)
    /// Webhooks of one tenant.
    public var webhooks = 10

    /// For how long an event is known by its id, so that a repetition is not recorded again.
    static let remembered = TimeInterval.seconds(3600)

    public init() {}
}
