public import LiveActivity
import RedisClient
import RosterCore
import TimeCore

/// The Live Activity that was dismissed.
public struct Dismissal: Equatable, Sendable {
    /// The activity.
    public let activityID: UniqueID
    /// True if the Live Activity is the device's present one and had not ended. Clearing an ended one is no dismissal.
    public let isOfRunning: Bool
}

/// The result of a report of a dismissal.
public enum DismissalOutcome: Equatable, Sendable {
    case dismissed(Dismissal)
    /// The device does not have the Live Activity.
    case notFound
    /// The report names a type alone and may be for any of these activities.
    case ambiguous([ActivityCandidate])

    /// Nil where nothing was dismissed.
    public var dismissal: Dismissal? {
        if case .dismissed(let dismissal) = self { dismissal } else { nil }
    }
}

extension StoredReports {
    /// Records that a device's Live Activity was dismissed. A start that has not reached the device skips it. For an
    /// earlier Live Activity, only the name is removed.
    /// - Parameters:
    ///   - name: the system's id of the Live Activity, where the report has it beside the activity. An unknown name
    ///     counts as that of the present one if that has no name yet.
    ///   - token: an update token of the Live Activity, where the report has one.
    ///   - unfollow: Called with the user and the activity before the dismissal of a running Live Activity is written.
    ///     If it fails, so does the report, and its repetition calls it again.
    public func dismiss(
        _ key: DeviceKey, reference: ActivityReference, name: String? = nil, token: [UInt8]? = nil, tenantID: String,
        unfollow: @Sendable (String, UniqueID) async throws(StoreError) -> Void = { _, _ in }
    ) async throws(StoreError) -> DismissalOutcome {
        let found = try await find(
            reference, key, tenantID: tenantID, token: token, name: name, isDismissed: true)
        var name = name
        if case .system(let given) = reference { name = given }
        switch found {
        case .none: return .notFound
        case .ambiguous(let candidates): return .ambiguous(candidates)
        // A token that the Live Activity has no more says nothing of the present one.
        case .former(let record, _):
            return .dismissed(Dismissal(activityID: record.activity.id, isOfRunning: false))
        case .place(let record, let own), .ofOtherLogin(_, let record, let own):
            var (key, slot) = (key, own)
            if case .ofOtherLogin(let login, _, _) = found {
                key = login
            } else if reference.namesActivity,
                let other = try await otherLogins.place(
                    of: ReportedLiveActivity(token: token, name: name), key, in: record, slot: own)
            {
                (key, slot) = other
            }
            if let token, let other = try await formerActivity(of: token, (record, slot), key, reference, name: name) {
                return .dismissed(Dismissal(activityID: other, isOfRunning: false))
            }
            let dismissal = try await dismiss(key, (record, slot), reference, name: name, unfollow)
            return dismissal.map { .dismissed($0) } ?? .notFound
        }
    }

    /// The activity whose Live Activity had the token, if that is not the present one of the place; nil otherwise. A
    /// known name counts more, because it stays the same.
    private func formerActivity(
        of token: [UInt8], _ place: ReportedPlace.Place, _ key: DeviceKey, _ reference: ActivityReference, name: String?
    ) async throws(StoreError) -> UniqueID? {
        let activity = place.record.activity
        guard reference.namesActivity else { return nil }
        if let name, try await activityID(ofLiveActivity: name, key, tenantID: activity.tenantID) != nil { return nil }
        guard let owner = try await typeSearch.owner(of: token, key, named: activity) else { return nil }
        return owner.id != activity.id || owner.rank == .ofEarlierLiveActivity ? owner.id : nil
    }

    private func dismiss(
        _ key: DeviceKey, _ place: ReportedPlace.Place, _ reference: ActivityReference, name: String?,
        _ unfollow: (String, UniqueID) async throws(StoreError) -> Void
    ) async throws(StoreError) -> Dismissal? {
        let activity = place.record.activity
        guard activity.state != .registered else { return nil }
        if let name {
            switch try await typeSearch.liveActivity(named: name, key, slot: place.slot, in: activity) {
            case .present: break
            case .another: return nil
            case .earlier(let isNamed, _):
                if isNamed { try await tellDismissed(key, slot: place.slot, in: activity, name: name) }
                // The name stays if the report names the activity as well, because it identifies a repeated report.
                if case .system = reference {
                    _ = try await value(
                        RedisCommand(
                            "HDEL", Keys.user(activity.tenantID, key.insiderID),
                            UserRecord.systemActivityField(name)))
                }
                return Dismissal(activityID: activity.id, isOfRunning: false)
            }
        }
        let status = try await status(of: place.slot, in: activity.id)
        let isOfRunning = activity.state == .started && DeliveryStatus.isLive(status)
        if isOfRunning { try await unfollow(key.insiderID, activity.id) }
        try await tellDismissed(key, slot: place.slot, in: activity, name: name, isLast: true)
        try await events.publishEnded(key, slot: place.slot, in: place.record, .userDismissed)
        _ = try await run(
            roster.clearUpdateCell(
                activity, slot: place.slot, TokenPage.cell(reason: .ended),
                status: DeliveryStatus.ended(.userDismissed), asOf: nil, isDismissal: true))
        // An entry that stays after a failure is removed when a set is full.
        try? await activities.opened.left(activity)
        return Dismissal(activityID: activity.id, isOfRunning: isOfRunning)
    }

    /// Publishes the event that the user has dismissed a Live Activity. A second report causes no event.
    /// Nor does a Live Activity that had ended, because it may have left the screen by itself.
    /// - Parameters:
    ///   - name: the system's id of the Live Activity; nil if the report has none.
    ///   - isLast: true if it is the device's present Live Activity, whose state is that of the slot.
    private func tellDismissed(
        _ key: DeviceKey, slot: UInt32, in activity: Activity, name: String?, isLast: Bool = false
    ) async throws(StoreError) {
        guard try await events.recordsEvents(activity.tenantID) else { return }
        let status = try await status(of: slot, in: activity.id)
        if isLast, status >= DeliveryStatus.firstEnd { return }
        let replies = try await values([
            RedisCommand("HGET", Keys.startCounts(activity.id, RosterGeometry.partition(ofSlot: slot)), Int(slot)),
            RedisCommand("HGETALL", Keys.user(activity.tenantID, key.insiderID)),
            RedisCommand("HMGET", Keys.activity(activity.id), "schedule", "schedule_name"),
            RedisCommand("HGET", Keys.driven(activity.id), key.insiderID),
        ])
        let report = LiveActivityReport(
            key: key, activity: activity,
            systemActivityID: name ?? UserRecord(replies[1].fields)?.liveActivity(of: key.udid, in: activity.id),
            driver: Driver(own: replies[3].string) ?? Driver(replies[2].array?.map(\.string) ?? []))
        try await events.publishDismissed(report, slot: slot, starts: StartNote(replies[0].string)?.number ?? 1)
    }
}
