public import TimeCore

/// The rules of schedules, without clock or store.
public enum ScheduleRules {
    /// The maximum number of pending schedules of an activity.
    public static let maximumPending = 100
    /// The maximum number of pending schedules of an activity by a user's apps.
    public static let maximumPendingOfUser = 20
    /// The maximum number of devices in a schedule's target list.
    public static let maximumTargets = 10_000
    /// The maximum length of a name, in UTF-8 bytes.
    public static let maximumNameLength = 250

    /// True if a schedule may have this time: not in the past by any clock, and before the activity's end.
    public static func allows(_ time: WallTime, endsAt: WallTime, now: WallTime) -> Bool {
        now <= time + Lifecycle.clockTolerance && time < endsAt
    }

    /// The action for a schedule at a given time.
    public enum Timing: Equatable, Sendable {
        case now
        case later(WallTime)
        /// The schedule is too old to run.
        case expired
    }

    /// - Parameter expiresAfter: The maximum delay of the run; nil for any delay.
    public static func timing(_ time: WallTime, expiresAfter: TimeInterval?, now: WallTime) -> Timing {
        if now < time { return .later(time) }
        if let expiresAfter, now > time + expiresAfter { return .expired }
        return .now
    }

    /// The result of cancelling a schedule for some devices.
    public enum Cancelling: Equatable, Sendable {
        /// The target list contains none of the devices, or the schedule is for the whole segment.
        case untouched
        case dropped
        /// The remaining target list.
        case narrowed([DeviceKey])
    }

    /// - Parameters:
    ///   - targets: The schedule's target list; nil for the whole segment, from which no device can be removed.
    ///   - devices: The devices for which it is cancelled.
    public static func cancelling(_ targets: [DeviceKey]?, for devices: Set<DeviceKey>) -> Cancelling {
        guard let targets else { return .untouched }
        let left = targets.filter { !devices.contains($0) }
        if left.count == targets.count { return .untouched }
        return left.isEmpty ? .dropped : .narrowed(left)
    }
}
