public import Delivery
public import GatewayStore
public import LiveActivity
import RosterCore
public import TimeCore

/// Checks requests for starts, updates and ends against the activity and its devices, and records them. The gateways'
/// job workers carry out the recorded broadcasts.
public struct BroadcastService: Sendable {
    let store: GatewayStore
    let jobs: JobWorker

    /// The lifetime of a start's content without an `expiration`.
    static let startLife = TimeInterval.seconds(600)

    public init(store: GatewayStore, jobs: JobWorker) {
        self.store = store
        self.jobs = jobs
    }

    /// Waits for the end of a broadcast on any gateway, or for `timeout`. Returns nil if the store cannot be read.
    public func wait(for id: UniqueID, in activity: UniqueID, timeout: TimeInterval) async -> BroadcastRecord? {
        await jobs.wait(for: id, in: activity, timeout: timeout)
    }

    /// The kinds of route over which a tenant's app reaches devices.
    public func routeKinds(of tenantID: String) -> Set<RouteKind> { jobs.apps.routeKinds(of: tenantID) }

    /// True if activities of a tenant's app can have a channel.
    public func offersChannels(to tenantID: String) -> Bool { jobs.apps.channelSource(ofTenant: tenantID) != nil }

    // MARK: What is asked for

    /// Has a request recorded. Throws `BroadcastRefusal` and `StoreError`.
    public func carryOut(_ request: BroadcastRequest) async throws -> BroadcastResult {
        if case .restart(let wish) = request.command { return try await restart(request, wish) }
        if let result = try await RecentUpdates(self).carryOut(request) { return result }
        return try await readAndCarryOut(request)
    }

    /// Has a request recorded after a read of its activity.
    func readAndCarryOut(_ request: BroadcastRequest) async throws -> BroadcastResult {
        let tries = Tries()
        repeat {
            let record = try await activity(request)
            if let result = try await attempt(request, record) { return result }
        } while try await tries.next() && !request.isCallerGone()
        _ = try await activity(request)
        throw BroadcastRefusal.contended
    }

    /// Carries a request out as its activity allows; nil if the activity has changed since it was read.
    private func attempt(_ request: BroadcastRequest, _ record: ActivityRecord) async throws -> BroadcastResult? {
        let payload = try payload(request, record)
        if case .end = request.command, record.activity.state != .started {
            // If another request has started the activity meanwhile, the end is recorded.
            return try await cancel(record, request) ? .cancelled : nil
        }
        let audience = try await audience(request, record)
        let hold = try check(audience, request, record)
        // The hold counts as a waiting broadcast until the broadcast is recorded.
        defer { withExtendedLifetime(hold) {} }
        if case .slots(let slots) = audience.scope, slots.isEmpty, audience.awaited.isEmpty {
            return .nobody(audience.skipped)
        }
        var draft = draft(request, record, audience, payload)
        if case .start = request.command {
            draft.channels = await channels(for: record, audience.scope)
            try check(payload, .start, for: record, channels: draft.channels)
        }
        if let result = await held(draft, request, record) { return result }
        return try await recorded(draft, audience, record)
    }

    func draft(
        _ request: BroadcastRequest, _ record: ActivityRecord, _ audience: Audience, _ payload: Payload
    ) -> BroadcastDraft {
        var draft = BroadcastDraft(
            id: request.id, kind: request.command.kind, scope: audience.scope, payload: payload,
            priority: request.priority, expiration: request.expiration ?? expiration(request, record.activity))
        draft.skipped = audience.skippedBeforehand
        draft.covered = audience.covered
        draft.schedule = request.schedule
        draft.origin = request.origin
        draft.skipsUnchanged = request.skipsUnchanged
        draft.arrived = request.arrived
        draft.mostOpen = BroadcastDraft.mostOpenLists
        return draft
    }

    // MARK: Updates whose job this gateway holds

    /// Has an update recorded and sent by this gateway; nil if it must be recorded without its job.
    private func held(
        _ draft: BroadcastDraft, _ request: BroadcastRequest, _ record: ActivityRecord
    ) async -> BroadcastResult? {
        guard request.isAwaited, !request.isRepetition, draft.mayBeHeld(record) else { return nil }
        return result(of: await jobs.begin(draft, for: record), record)
    }

    func result(of result: JobWorker.HeldResult, _ record: ActivityRecord) -> BroadcastResult? {
        switch result {
        case .ended(let ended): return .ended(ended)
        case .recorded(let order): return .recorded(order)
        case .declined:
            jobs.recentActivities.remove(record.activity.id)
            return nil
        }
    }

    // MARK: Checks

    /// The activity, when its state allows what is asked for.
    public func activity(_ request: BroadcastRequest) async throws -> ActivityRecord {
        var record: ActivityRecord?
        if let id = request.activityID { record = try await store.activities.activity(id) }
        return try allowed(record, request)
    }

    func allowed(_ record: ActivityRecord?, _ request: BroadcastRequest) throws -> ActivityRecord {
        try BroadcastRefusal.allowed(
            record, request.command.lifecycle, type: request.type, request.tenantID, now: store.wallClock())
    }

    /// The payload to send.
    /// - Throws: If it is too long.
    func payload(_ request: BroadcastRequest, _ record: ActivityRecord) throws(BroadcastRefusal) -> Payload {
        let payload: Payload
        do { payload = try request.payload(record.activity) } catch { throw .attributeTaken(error) }
        let isRestart = if case .restart = request.command { true } else { false }
        try check(payload, request.command.kind, for: record, isToAll: request.targets == nil || isRestart)
        return payload
    }

    /// Throws `payloadTooLarge` when one of the ways to the activity's devices cannot carry so much.
    /// - Parameter isToAll: whether it goes to the whole segment, and so by the activity's channels where there are
    ///   some.
    public func check(
        _ payload: Payload, _ event: PushEvent, for record: ActivityRecord, isToAll: Bool
    ) throws(BroadcastRefusal) {
        try check(payload, event, for: record, channels: isToAll ? record.channels : Channels())
    }

    private func check(
        _ payload: Payload, _ event: PushEvent, for record: ActivityRecord, channels: Channels
    ) throws(BroadcastRefusal) {
        let excess = jobs.apps.excess(
            of: payload, event, in: record.activity, over: record.routeKinds, channels: channels)
        guard let excess else { return }
        throw .payloadTooLarge(excess.bytes, limit: excess.limit, excess.cohort)
    }

    /// So long after their start most phones that are awake have reported; the others do when their users take them up.
    private static let reporting = TimeInterval.seconds(30)

    private func check(
        _ audience: Audience, _ request: BroadcastRequest, _ record: ActivityRecord
    ) throws(BroadcastRefusal) -> WaitingBroadcasts.Hold {
        if audience.count == 0 {
            let isJustStarted =
                record.activity.startedAt.map { store.wallClock() < $0 + BroadcastService.reporting } ?? false
            switch request.command {
            case .start, .restart: throw .nobodyEligible(audience.skipped)
            case .update where audience.skipped[.notSynced] > 0:
                throw .notSynced(audience.skipped, isJustStarted: isJustStarted)
            case .update: throw .nobodyEligible(audience.skipped)
            case .end where request.force: break
            case .end where audience.skipped[.ended] == 0 || audience.skipped[.notSynced] > 0:
                throw .notSynced(audience.skipped, isJustStarted: isJustStarted)
            case .end: break
            }
        }
        return try checkRoom(record)
    }

    /// Checks that one more broadcast of an activity may be recorded here. Keep the hold until it is recorded.
    @discardableResult
    func checkRoom(_ record: ActivityRecord) throws(BroadcastRefusal) -> WaitingBroadcasts.Hold {
        // This gateway's signing key may be wrong. Other gateways could then not open the content that it seals.
        guard !jobs.isLeftToOthers(record) else { throw .leftToOthers }
        guard let hold = jobs.hold(tenantID: record.activity.tenantID) else { throw .overloaded }
        return hold
    }

    func expiration(_ request: BroadcastRequest, _ activity: Activity) -> Int64 {
        request.command.kind == .start
            ? (store.wallClock() + BroadcastService.startLife).seconds : activity.endsAt.seconds
    }

    /// Ends an activity that was never started; false when it is another's turn to decide.
    private func cancel(_ record: ActivityRecord, _ request: BroadcastRequest) async throws -> Bool {
        guard request.targets == nil else { throw BroadcastRefusal.activity(.notStarted) }
        switch try await store.broadcasts.cancel(record.activity, schedule: request.schedule) {
        case .success: return true
        case .failure(let change) where change.isScheduleGone: throw BroadcastRefusal.scheduleGone
        case .failure: return false
        }
    }

    /// The one atomic step and what belongs around it; nil when the activity has moved on since it was read.
    func recorded(
        _ draft: BroadcastDraft, _ audience: Audience, _ record: ActivityRecord
    ) async throws -> BroadcastResult? {
        let endsLiveActivities = draft.kind == .end && draft.scope != .wholeSegment
        // The end is pending for the slots before it is recorded, because a crash may come between the two. A report
        // ignores a pending end that is not recorded.
        if endsLiveActivities {
            try await store.roster.remember(
                audience.awaited, endedBy: draft.id, in: record.activity, isRecorded: false)
        }
        switch try await store.broadcasts.begin(draft, for: record) {
        case .success(let order):
            jobs.begun(order)
            if endsLiveActivities {
                // If this fails, the end that was pending before is sent.
                try? await store.roster.remember(audience.awaited, endedBy: order.id, in: order.activity)
                await endThoseThatSyncedMeanwhile(audience.awaited, order)
            }
            return .recorded(order)
        case .failure(let change) where change.isScheduleGone: throw BroadcastRefusal.scheduleGone
        case .failure(let change) where change.isCrowded: throw BroadcastRefusal.overloaded
        case .failure(let change): return change.unchanged.map { .unchanged(updatesThisHour: $0) }
        }
    }

    /// Ends the devices that synced before the end was recorded, because their reports did not find it. If this fails,
    /// the next report of a device finds the end.
    private func endThoseThatSyncedMeanwhile(_ slots: [UInt32], _ order: BroadcastOrder) async {
        guard !slots.isEmpty, let late = try? await store.roster.slotsWithToken(slots, .update, in: order.activity)
        else {
            return
        }
        for slot in late { try? await jobs.endLate(by: order.id, in: order.activity.id, slot: slot) }
    }

    // MARK: What nobody asks for

    /// Ends an activity whose time is up, and takes its item out of the due queue in the same step.
    func endByItself(_ id: UniqueID, _ item: DueItem) async throws(StoreError) {
        // A step fails only if another request has changed the activity, which is rare.
        for _ in 0..<5 {
            guard let record = try await store.activities.activity(id) else { return try await store.due.drop(item) }
            let activity = record.activity
            switch Lifecycle.ending(of: activity, lifetime: store.rules.lifetime, now: store.wallClock()) {
            case .never: return try await store.due.drop(item)
            case .later(let time): return try await store.due.postpone(item, until: time)
            case .now(let reason) where activity.state == .registered:
                try await store.events.publishExpired(activity, reason)
                if case .success = try await store.broadcasts.cancel(activity, reason: reason) { return }
            case .now(let reason):
                var draft = BroadcastDraft(
                    id: id.randomBroadcast(), kind: .end, scope: .wholeSegment,
                    payload: .end(content: nil, options: PresentationOptions()), priority: 10,
                    expiration: (store.wallClock() + JobWorker.shownAfterEnd).seconds)
                draft.endReason = reason
                draft.origin.source = EventSource(ofEndOf: activity)
                draft.covered = try await store.roster.reach(.update, in: record).followers
                if case .success(let order) = try await store.broadcasts.begin(draft, for: record) {
                    return jobs.begun(order)
                }
            }
        }
    }
}

extension BroadcastRequest.Command {
    var kind: PushEvent {
        switch self {
        case .start, .restart: .start
        case .update: .update
        case .end: .end
        }
    }
}
