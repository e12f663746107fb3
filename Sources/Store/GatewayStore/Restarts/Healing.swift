public import LiveActivity
import RosterCore
import TimeCore

/// The rules for new starts of devices that have lost their Live Activity: those with a dead update token.
public struct Healing: Equatable, Sendable {
    /// The most starts of a device after its first one, including those requested by clients.
    public var limit: Int

    public init(limit: Int) {
        self.limit = limit
    }

    /// See `SlotStep.grace`.
    static let grace = TimeInterval.seconds(Int(SlotStep.grace))

    /// The restart request of this healing.
    public var wish: RestartWish { RestartWish(.healing, maximumStarts: 1 + limit) }
}

/// The content and position that the store keeps for the healing of an activity.
public struct HealingState: Sendable {
    /// The content of a start now: the texts and attributes of the start with the newest content sent to the whole
    /// segment. Nil if it was sealed with a key that this gateway lacks.
    public let payload: Payload?
    /// The next page of the roster to search.
    public let page: Int
}

/// The result of a search of a part of a roster.
public struct HealingLook: Equatable, Sendable {
    /// The pages that hold a device to be started again, as far as the store knows.
    public let pages: [Int]
    /// The page at which the next search begins; 0 if this was the last part.
    public let next: Int
}

extension Healing {
    /// Reads the values of the activity's hash, see `fields`.
    init?(_ limit: String?) {
        guard let limit = limit.flatMap({ Int($0) }) else { return nil }
        self.init(limit: limit)
    }

    /// Fields of the activity's hash with their values.
    var fields: [String] { ["heal", "\(limit)"] }
}

extension TimeInterval {
    var wholeSeconds: Int64 { Int64(nanoseconds / 1_000_000_000) }
}
