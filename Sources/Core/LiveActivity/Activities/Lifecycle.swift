public import TimeCore

/// What a customer can ask of an activity.
public enum ActivityCommand: CaseIterable, Sendable {
    case addUsers, removeUsers, start, restart, update, end
}

/// Why a command is refused by the activity's state.
public enum ActivityRefusal: Error, Equatable, Sendable {
    /// Never registered, another tenant's, ended or expired: indistinguishable on purpose.
    case notFound
    case typeMismatch(registered: String)
    case alreadyStarted
    case notStarted
}

/// The rules of an activity's life, without clock or store. The store's scripts repeat only the comparison of states
/// that makes a decision atomic; the rules stand here.
public enum Lifecycle {
    /// The shortest and longest time from register to `ends_at`.
    public static let shortestLife = TimeInterval.seconds(5 * 60)
    /// The longest time from register to `ends_at`.
    public static let longestLife = TimeInterval.seconds(7 * 86_400)
    /// The most by which a caller's clock and the time that its request takes may move a time that it names.
    public static let clockTolerance = TimeInterval.seconds(5)

    /// Why an activity may not end at a time.
    public enum EndsAtRefusal: Error, Equatable, Sendable {
        case inPast, tooSoon, tooFar
    }

    /// Whether an activity registered at `now` may end at `endsAt`.
    public static func refusal(endsAt: WallTime, now: WallTime) -> EndsAtRefusal? {
        if endsAt <= now { return .inPast }
        if endsAt + clockTolerance < now + shortestLife { return .tooSoon }
        if endsAt > now + longestLife + clockTolerance { return .tooFar }
        return nil
    }

    /// Why `command` cannot be carried out, nil when it can. The order is the contract's: existence, type, state. A
    /// second start is refused whatever its type, because its caller asks whether the activity is started.
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
        // Its Live Activities were opened by their devices: there is no start that could have left anybody out.
        case (.restart, .started) where activity.externalID != nil: return .notStarted
        default: return nil
        }
    }
}
