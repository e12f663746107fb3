import LiveActivity
import RedisClient
import Secrets
import TimeCore

/// The waiting schedules of users' apps, which count against the quotas of user and tenant.
///
/// A schedule is reserved before it is recorded, and released once its record is gone. A gateway that is killed in
/// between leaves a reservation without a record, which is dropped when a quota is reached, or after `life`. When a
/// quota is reached, schedules of ended activities are dropped as well, with their records.
public final class ReservedSchedules: StoreFeature {
    let context: StoreContext
    private let usage: TenantUsage
    private let refusals: QuotaRefusals

    init(_ context: StoreContext, _ usage: TenantUsage, _ refusals: QuotaRefusals) {
        self.context = context
        self.usage = usage
        self.refusals = refusals
    }

    /// The longest time for which a schedule's record is kept: the life of an app's activity, and the time after its
    /// end.
    static let life = TimeInterval(
        nanoseconds: StoredActivities.deviceInitiatedLife.nanoseconds + Activity.keptAfterEnd.nanoseconds
            + settling.nanoseconds)
    /// The limits in the order in which the script compares them.
    private static let limits: [TenantLimits.Limit] = [
        .appSchedules, .appScheduleBytes, .appSchedulesPerUser, .appScheduleBytesPerUser,
    ]

    /// Reserves a schedule that is about to be recorded. Throws when a quota is reached. A customer's is not counted.
    /// - Parameter bytes: the size of its payload, as it is kept.
    /// - Returns: true if it was not reserved before.
    func reserve(_ schedule: Schedule, bytes: Int, _ limits: TenantLimits) async throws(StoreError) -> Bool {
        guard let owner = schedule.owner else { return false }
        let tenantID = schedule.tenantID
        let call = Scripts.reserveSchedule(
            reserved: Keys.reservedSchedules(tenantID), ages: Keys.reservedScheduleAges(tenantID),
            usage: Keys.usage(tenantID), user: ReservedSchedules.digest(owner), activity: schedule.activityID.bytes,
            id: schedule.id.bytes, size: bytes, now: wallClock().milliseconds / 1000,
            kept: ReservedSchedules.life.nanoseconds / 1_000_000_000, countLimit: limits[.appSchedules],
            bytesLimit: limits[.appScheduleBytes], userCountLimit: limits[.appSchedulesPerUser],
            userBytesLimit: limits[.appScheduleBytesPerUser], countName: TenantLimits.Limit.appSchedules.name,
            bytesName: TenantLimits.Limit.appScheduleBytes.name)
        var reached = TenantLimits.Limit.appSchedules
        for isLast in [false, true] {
            let reply = try await run(call)
            usage.report(QuotaCrossing.all(reply.crossings), tenantID: tenantID)
            if reply.reached == 0 { return reply.isNew }
            guard ReservedSchedules.limits.indices.contains(reply.reached - 1) else {
                throw .damaged("a quota of schedules")
            }
            reached = ReservedSchedules.limits[reply.reached - 1]
            let isOfUser = reached == .appSchedulesPerUser || reached == .appScheduleBytesPerUser
            guard !isLast, try await dropNeedless(ofUser: isOfUser ? owner : nil, tenantID: tenantID) else { break }
        }
        refusals.count(reached)
        throw .quotaReached(reached, wait: nil)
    }

    /// Releases the reservations of a tenant's schedules. Idempotent. A customer's schedules have none.
    func release(_ schedules: [Schedule]) async throws(StoreError) {
        guard let tenantID = schedules.first?.tenantID else { return }
        try await release(
            schedules.compactMap { schedule in
                schedule.owner.map { Released(user: ReservedSchedules.digest($0), id: schedule.id) }
            },
            tenantID: tenantID)
    }

    struct Released {
        let user: [UInt8]
        let id: UniqueID
        /// The time of the reservation; nil for any. A repeated request renews it before the schedule is recorded.
        var since: WallTime?
    }

    func release(_ schedules: [Released], tenantID: String) async throws(StoreError) {
        guard !schedules.isEmpty else { return }
        _ = try await run(
            Scripts.releaseSchedules(
                reserved: Keys.reservedSchedules(tenantID), ages: Keys.reservedScheduleAges(tenantID),
                released: schedules.flatMap {
                    [$0.user, $0.id.bytes, Array(($0.since.map { "\($0.seconds)" } ?? "").utf8)]
                }))
    }

    /// The number and bytes of a tenant's reserved schedules.
    func use(_ tenantID: String) async throws(StoreError) -> (count: Int, bytes: Int) {
        let reply = try await value(RedisCommand("HMGET", Keys.reservedSchedules(tenantID), "count", "bytes"))
        let sums = (reply.array ?? []).map { Int($0.int ?? 0) }
        return sums.count == 2 ? (sums[0], sums[1]) : (0, 0)
    }

    /// A digest in place of the insider_id, because a vanished reservation may outlive an erasure.
    static func digest(_ insiderID: String) -> [UInt8] { Array(Digest.sha256(Array(insiderID.utf8)).prefix(8)) }

    // MARK: Reservations without use

    /// Longer than a request takes from a reservation to its record.
    static let settling = TimeInterval.seconds(60)
    /// The most reservations that one refusal compares with their records, drawn at random.
    private static let comparedAtOnce = 64
    /// The number of users whose reservations are read when the tenant's quota is reached. Each may have many.
    private static let usersAtOnce = 8

    /// Drops reservations without a record, and schedules of activities that have ended.
    /// - Parameter insiderID: The only user to check; nil for any user of the tenant.
    /// - Returns: true if there was any.
    private func dropNeedless(ofUser insiderID: String?, tenantID: String) async throws(StoreError) -> Bool {
        let now = wallClock()
        let settled = now.milliseconds - Int64(ReservedSchedules.settling.millisecondsRoundedUp)
        let reservations = try await texts(ofUser: insiderID, tenantID: tenantID).flatMap { user, text in
            ReservedSchedule.all(in: text).map { (user: user, schedule: $0) }
        }.shuffled().prefix(ReservedSchedules.comparedAtOnce)
        let records = try await values(
            reservations.map { RedisCommand("EXISTS", Keys.schedule($0.schedule.activity, $0.schedule.id)) })
        let found = zip(reservations, records)
        let vanished = found.filter { $1.int == 0 && $0.schedule.since.milliseconds < settled }.map { found, _ in
            Released(user: found.user, id: found.schedule.id, since: found.schedule.since)
        }
        let recorded = found.filter { $1.int == 1 }.map(\.0)
        let ended = try await endedActivities(among: Set(recorded.map(\.schedule.activity)))
        let ofEnded = recorded.filter { ended.contains($0.schedule.activity) }
        // The record goes before its reservation, so no record is left that does not count.
        let calls = ofEnded.map {
            Schedule.concluding($0.schedule.id, in: $0.schedule.activity, .failed, reason: nil, now: now)
        }
        let replies = try await values(calls.map(\.command))
        var useless = vanished
        for (index, reply) in replies.enumerated() where try calls[index].reply(reply) {
            useless.append(Released(user: ofEnded[index].user, id: ofEnded[index].schedule.id))
        }
        try await release(useless, tenantID: tenantID)
        return !useless.isEmpty
    }

    /// The ended activities, in which schedules can be neither run nor added.
    private func endedActivities(among activities: Set<UniqueID>) async throws(StoreError) -> Set<UniqueID> {
        let activities = Array(activities)
        let states = try await values(activities.map { RedisCommand("HGET", Keys.activity($0), "state") })
        return Set(
            zip(activities, states).filter { _, state in
                state.isNull || state.int == Int64(Activity.State.dead.rawValue)
            }.map(\.0))
    }

    private func texts(
        ofUser insiderID: String?, tenantID: String
    ) async throws(StoreError) -> [(user: [UInt8], text: [UInt8])] {
        let key = Keys.reservedSchedules(tenantID)
        if let insiderID {
            let user = ReservedSchedules.digest(insiderID)
            return [(user, try await value(RedisCommand("HGET", key, user)).bytes ?? [])]
        }
        let some = RedisCommand("HRANDFIELD", key, ReservedSchedules.usersAtOnce, "WITHVALUES")
        // The sums have shorter names.
        return try await value(some).fields.filter { $0.0.count == 8 }.map { (user: $0.0, text: $0.1) }
    }
}
