import LiveActivity

extension Keys {
    static func schedule(_ activity: UniqueID, _ id: UniqueID) -> String { Keys.activity(activity, ":s:", id) }

    /// The schedules of the activity that wait, by when they are due.
    static func pendingSchedules(_ activity: UniqueID) -> String { Keys.activity(activity, ":s") }

    /// The schedules of the activity's users that wait, by when they are due.
    static func usersSchedules(_ activity: UniqueID) -> String { Keys.activity(activity, ":us") }

    /// Those of one user.
    static func schedules(ofUser insiderID: String, _ activity: UniqueID) -> String {
        "\(usersSchedules(activity)):\(insiderID)"
    }

    /// Those that have ended, by when.
    static func endedSchedules(_ activity: UniqueID) -> String { Keys.activity(activity, ":p") }
}
