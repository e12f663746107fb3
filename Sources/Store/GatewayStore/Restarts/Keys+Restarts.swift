import LiveActivity

extension Keys {
    /// Held by whoever prepares a restart, until it is recorded.
    static func restartLock(_ id: UniqueID) -> String { Keys.activity(id, ":restart") }

    /// The restarts of a while, each with its devices, see `RestartMark`.
    static func restarts(_ id: UniqueID) -> String { Keys.activity(id, ":restarts") }

    /// What is kept for the healing of an activity, see `healing.lua`.
    static func healing(_ id: UniqueID) -> String { Keys.activity(id, ":heal") }

    /// How many starts slots of the partition were sent, where it is not one: slot -> number.
    static func startCounts(_ activity: UniqueID, _ partition: Int) -> String {
        "\(Keys.partition(activity, partition)):r"
    }
}
