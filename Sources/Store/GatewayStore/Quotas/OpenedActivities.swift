import LiveActivity
import RedisClient
import TimeCore

/// The activities opened by devices that are alive: of a tenant, and those that one user's devices are in. An activity
/// leaves the tenant's when it has ended, and one that is a user's own also when the user's last Live Activity of it
/// has. It leaves a user's when a full set is looked through. What a gateway that was killed has left goes likewise, or
/// with its time.
public final class OpenedActivities: StoreFeature {
    let context: StoreContext
    private let usage: TenantUsage
    private let refusals: QuotaRefusals

    init(_ context: StoreContext, _ usage: TenantUsage, _ refusals: QuotaRefusals) {
        self.context = context
        self.usage = usage
        self.refusals = refusals
    }

    /// A user's device is about to be in an activity that is about to be made. Throws when the user is in as many as
    /// may be.
    func enter(
        _ insiderID: String, _ activity: UniqueID, tenantID: String, _ limits: TenantLimits
    ) async throws(StoreError) {
        // When it was entered tells what is still on its way; so the time is not that of the activity's end.
        _ = try await add(
            [Keys.opened(tenantID, insiderID), Keys.user(tenantID, insiderID)], activity,
            wallClock() + OpenedActivities.life,
            limits[.openedActivitiesPerUser], .openedActivitiesPerUser
        ) { entries throws(StoreError) in try await self.over(entries, insiderID, tenantID: tenantID) }
    }

    /// A user's device is about to be in an activity. One of the user's own may have been left by all before.
    func enter(_ insiderID: String, _ activity: Activity, _ limits: TenantLimits) async throws(StoreError) {
        try await enter(insiderID, activity.id, tenantID: activity.tenantID, limits)
        guard activity.isOwn(of: insiderID) else { return }
        try await open(activity.id, endsAt: activity.endsAt, tenantID: activity.tenantID, limits)
    }

    /// A device is about to open an activity. Throws when the tenant has as many as may be.
    func open(
        _ activity: UniqueID, endsAt: WallTime, tenantID: String, _ limits: TenantLimits
    ) async throws(StoreError) {
        let limit = limits[.openedActivities]
        let count: Int
        do throws(StoreError) {
            count = try await add([Keys.opened(tenantID)], activity, endsAt, limit, .openedActivities) {
                entries throws(StoreError) in try await self.over(entries, nil, tenantID: tenantID)
            }
        } catch {
            try? await usage.note(.openedActivities, used: limit, of: limit, tenantID: tenantID)
            throw error
        }
        // Looked at when a hundredth has come, so that hardly anybody pays for it.
        if limit > 0, count * 10 >= limit * 8, count % max(1, limit / 100) == 0 || count == limit {
            try? await usage.note(.openedActivities, used: count, of: limit, tenantID: tenantID)
        }
    }

    /// The activity was not opened after all, or has ended. May be repeated.
    func close(_ activity: UniqueID, tenantID: String) async throws(StoreError) {
        _ = try await value(RedisCommand("ZREM", Keys.opened(tenantID), activity.bytes))
    }

    /// The user is not in the activity after all.
    func leave(_ insiderID: String, _ activity: UniqueID, tenantID: String) async throws(StoreError) {
        _ = try await value(RedisCommand("ZREM", Keys.opened(tenantID, insiderID), activity.bytes))
    }

    private func add(
        _ keys: [String], _ activity: UniqueID, _ endsAt: WallTime, _ value: Int, _ limit: TenantLimits.Limit,
        _ over: ([Entry]) async throws(StoreError) -> [UniqueID]
    ) async throws(StoreError) -> Int {
        let arguments: [any RedisArgumentConvertible] = [
            activity.bytes, endsAt.milliseconds, wallClock().milliseconds, value,
        ]
        for isLast in [false, true] {
            let reply = try await run(Scripts.openActivity, keys, arguments)
            guard let parts = reply.array, parts.count == 2 else { throw .damaged("the activities that are alive") }
            if parts[0].int == 1 { return Int(parts[1].int ?? 0) }
            if isLast { break }
            guard try await forget(over, keys[0]) else { break }
        }
        refusals.count(limit)
        throw .quotaReached(limit, wait: nil)
    }

    /// How many a tenant has.
    public func count(_ tenantID: String) async throws(StoreError) -> Int {
        let now = wallClock().milliseconds
        return Int(try await value(RedisCommand("ZCOUNT", Keys.opened(tenantID), now, "+inf")).int ?? 0)
    }
}
