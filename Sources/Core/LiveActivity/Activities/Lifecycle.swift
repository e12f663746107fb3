public import TimeCore

/// A customer's command for an activity.
public enum ActivityCommand: CaseIterable, Sendable {
    case addUsers, removeUsers, start, restart, update, end
}

/// The refusal of a command because of the activity's state.
public enum ActivityRefusal: Error, Equatable, Sendable {
    /// Never registered, another tenant's, ended or expired. The error deliberately does not distinguish these.
    case notFound
    case typeMismatch(registered: String)
    case alreadyStarted
    case notStarted
}

/// The rules of an activity's life cycle, without clock or store. The store's scripts repeat only the state comparison
/// that makes a decision atomic.
public enum Lifecycle {
    /// The shortest time from register to `ends_at`.
    public static let shortestLife = TimeInterval.seconds(5 * 60)
    /// The longest time from register to `ends_at`.
    public static let longestLife = TimeInterval.seconds(7 * 86_400)
    /// The tolerance for a time in a request, because of the caller's clock and the request's duration.
    public static let clockTolerance = TimeInterval.seconds(5)

    /// The reason for refusing an end time.
    public enum EndsAtRefusal: Error, Equatable, Sendable {
        case inPast, tooSoon, tooFar
    }

    /// Returns the reason why an activity registered at `now` may not end at `endsAt`; nil if it may.
    public static func refusal(endsAt: WallTime, now: WallTime) -> EndsAtRefusal? {
        if endsAt <= now { return .inPast }
        if endsAt + clockTolerance < now + shortestLife { return .tooSoon }
        if endsAt > now + longestLife + clockTolerance { return .tooFar }
        return nil
    }

    /// Returns the reason for refusing `command`; nil if it is allowed. The order is the contract's: existence, type,
    /// state. A second start is refused for any type, because its caller asks whether the activity is started.
    public static func refusal(
        of command: ActivityCommand, for activity: Activity?, tenantID: String, type: String, now: WallTime
    ) -> ActivityRefusal? {
        guard let activity, activity.tenantID == tenantID, activity.state != .dead, now < activity.endsAt else {
            return .notFound
        }
        if command == .start, activity.state == .started { return .alreadyStarted }
        guard activity.type.utf8.elementsEqual(type.utf8) else { return .typeMismatch(registered: activity.type) }
        switch (command, activity.state) {
        case (.addUsers, .started), (.removeUsers, .started): return .alreadyStarted
        case (.update, .registered), (.restart, .registered): return .notStarted
        // Devices opened its Live Activities, so there is no start that could be repeated.
        case (.restart, .started) where activity.externalID != nil: return .notStarted
        default: return nil
        }
    }
}
