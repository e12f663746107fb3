import Foundation

/// What the library knows of a Live Activity on this phone.
public struct KnownLiveActivity: Codable, Hashable, Sendable {
    /// The system's id: `Activity.id`.
    public let systemID: String
    /// The name of its ActivityAttributes type.
    public let activityType: String
    /// The gateway's id of the activity, once the gateway has said it, or from the attributes.
    public var activityID: String? { answeredID ?? attributesID }
    /// What the app calls it, when the app opened it.
    public internal(set) var externalID: ExternalActivity?
    /// Whom it is reported for: who was signed in when it was found. Nil: nobody was, and nothing is reported.
    public internal(set) var identity: DeviceIdentity?
    /// Where it stands.
    public internal(set) var phase = LiveActivityPhase.active
    /// Whether it has an update token. One that was started by a push gets none before its user has tapped *Allow*, one
    /// on a channel gets none at all.
    public var hasUpdateToken: Bool { token != nil }

    var token: String?
    /// The gateway's id of the activity in the attributes.
    var attributesID: String?
    /// The gateway's id of the activity, as it has answered.
    var answeredID: String?
    var fingerprint: String?
    var staleDate: Date?
    var staleAfter: TimeInterval?
    let foundAt: Moment
    /// When it was found or showed a new content, whichever is later.
    var heardAt: Moment
    /// Since when it is known that nothing came in time, when the app did not run at that time.
    var overdueSince: Moment?
    /// Since when the system's inventory lacks it.
    var missingSince: Moment?
    /// Whether it was ended by the app or by this library: its leaving the screen is no word of the user.
    var isEndedHere = false
}

extension KnownLiveActivity {
    var sync: Report {
        .sync(
            Report.SyncReport(
                systemID: systemID, activityType: activityType, activityID: attributesID, external: externalID,
                token: token))
    }

    /// The seconds until it counts as abandoned, below 0 when that is over; nil: it never does.
    private func secondsLeft(_ usual: TimeInterval?, at now: Moment) -> TimeInterval? {
        guard phase == .active, missingSince == nil, !isEndedHere, let limit = staleAfter ?? usual else { return nil }
        let left = limit - now.elapsed(since: heardAt)
        // The customer may have said that the content holds for longer; the clock that says until when may have been
        // set back.
        let longest = LiveActivities.longestLife - now.elapsed(since: foundAt)
        return staleDate.map { max(left, min($0.timeIntervalSince(now.wall), longest)) } ?? left
    }

    /// The seconds until something is to be done because nothing comes; nil: nothing is.
    func secondsUntilStale(_ usual: TimeInterval?, at now: Moment) -> TimeInterval? {
        guard let left = secondsLeft(usual, at: now) else { return nil }
        guard left <= 0, let overdueSince else { return max(0, left) }
        return max(0, LiveActivities.secondLook - now.elapsed(since: overdueSince))
    }

    /// Whether it is so long overdue that the app cannot have run at that time. What came meanwhile is told in a
    /// moment.
    func isLongOverdue(_ usual: TimeInterval?, at now: Moment) -> Bool {
        secondsLeft(usual, at: now).map { $0 < -2 } ?? false
    }
}
