import LiveActivity

extension Keys {
    static func schedule(_ activity: UniqueID, _ id: UniqueID) -> String { Keys.activity(activity, ":s:", id) }

    /// The waiting schedules of the activity by due time.
    static func pendingSchedules(_ activity: UniqueID) -> String { Keys.activity(activity, ":s") }

    /// The waiting schedules of the activity's users by due time.
    static func usersSchedules(_ activity: UniqueID) -> String { Keys.activity(activity, ":us") }

    /// The waiting schedules of one user by due time.
    static func schedules(ofUser insiderID: String, _ activity: UniqueID) -> String {
        "\(usersSchedules(activity)):\(insiderID)"
    }

    /// The ended schedules by the time of their end.
    static func endedSchedules(_ activity: UniqueID) -> String { Keys.activity(activity, ":p") }
}
