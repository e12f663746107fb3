public import LiveActivity
public import TimeCore

/// A request to start devices of a running activity again.
public struct RestartWish: Equatable, Sendable {
    /// The chosen devices. `RestartRules` decides which of them may be started.
    public enum Selection: Equatable, Sendable {
        /// Devices that a start has addressed and not reached.
        case unsent
        /// Devices that the provider refused for a reason that may have passed.
        case failed
        /// Devices that were pushed to, with an unknown outcome.
        case unknown
        /// Devices whose start was accepted at least this long ago, and that have reported nothing since.
        case notSynced(olderThan: TimeInterval)
        /// These devices with any outcome, even if their Live Activity has ended.
        case targets([DeviceKey])
        /// Devices of these slots to which no start was ever sent, as its end has shown.
        case leftOut([UInt32])
        /// Devices whose update token is dead. Also each device that healing has chosen and not reached, or left in
        /// doubt without a report since (`SlotStep.doubt`).
        case healing
    }

    /// The chosen devices, before the rules and `maximumStarts` exclude some.
    public var selection: Selection
    /// The most starts of a device in the activity's life.
    public var maximumStarts: Int

    public init(_ selection: Selection, maximumStarts: Int) {
        self.selection = selection
        self.maximumStarts = maximumStarts
    }
}

/// The result of the preparation of a restart.
public struct RestartPreparation: Sendable {
    /// The slots to be started, in ascending order.
    public internal(set) var slots: [UInt32] = []
    /// The chosen devices that are skipped.
    public internal(set) var skipped = SkipCounts()
    /// Slots of devices that have the token of a chosen device, with the number of the start for that device.
    var newOwners: [UInt32: Int] = [:]

    /// The most devices of one restart, whose list takes four bytes of memory each. Others are left to the next
    /// restart.
    public static let maximumSlots = 2_000_000
}

/// The exclusive right to restart devices of an activity. It ends when the next restart is recorded, or expires.
public struct RestartLock: Sendable {
    let hold: StoreLock

    var token: String { hold.token }
}
