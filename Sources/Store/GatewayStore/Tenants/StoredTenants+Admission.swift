import LiveActivity
import Reactor
import RedisClient
import Secrets
public import TimeCore

extension StoredTenants {
    /// The calls that a key admits: those of customers or of devices.
    public enum KeyKind: String, Sendable {
        case api, sdk
    }

    /// Looks a key up and takes one request from its rate, in one step; nil for a key that opens nothing.
    /// - Parameters:
    ///   - limit: requests in each window; 0 for no limit.
    ///   - now: in place of Redis's own clock, for tests.
    public func admit(
        key: String, kind: KeyKind, limit: Int, window: TimeInterval = .seconds(60), now: WallTime? = nil
    ) async throws(StoreError) -> Admission? {
        try await admit(
            hash: Secret.hexHash(key), kind: kind, limit: limit, window: window, now: now)
    }

    /// The hash of the tenant's present API key, in hexadecimal; nil if there is no tenant with this id.
    public func apiKeyHash(ofTenant id: String) async throws(StoreError) -> String? {
        try await record(ofTenant: id)?.secrets[.api]?.current
    }

    /// Admits a request with a key whose hash is known, as `admit(key:)` does.
    /// - Parameter hash: SHA-256 of the key, in hexadecimal.
    public func admit(
        hash: String, kind: KeyKind, limit: Int, window: TimeInterval = .seconds(60), now: WallTime? = nil
    ) async throws(StoreError) -> Admission? {
        let oldest = limit > 0 ? windows[hash] : nil
        let call = Scripts.admit(
            credential: Keys.credential(hash), rateWindow: Keys.rateWindow(hash), kind: kind.rawValue, limit: limit,
            window: window.wholeMilliseconds, now: now.map { String($0.milliseconds) } ?? "",
            known: oldest.map { String($0.milliseconds) } ?? "")
        guard let reply = try await run(call) else { return nil }
        let resetAt = Int64(reply.reset)
        if limit > 0 { windows.learned(resetAt, window, of: hash) }
        // Customers sign nothing.
        let identity = opened(kind == .sdk ? reply.secrets : "", tenantID: reply.tenant)
        var known: KnownKey?
        if kind == .api, reply.enabled {
            known = KnownKey(hash: hash, tenantID: reply.tenant, tier: reply.tier, limits: reply.limits)
        }
        return Admission(
            tenantID: reply.tenant, tier: Tenant.Tier(rawValue: reply.tier) ?? .starter, isEnabled: reply.enabled,
            signatures: SignatureDemand(kept: reply.demand), identityHashes: identity.hashes,
            hasUnreadableIdentity: !identity.isWhole,
            rate: Admission.Rate(isAllowed: reply.left != nil, remaining: reply.left ?? 0, resetAt: resetAt),
            limits: TenantLimits(text: reply.limits), known: known)
    }

    /// The hashes of identity secrets.
    /// - Parameter kept: as they are kept, with commas between.
    private func opened(_ kept: String, tenantID: String) -> (hashes: [[UInt8]], isWhole: Bool) {
        let secrets = kept.split(separator: ",")
        let hashes = secrets.compactMap { context.identity?.hash(of: $0, tenantID: tenantID) }
        return (hashes, isWhole: hashes.count == secrets.count)
    }
}
