import LiveActivity
import RedisClient
import TimeCore

/// The live device-initiated activities of each tenant, and those that each user's devices are in.
///
/// An activity leaves the tenant's set at its end. A user's own also leaves with its last Live Activity. Other entries
/// expire, or leave when a full set is searched. This includes the entries of a killed gateway.
public final class OpenedActivities: StoreFeature {
    let context: StoreContext
    private let usage: TenantUsage
    private let refusals: QuotaRefusals

    init(_ context: StoreContext, _ usage: TenantUsage, _ refusals: QuotaRefusals) {
        self.context = context
        self.usage = usage
        self.refusals = refusals
    }

    /// Counts an activity that is about to be made for a user's device. Throws if the user has reached the limit.
    func enter(
        _ insiderID: String, _ activity: UniqueID, tenantID: String, _ limits: TenantLimits
    ) async throws(StoreError) {
        // The score records the time of entry rather than the activity's end. It shows which writes may be unfinished.
        _ = try await add(
            Keys.opened(tenantID, insiderID), user: Keys.user(tenantID, insiderID), activity,
            wallClock() + OpenedActivities.life,
            limits[.openedActivitiesPerUser], .openedActivitiesPerUser
        ) { entries throws(StoreError) in try await self.over(entries, insiderID, tenantID: tenantID) }
    }

    /// Counts an activity for a user's device. Also counts the user's own activity for the tenant again, because all
    /// devices may have left it.
    func enter(_ insiderID: String, _ activity: Activity, _ limits: TenantLimits) async throws(StoreError) {
        try await enter(insiderID, activity.id, tenantID: activity.tenantID, limits)
        guard activity.isOwn(of: insiderID) else { return }
        try await open(activity.id, endsAt: activity.endsAt, tenantID: activity.tenantID, limits)
    }

    /// Counts an activity that a device is about to open. Throws if the tenant has reached the limit.
    func open(
        _ activity: UniqueID, endsAt: WallTime, tenantID: String, _ limits: TenantLimits
    ) async throws(StoreError) {
        let limit = limits[.openedActivities]
        let count: Int
        do throws(StoreError) {
            count = try await add(Keys.opened(tenantID), activity, endsAt, limit, .openedActivities) {
                entries throws(StoreError) in try await self.over(entries, nil, tenantID: tenantID)
            }
        } catch {
            try? await usage.note(.openedActivities, used: limit, of: limit, tenantID: tenantID)
            throw error
        }
        // Checked at each hundredth of the limit, so few calls pay for it.
        if limit > 0, count * 10 >= limit * 8, count % max(1, limit / 100) == 0 || count == limit {
            try? await usage.note(.openedActivities, used: count, of: limit, tenantID: tenantID)
        }
    }

    /// Stops counting an activity that ended or was not opened. Idempotent.
    func close(_ activity: UniqueID, tenantID: String) async throws(StoreError) {
        _ = try await value(RedisCommand("ZREM", Keys.opened(tenantID), activity.bytes))
    }

    /// Stops counting an activity for a user.
    func leave(_ insiderID: String, _ activity: UniqueID, tenantID: String) async throws(StoreError) {
        _ = try await value(RedisCommand("ZREM", Keys.opened(tenantID, insiderID), activity.bytes))
    }

    private func add(
        _ opened: String, user: String? = nil, _ activity: UniqueID, _ endsAt: WallTime, _ value: Int,
        _ limit: TenantLimits.Limit, _ over: ([Entry]) async throws(StoreError) -> [UniqueID]
    ) async throws(StoreError) -> Int {
        let call = Scripts.openActivity(
            opened: opened, user: user, activity: activity.bytes, endsAt: endsAt.milliseconds,
            now: wallClock().milliseconds, limit: value)
        for isLast in [false, true] {
            let reply = try await run(call)
            if reply.isCounted { return reply.count }
            if isLast { break }
            guard try await forget(over, opened) else { break }
        }
        refusals.count(limit)
        throw .quotaReached(limit, wait: nil)
    }

    /// Returns the number of a tenant's live device-initiated activities.
    public func count(_ tenantID: String) async throws(StoreError) -> Int {
        let now = wallClock().milliseconds
        return Int(try await value(RedisCommand("ZCOUNT", Keys.opened(tenantID), now, "+inf")).int ?? 0)
    }
}
