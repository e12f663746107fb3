import LiveActivity

extension Keys {
    /// The lock of the gateway that prepares a restart. It is held until the restart is recorded.
    static func restartLock(_ id: UniqueID) -> String { Keys.activity(id, ":restart") }

    /// The recent restarts, each with its devices: see `RestartMark`.
    static func restarts(_ id: UniqueID) -> String { Keys.activity(id, ":restarts") }

    /// The content that is kept for the healing of an activity: see `healing.lua`.
    static func healing(_ id: UniqueID) -> String { Keys.activity(id, ":heal") }

    /// The number of starts of slots that differ from one, as a hash from slot to number.
    static func startCounts(_ activity: UniqueID, _ partition: Int) -> String {
        "\(Keys.partition(activity, partition)):r"
    }
}
