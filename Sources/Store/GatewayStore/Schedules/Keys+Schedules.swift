import LiveActivity

extension Keys {
    static func schedule(_ activity: UniqueID, _ id: UniqueID) -> String { "\(Keys.activity(activity)):s:\(id)" }

    /// The schedules of the activity that wait, by when they are due.
    static func pendingSchedules(_ activity: UniqueID) -> String { "\(Keys.activity(activity)):s" }

    /// Those that have ended, by when.
    static func endedSchedules(_ activity: UniqueID) -> String { "\(Keys.activity(activity)):p" }
}
