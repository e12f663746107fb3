import Foundation

/// A Live Activity on this phone, as known to the library.
public struct KnownLiveActivity: Codable, Hashable, Sendable {
    /// The system's id: `Activity.id`.
    public let systemID: String
    /// The name of its ActivityAttributes type.
    public let activityType: String
    /// The gateway's id of the activity, from its answer or from the attributes.
    public var activityID: String? { answeredID ?? attributesID }
    /// The app's name of the activity, if the app started it.
    public internal(set) var externalID: ExternalActivity?
    /// The login for which it is reported; nil if it is not reported. It is set when the Live Activity is found, or at
    /// the next sign-in.
    public internal(set) var identity: DeviceIdentity?
    /// The present phase.
    public internal(set) var phase = LiveActivityPhase.active
    /// True if it has an update token. A Live Activity that a push started has none until the user taps *Allow*. One on
    /// a channel never has one.
    public var hasUpdateToken: Bool { token != nil }

    var token: String?
    /// The gateway's id of the activity in the attributes.
    var attributesID: String?
    /// The gateway's id of the activity in its answer.
    var answeredID: String?
    var fingerprint: String?
    var staleDate: Date?
    var staleAfter: TimeInterval?
    let foundAt: Moment
    /// The time at which it was found or last showed new content.
    var heardAt: Moment
    /// The time at which it was found overdue after the app had not run.
    var overdueSince: Moment?
    /// The time since which the system's inventory lacks it.
    var missingSince: Moment?
    /// True if the app or this library ended it. Its removal is then not a dismissal by the user.
    var isEndedHere = false
}

extension KnownLiveActivity {
    var sync: Report {
        .sync(
            Report.SyncReport(
                systemID: systemID, activityType: activityType, activityID: attributesID, external: externalID,
                token: token))
    }

    /// The seconds until it counts as abandoned, negative after that; nil for no limit.
    private func secondsLeft(_ usual: TimeInterval?, at now: Moment) -> TimeInterval? {
        guard phase == .active, missingSince == nil, !isEndedHere, let limit = staleAfter ?? usual else { return nil }
        let left = limit - now.elapsed(since: heardAt)
        // The content's stale date may extend the time. It is capped because the clock may have been set back.
        let longest = LiveActivities.longestLife - now.elapsed(since: foundAt)
        return staleDate.map { max(left, min($0.timeIntervalSince(now.wall), longest)) } ?? left
    }

    /// The seconds until the missing content requires an action; nil if it never does.
    func secondsUntilStale(_ usual: TimeInterval?, at now: Moment) -> TimeInterval? {
        guard let left = secondsLeft(usual, at: now) else { return nil }
        guard left <= 0, let overdueSince else { return max(0, left) }
        return max(0, LiveActivities.secondLook - now.elapsed(since: overdueSince))
    }

    /// True if it is overdue by over two seconds, so that the app cannot have run then. New content is probably
    /// reported soon.
    func isLongOverdue(_ usual: TimeInterval?, at now: Moment) -> Bool {
        secondsLeft(usual, at: now).map { $0 < -2 } ?? false
    }
}
