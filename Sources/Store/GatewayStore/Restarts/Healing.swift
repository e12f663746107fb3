public import LiveActivity
import RosterCore
public import TimeCore

/// The rules for new starts of devices that have lost their Live Activity. Devices with a dead update token count as
/// lost at any `silence`.
public struct Healing: Equatable, Sendable {
    /// The time after an accepted start at which a device that has reported nothing counts as lost; nil for never.
    public var silence: TimeInterval?
    /// The most starts of a device after its first one, including those requested by clients.
    public var limit: Int

    public init(silence: TimeInterval? = nil, limit: Int) {
        self.silence = silence
        self.limit = limit
    }

    /// See `SlotStep.grace`.
    static let grace = TimeInterval.seconds(Int(SlotStep.grace))

    /// `silence` in whole seconds.
    public var silenceSeconds: Int64? { silence?.wholeSeconds }

    /// The restart request of this healing.
    public var wish: RestartWish { RestartWish(.healing(silence: silence), maximumStarts: 1 + limit) }
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
    init?(limit: String?, silence: String?) {
        guard let limit = limit.flatMap({ Int($0) }) else { return nil }
        self.init(silence: silence.flatMap { Int($0) }.map { .seconds($0) }, limit: limit)
    }

    /// Fields of the activity's hash with their values.
    var fields: [String] {
        ["heal", "\(limit)"] + (silenceSeconds.map { ["heal_after", "\($0)"] } ?? [])
    }
}

extension TimeInterval {
    var wholeSeconds: Int64 { Int64(nanoseconds / 1_000_000_000) }
}
