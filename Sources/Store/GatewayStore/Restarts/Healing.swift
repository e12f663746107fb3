public import LiveActivity
public import TimeCore

/// Whether an activity starts devices again by itself that have lost their Live Activity: always those whose update
/// token the provider has called dead.
public struct Healing: Equatable, Sendable {
    /// Also those whose start was accepted so long ago and that have reported nothing since; nil for not.
    public var silence: TimeInterval?
    /// How many starts a device may get after its first one, whoever asks for them.
    public var limit: Int

    public init(silence: TimeInterval? = nil, limit: Int) {
        self.silence = silence
        self.limit = limit
    }

    /// A device that a start of healing has left in doubt is started again after this silence, or after `silence` if
    /// that is longer. Such a device reported a Live Activity before, or is healed because of its silence. If it had
    /// got the start, it would report again.
    static let doubt = TimeInterval.seconds(120)

    /// `silence` in whole seconds.
    public var silenceSeconds: Int64? { silence?.wholeSeconds }

    /// Whom it starts.
    public var wish: RestartWish { RestartWish(.healing(silence: silence), maximumStarts: 1 + limit) }
}

/// What is kept of an activity for its healing.
public struct HealingState: Sendable {
    /// What a Live Activity is started with now: the start's texts and attributes with the newest content that was sent
    /// to the whole segment. Nil when it was sealed with a key that this gateway has not.
    public let payload: Payload?
    /// The page of the roster to look at next.
    public let page: Int
}

/// What a look at a part of a roster has found.
public struct HealingLook: Equatable, Sendable {
    /// The pages that hold somebody to be started again, as far as the store can tell.
    public let pages: [Int]
    /// Where the next look is to begin; 0 when this was the last part.
    public let next: Int
}

extension Healing {
    /// As the activity's hash has it, see `fields`.
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
