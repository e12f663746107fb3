public import LiveActivity
public import TimeCore

/// Who is started again in an activity that runs.
public struct RestartWish: Equatable, Sendable {
    /// Which devices are meant; `RestartRules` says which of them may be started on.
    public enum Selection: Equatable, Sendable {
        /// Whoever a start has addressed and not come to.
        case unsent
        /// Whoever the provider refused, for a reason that may have passed.
        case failed
        /// Whoever was pushed to, and nobody knows what became of it.
        case unknown
        /// Whoever's start was accepted so long ago, and who has reported nothing since.
        case notSynced(olderThan: TimeInterval)
        /// These, whatever became of them; a Live Activity that has ended is no hindrance.
        case targets([DeviceKey])
        /// Those of these slots that a start has never been sent to, as it turned out behind its end.
        case leftOut([UInt32])
        /// Whoever has lost a Live Activity: the update token was called dead, or the start was accepted so long ago
        /// and nothing was reported since (nil: that is no reason). Also each device that healing has chosen and not
        /// reached, or left in doubt and that has been silent since (`Healing.doubt`).
        case healing(silence: TimeInterval?)
    }

    /// Who is meant, before the rules and `maximumStarts` take some of them out.
    public var selection: Selection
    /// How many starts a device may get in the activity's life.
    public var maximumStarts: Int

    public init(_ selection: Selection, maximumStarts: Int) {
        self.selection = selection
        self.maximumStarts = maximumStarts
    }
}

/// What a restart has found and made ready.
public struct RestartPreparation: Sendable {
    /// Those to be started on, in ascending order.
    public internal(set) var slots: [UInt32] = []
    /// Those that were meant, and are passed over.
    public internal(set) var skipped = SkipCounts()
    /// Slots of devices that have the token of a device that was meant, with the number of the start for that device.
    var newOwners: [UInt32: Int] = [:]

    /// The most devices of one restart: their list is kept in memory, four bytes each. What is left is the next one's.
    public static let maximumSlots = 2_000_000
}

/// Says that restarts of an activity are one's own to make, until the next is recorded or whoever has this is gone.
public struct RestartLock: Sendable {
    let hold: StoreLock

    var token: String { hold.token }
}
