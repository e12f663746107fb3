import LiveActivity
import RedisClient
import TimeCore

/// The activities opened by devices that are alive: of a tenant, and those that one user's devices are in. Each set knows
/// when its activities expire, so what a gateway that was killed has left goes by itself; what has ended before its time is
/// looked for when a set is full.
public final class OpenedActivities: StoreFeature {
    let context: StoreContext
    private let usage: TenantUsage
    private let refusals: QuotaRefusals

    /// How many of a tenant's activities are looked at when there are as many as may be.
    private static let lookedAtOnce = 256

    init(_ context: StoreContext, _ usage: TenantUsage, _ refusals: QuotaRefusals) {
        self.context = context
        self.usage = usage
        self.refusals = refusals
    }

    /// A user's device is about to be in an activity. Throws when the user is in as many as may be.
    func enter(
        _ insiderID: String, _ activity: UniqueID, endsAt: WallTime, tenantID: String, _ limits: TenantLimits
    ) async throws(StoreError) {
        _ = try await add(
            Keys.opened(tenantID, insiderID), activity, endsAt, limits[.openedActivitiesPerUser],
            .openedActivitiesPerUser)
    }

    /// A device is about to open an activity. Throws when the tenant has as many as may be.
    func open(
        _ activity: UniqueID, endsAt: WallTime, tenantID: String, _ limits: TenantLimits
    ) async throws(StoreError) {
        let limit = limits[.openedActivities]
        let count: Int
        do throws(StoreError) {
            count = try await add(Keys.opened(tenantID), activity, endsAt, limit, .openedActivities)
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
        _ key: String, _ activity: UniqueID, _ endsAt: WallTime, _ value: Int, _ limit: TenantLimits.Limit
    ) async throws(StoreError) -> Int {
        let arguments: [any RedisArgumentConvertible] = [
            activity.bytes, endsAt.milliseconds, wallClock().milliseconds, value,
        ]
        for isLast in [false, true] {
            let reply = try await run(Scripts.openActivity, [key], arguments)
            guard let parts = reply.array, parts.count == 2 else { throw .damaged("the activities that are alive") }
            if parts[0].int == 1 { return Int(parts[1].int ?? 0) }
            if isLast { break }
            guard try await forgetEnded(key) else { break }
        }
        refusals.count(limit)
        throw .quotaReached(limit, wait: nil)
    }

    /// Drops what has ended before its time.
    /// - Returns: whether there was any.
    private func forgetEnded(_ key: String) async throws(StoreError) -> Bool {
        let members = try await value(RedisCommand("ZRANGE", key, 0, OpenedActivities.lookedAtOnce - 1)).array ?? []
        let ids = members.compactMap { $0.bytes.flatMap { UniqueID(bytes: $0) } }
        let states = try await values(ids.map { RedisCommand("HGET", Keys.activity($0), "state") })
        let over = zip(ids, states).filter { $1.int.map { $0 != Int64(Activity.State.started.rawValue) } ?? false }
        guard !over.isEmpty else { return false }
        _ = try await values(over.map { RedisCommand("ZREM", key, $0.0.bytes) })
        return true
    }

    /// How many a tenant has.
    public func count(_ tenantID: String) async throws(StoreError) -> Int {
        let now = wallClock().milliseconds
        return Int(try await value(RedisCommand("ZCOUNT", Keys.opened(tenantID), now, "+inf")).int ?? 0)
    }
}
