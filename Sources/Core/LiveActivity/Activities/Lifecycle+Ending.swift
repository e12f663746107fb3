public import TimeCore

// When the gateway itself ends an activity.
extension Lifecycle {
    /// How long the active part of an activity lasts on the platform (Apple, "Displaying live data with Live
    /// Activities").
    public static let platformLifetime = TimeInterval.seconds(8 * 3600)

    /// What is to be done about an activity whose time may have come.
    public enum Ending: Equatable, Sendable {
        case now(EndReason)
        case later(WallTime)
        /// It has ended.
        case never
    }

    /// - Parameter lifetime: how long a started activity may run; nil for as long as it likes.
    public static func ending(of activity: Activity, lifetime: TimeInterval?, now: WallTime) -> Ending {
        guard activity.state != .dead else { return .never }
        if now >= activity.endsAt { return .now(.expired) }
        let next = nextEnd(of: activity, lifetime: lifetime)
        return now >= next ? .now(.lifetime) : .later(next)
    }

    /// The time at which an activity that lives is ended: that of its expiry or of its lifetime, whichever comes first.
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
