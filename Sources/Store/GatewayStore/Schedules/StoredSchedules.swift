public import LiveActivity
import RedisClient
import TimeCore

/// Broadcasts at scheduled times.
public final class StoredSchedules: StoreFeature {
    let context: StoreContext
    let reserved: ReservedSchedules

    init(_ context: StoreContext, reserved: ReservedSchedules) {
        self.context = context
        self.reserved = reserved
    }

    /// The outcome of a request for a schedule.
    public enum ScheduleAddition: Equatable, Sendable {
        case added
        /// A schedule with this id exists already, and stays unchanged.
        case known
        /// The activity or the user has the most waiting schedules allowed.
        case full
        /// The activity has ended.
        case ended
    }

    /// Records a schedule and its item in the due queue in one step. A schedule of a user's app counts in quotas from
    /// then on.
    /// - Parameter limits: The limits of the tenant.
    public func add(
        _ schedule: Schedule, to activity: Activity, _ limits: TenantLimits
    ) async throws(StoreError) -> ScheduleAddition {
        var payload: (before: [UInt8], after: [UInt8])?
        if let content = schedule.payload { payload = try kept(content, of: schedule.id, tenantID: schedule.tenantID) }
        let bytes = payload.map { $0.before.count + $0.after.count } ?? 0
        let isReservedNow = try await reserved.reserve(schedule, bytes: bytes, limits)
        let addition = try await record(schedule, in: activity, payload)
        // A schedule that was reserved before may have been recorded before.
        if isReservedNow, addition == .full || addition == .ended { await release(schedule) }
        return addition
    }

    private func record(
        _ schedule: Schedule, in activity: Activity, _ payload: (before: [UInt8], after: [UInt8])?
    ) async throws(StoreError) -> ScheduleAddition {
        let id = activity.id
        let call = Scripts.addSchedule(
            activity: Keys.activity(id), schedule: Keys.schedule(schedule.activityID, schedule.id),
            waiting: waitingKey(of: schedule), due: dueQueue(schedule.activityID), own: ownKey(of: schedule),
            most: schedule.owner == nil ? ScheduleRules.maximumPending : ScheduleRules.maximumPendingOfUser,
            id: schedule.id.description, item: schedule.item.description, dueAt: schedule.deliverAt.milliseconds,
            expiresAt: activity.keptUntil.milliseconds, fields: schedule.fields(kept: payload))
        switch try await run(call.replicated(within: StoreContext.replication)) {
        case .added:
            noteDue(Keys.shard(id), at: schedule.deliverAt.milliseconds)
            return .added
        case .full: return .full
        case .known: return .known
        case .ended: return .ended
        }
    }

    /// A schedule; nil if it does not exist or was cancelled.
    public func schedule(_ id: UniqueID, in activity: UniqueID) async throws(StoreError) -> Schedule? {
        read(id, activity, try await value(RedisCommand("HGETALL", Keys.schedule(activity, id))))
    }

    func read(_ id: UniqueID, _ activity: UniqueID, _ reply: RedisValue) -> Schedule? {
        Schedule(id, in: activity, reply.fields) { opened($0, of: id, tenantID: $1) }
    }

    /// The customer's schedules of an activity: the waiting ones by due time, or the ended ones, the newest first. They
    /// lack content and devices, because each may have two megabytes of these.
    public func schedules(of activity: UniqueID, pending: Bool) async throws(StoreError) -> [Schedule] {
        let command =
            pending
            ? RedisCommand("ZRANGE", Keys.pendingSchedules(activity), 0, -1)
            : RedisCommand("ZREVRANGE", Keys.endedSchedules(activity), 0, -1)
        let ids = (try await value(command).array ?? []).compactMap { $0.string.flatMap { UniqueID($0) } }
        return try await schedules(ids, of: activity)
    }

    /// The waiting schedules of the same list that are due before a schedule, in the order of their times.
    public func waiting(before schedule: Schedule) async throws(StoreError) -> [UniqueID] {
        let id = schedule.activityID
        let list = schedule.owner.map { Keys.schedules(ofUser: $0, id) } ?? Keys.pendingSchedules(id)
        let command = RedisCommand("ZRANGEBYSCORE", list, "-inf", "(\(schedule.deliverAt.milliseconds)")
        return (try await value(command).array ?? []).compactMap { $0.string.flatMap { UniqueID($0) } }
    }

    /// The customer's waiting schedules that are due from the time of a schedule until another time, in the order of
    /// their times. Without content and devices.
    public func waiting(behind schedule: Schedule, until time: WallTime) async throws(StoreError) -> [Schedule] {
        let id = schedule.activityID
        let command = RedisCommand(
            "ZRANGEBYSCORE", Keys.pendingSchedules(id), schedule.deliverAt.milliseconds, time.milliseconds)
        let ids = (try await value(command).array ?? []).compactMap { $0.string.flatMap { UniqueID($0) } }
        return try await schedules(ids.filter { $0 != schedule.id }, of: id)
    }

    /// Deletes a waiting schedule. Returns false if it no longer waits or has changed since it was read.
    public func cancel(_ schedule: Schedule) async throws(StoreError) -> Bool {
        guard try await change(schedule, nil) else { return false }
        await release(schedule)
        return true
    }

    /// Reduces the devices of a waiting schedule. Returns false if it no longer waits or has changed since it was read.
    public func narrow(_ schedule: Schedule, to targets: [DeviceKey]) async throws(StoreError) -> Bool {
        try await change(schedule, targets)
    }

    private func change(_ schedule: Schedule, _ targets: [DeviceKey]?) async throws(StoreError) -> Bool {
        try await run(changing(schedule, targets))
    }

    /// The call that deletes a schedule, or gives it a shorter list.
    func changing(_ schedule: Schedule, _ targets: [DeviceKey]?) -> ScriptCall<Bool> {
        Scripts.changeSchedule(
            schedule: Keys.schedule(schedule.activityID, schedule.id), waiting: waitingKey(of: schedule),
            due: dueQueue(schedule.activityID), own: ownKey(of: schedule), id: schedule.id.description,
            item: schedule.item.description, version: schedule.version, devices: targets.map(TargetList.encode) ?? []
        ).replicated(within: StoreContext.replication)
    }

    /// The key of the activity's list that has the waiting schedule.
    private func waitingKey(of schedule: Schedule) -> String {
        schedule.owner == nil
            ? Keys.pendingSchedules(schedule.activityID) : Keys.usersSchedules(schedule.activityID)
    }

    /// The key of the list of the schedule's user; nil for a customer's schedule.
    private func ownKey(of schedule: Schedule) -> String? {
        schedule.owner.map { Keys.schedules(ofUser: $0, schedule.activityID) }
    }

    /// Ends a schedule without a broadcast. Does nothing if it no longer waits.
    public func conclude(_ schedule: Schedule, _ state: Schedule.State, reason: String?) async throws(StoreError) {
        _ = try await run(
            Schedule.concluding(schedule.id, in: schedule.activityID, state, reason: reason, now: wallClock()))
        await release(schedule)
    }

    /// Releases the reservation of a schedule that no longer waits. A failed release is repaired later.
    public func release(_ schedule: Schedule) async {
        try? await reserved.release([schedule])
    }
}
