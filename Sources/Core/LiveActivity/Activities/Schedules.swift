public import TimeCore

/// The rules of schedules, without clock or store.
public enum ScheduleRules {
    /// The most schedules of one activity that may wait at once.
    public static let maximumPending = 100
    /// The most that a user's apps may have waiting for one activity.
    public static let maximumPendingOfUser = 20
    /// The most devices that one of them may address by a list.
    public static let maximumTargets = 10_000
    /// The longest name, in UTF-8 bytes.
    public static let maximumNameLength = 250

    /// Whether a schedule may be for this time: not in the past by any clock, and while the activity lives.
    public static func allows(_ time: WallTime, endsAt: WallTime, now: WallTime) -> Bool {
        now <= time + Lifecycle.clockTolerance && time < endsAt
    }

    /// What is to be done about a schedule whose time may have come.
    public enum Timing: Equatable, Sendable {
        case now
        case later(WallTime)
        /// It is older than it may be.
        case expired
    }

    /// - Parameter expiresAfter: how late it may be carried out; nil for however late.
    public static func timing(_ time: WallTime, expiresAfter: TimeInterval?, now: WallTime) -> Timing {
        if now < time { return .later(time) }
        if let expiresAfter, now > time + expiresAfter { return .expired }
        return .now
    }

    /// What is left of a schedule when it is cancelled for some devices.
    public enum Cancelling: Equatable, Sendable {
        /// None of them is on its list, or it is for the whole segment.
        case untouched
        case dropped
        /// The others on its list are left.
        case narrowed([DeviceKey])
    }

    /// - Parameters:
    ///   - targets: the schedule's list; nil for the whole segment, which loses no single device.
    ///   - devices: those that it is cancelled for.
    public static func cancelling(_ targets: [DeviceKey]?, for devices: Set<DeviceKey>) -> Cancelling {
        guard let targets else { return .untouched }
        let left = targets.filter { !devices.contains($0) }
        if left.count == targets.count { return .untouched }
        return left.isEmpty ? .dropped : .narrowed(left)
    }
}
