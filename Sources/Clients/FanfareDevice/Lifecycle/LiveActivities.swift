import Foundation

/// An action for a Live Activity.
enum LifecycleAction: Equatable, Sendable {
    case report(Report, DeviceIdentity)
    /// Withdraws the waiting syncs of a Live Activity.
    case withdrawSync(systemID: String)
    case end(systemID: String, activityType: String)
    case takeInventory
}

/// The Live Activities on this phone: found at launch, started by a push, or started by the app. At most 64 are known.
/// Above that the oldest ended one is forgotten, or else the oldest.
struct LiveActivities: Codable, Equatable, Sendable {
    static let capacity = 64
    /// The seconds before a second check of missing Live Activities and overdue contents. At launch the system may not
    /// have reported everything yet.
    static let secondLook: TimeInterval = 5
    /// The seconds after which the system ends a Live Activity.
    static let longestLife: TimeInterval = 8 * 3600

    private(set) var known: [String: KnownLiveActivity] = [:]

    subscript(systemID: String) -> KnownLiveActivity? { known[systemID] }

    mutating func found(
        _ found: FoundLiveActivity, for identity: DeviceIdentity?, at now: Moment
    ) -> [LifecycleAction] {
        guard var activity = known[found.systemID] else {
            // A Live Activity that ended before it was seen is ignored.
            guard found.phase == .active else { return [] }
            return adopted(found, for: identity, at: now)
        }
        activity.missingSince = nil
        activity.attributesID = found.activityID ?? activity.attributesID
        activity.externalID = activity.externalID ?? found.externalID
        activity.staleAfter = found.staleAfter ?? activity.staleAfter
        activity.identity = activity.identity ?? identity
        known[found.systemID] = activity
        if found.phase != activity.phase { return changed(found.systemID, to: found.phase) }
        return syncs(activity)
    }

    private mutating func adopted(
        _ found: FoundLiveActivity, for identity: DeviceIdentity?, at now: Moment
    ) -> [LifecycleAction] {
        makeRoom()
        let activity = KnownLiveActivity(
            systemID: found.systemID, activityType: found.activityType, externalID: found.externalID,
            identity: identity,
            attributesID: found.activityID, staleAfter: found.staleAfter, foundAt: now, heardAt: now)
        known[found.systemID] = activity
        return syncs(activity)
    }

    private mutating func makeRoom() {
        while known.count >= LiveActivities.capacity {
            let oldest = known.values.min {
                ($0.phase == .active ? 1 : 0, $0.foundAt.uptime) < ($1.phase == .active ? 1 : 0, $1.foundAt.uptime)
            }
            guard let oldest else { return }
            known[oldest.systemID] = nil
        }
    }

    /// Handles a launch. Each Live Activity counts as missing until the system reports it.
    mutating func launched(at now: Moment) {
        for (id, activity) in known {
            known[id]?.missingSince = now
            known[id]?.overdueSince = nil
            known[id]?.heardAt = activity.heardAt.capped(at: now)
        }
    }

    private func syncs(_ activity: KnownLiveActivity) -> [LifecycleAction] {
        guard activity.phase == .active, !activity.isEndedHere, let identity = activity.identity else { return [] }
        return [.report(activity.sync, identity)]
    }

    /// Assigns the Live Activities without a login to this one.
    mutating func signedIn(_ identity: DeviceIdentity) -> [LifecycleAction] {
        known.keys.sorted().flatMap { id -> [LifecycleAction] in
            guard var activity = known[id] else { return [] }
            activity.identity = activity.identity ?? identity
            known[id] = activity
            return syncs(activity)
        }
    }

    /// Sets the app's name of a Live Activity that it started.
    mutating func opened(_ systemID: String, as external: ExternalActivity) -> [LifecycleAction] {
        guard var activity = known[systemID] else { return [] }
        activity.externalID = external
        known[systemID] = activity
        return syncs(activity)
    }

    mutating func tokenCame(_ token: String, systemID: String) -> [LifecycleAction] {
        guard var activity = known[systemID] else { return [] }
        activity.token = token
        known[systemID] = activity
        return syncs(activity)
    }

    mutating func contentCame(systemID: String, fingerprint: String, staleDate: Date?, at now: Moment) {
        guard var activity = known[systemID] else { return }
        // At launch the system reports the present content again.
        if activity.fingerprint != fingerprint {
            if activity.fingerprint != nil { (activity.heardAt, activity.overdueSince) = (now, nil) }
            activity.fingerprint = fingerprint
        }
        activity.staleDate = staleDate
        known[systemID] = activity
    }

    mutating func changed(_ systemID: String, to phase: LiveActivityPhase) -> [LifecycleAction] {
        guard var activity = known[systemID], activity.phase != phase else { return [] }
        let before = activity.phase
        activity.phase = phase
        known[systemID] = phase == .dismissed ? nil : activity
        switch phase {
        case .active: return syncs(activity)
        case .ended: return [.withdrawSync(systemID: systemID)]
        case .dismissed:
            return before == .active && !activity.isEndedHere
                ? dismissals(activity) : [.withdrawSync(systemID: systemID)]
        }
    }

    private func dismissals(_ activity: KnownLiveActivity) -> [LifecycleAction] {
        guard let identity = activity.identity else { return [] }
        // The gateway knows a reported one by its system id, which is unique; one activity can have several Live
        // Activities.
        let activityID = activity.answeredID == nil ? activity.attributesID : nil
        return [
            .report(
                .dismissed(systemID: activity.systemID, activityID: activityID, external: activity.externalID), identity
            )
        ]
    }

    /// Handles the inventory of a type. A Live Activity that two checks miss was removed while the app did not run.
    /// This counts as a dismissal unless the system may have ended it.
    mutating func inventoried(_ ids: [String], activityType: String, at now: Moment) -> [LifecycleAction] {
        let present = Set(ids)
        var actions: [LifecycleAction] = []
        for id in known.keys.sorted() {
            guard var activity = known[id], activity.activityType == activityType else { continue }
            guard !present.contains(id) else {
                known[id]?.missingSince = nil
                continue
            }
            guard let since = activity.missingSince else {
                activity.missingSince = now
                known[id] = activity
                continue
            }
            guard now.elapsed(since: since) >= LiveActivities.secondLook else { continue }
            known[id] = nil
            let mayBeSystems =
                now.elapsed(since: activity.foundAt) >= LiveActivities.longestLife
                || now.isAfterRestart(since: activity.foundAt)
            actions +=
                activity.phase == .active && !activity.isEndedHere && !mayBeSystems
                ? dismissals(activity) : [.withdrawSync(systemID: id)]
        }
        return actions
    }

    /// Handles an end by the app.
    mutating func endedByApp(_ systemID: String) -> [LifecycleAction] {
        guard var activity = known[systemID], activity.phase == .active, !activity.isEndedHere else { return [] }
        activity.isEndedHere = true
        known[systemID] = activity
        return [.end(systemID: systemID, activityType: activity.activityType)] + dismissals(activity)
    }

    /// Ends all Live Activities after a sign-out.
    mutating func signedOut() -> [LifecycleAction] {
        let ends = known.values.filter { $0.phase == .active }.sorted { $0.systemID < $1.systemID }
        known = [:]
        return ends.map { .end(systemID: $0.systemID, activityType: $0.activityType) }
    }

    /// Records the gateway's id of an activity.
    mutating func named(_ systemID: String, activityID: String) { known[systemID]?.answeredID = activityID }

    /// Handles an activity that the gateway does not know. One with a gateway id has ended, and its end was lost. One
    /// without is the app's and stays.
    mutating func unknown(_ systemID: String) -> [LifecycleAction] {
        guard let activity = known[systemID], activity.activityID != nil, activity.phase == .active,
            !activity.isEndedHere
        else { return [] }
        known[systemID]?.isEndedHere = true
        return [.withdrawSync(systemID: systemID), .end(systemID: systemID, activityType: activity.activityType)]
    }

    /// Ends Live Activities without new content, and checks missing ones again. These ends are not reported, because a
    /// dismissal would unfollow the topic. The provider reports the token as invalid, and the gateway may start it
    /// again.
    mutating func passed(_ staleAfter: TimeInterval?, at now: Moment) -> [LifecycleAction] {
        var actions: [LifecycleAction] = []
        for id in known.keys.sorted() {
            guard let activity = known[id] else { continue }
            if let since = activity.missingSince, now.elapsed(since: since) >= LiveActivities.secondLook {
                if !actions.contains(.takeInventory) { actions.append(.takeInventory) }
            }
            guard activity.secondsUntilStale(staleAfter, at: now) == 0 else { continue }
            guard activity.overdueSince != nil || !activity.isLongOverdue(staleAfter, at: now) else {
                known[id]?.overdueSince = now
                continue
            }
            known[id]?.isEndedHere = true
            actions += [.withdrawSync(systemID: id), .end(systemID: id, activityType: activity.activityType)]
        }
        return actions
    }

    /// The seconds until `passed` has work; nil if there is none.
    func pause(_ staleAfter: TimeInterval?, at now: Moment) -> TimeInterval? {
        known.values.compactMap { activity -> TimeInterval? in
            let look = activity.missingSince.map { max(0, LiveActivities.secondLook - now.elapsed(since: $0)) }
            return [look, activity.secondsUntilStale(staleAfter, at: now)].compactMap { $0 }.min()
        }.min()
    }
}
