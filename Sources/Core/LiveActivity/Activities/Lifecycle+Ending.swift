public import TimeCore

// The ends that the gateway itself gives to activities.
extension Lifecycle {
    /// The longest time for which a Live Activity is active on iOS (Apple, "Displaying live data with Live
    /// Activities").
    public static let platformLifetime = TimeInterval.seconds(8 * 3600)

    /// The longest time for which iOS shows a Live Activity: four hours more on the Lock Screen (same source).
    public static let shownLifetime = TimeInterval.seconds(12 * 3600)

    /// The end of an activity whose time may be up.
    public enum Ending: Equatable, Sendable {
        case now(EndReason)
        case later(WallTime)
        /// The activity has ended.
        case never
    }

    /// - Parameter lifetime: The longest time for which a started activity may run; nil for any time.
    public static func ending(of activity: Activity, lifetime: TimeInterval?, now: WallTime) -> Ending {
        guard activity.state != .dead else { return .never }
        if now >= activity.endsAt { return .now(.expired) }
        let next = nextEnd(of: activity, lifetime: lifetime)
        return now >= next ? .now(.lifetime) : .later(next)
    }

    /// The time at which a live activity is ended: the earlier of its expiry and the end of its lifetime.
    ///
    /// An activity that devices opened by themselves has no lifetime: each of its Live Activities is as old as its
    /// device's report.
    public static func nextEnd(of activity: Activity, lifetime: TimeInterval?) -> WallTime {
        guard let lifetime, activity.externalID == nil, let startedAt = activity.startedAt else {
            return activity.endsAt
        }
        return min(activity.endsAt, startedAt + lifetime)
    }
}
