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
        let reply = try await run(
            Scripts.admit, [Keys.credential(hash), Keys.rateWindow(hash)],
            [
                kind.rawValue, limit, window.wholeMilliseconds, now.map { String($0.milliseconds) } ?? "",
                oldest.map { String($0.milliseconds) } ?? "",
            ])
        guard let parts = reply.array, parts.count == 9 else { return nil }
        if limit > 0, let resetAt = parts[7].int { windows.learned(resetAt, window, of: hash) }
        let tenantID = parts[0].string ?? ""
        // Customers sign nothing.
        let identity = opened(kind == .sdk ? parts[3].string ?? "" : "", tenantID: tenantID)
        let isEnabled = parts[1].string == "1"
        var known: KnownKey?
        if kind == .api, isEnabled {
            known = KnownKey(
                hash: hash, tenantID: tenantID, tier: parts[2].string ?? "", limits: parts[8].string ?? "")
        }
        return Admission(
            tenantID: tenantID, tier: parts[2].string.flatMap(Tenant.Tier.init) ?? .starter,
            isEnabled: isEnabled, signatures: SignatureDemand(kept: parts[4].string),
            identityHashes: identity.hashes, hasUnreadableIdentity: !identity.isWhole,
            rate: Admission.Rate(
                isAllowed: parts[5].int == 1, remaining: Int(parts[6].int ?? 0), resetAt: parts[7].int ?? 0),
            limits: TenantLimits(text: parts[8].string ?? ""), known: known)
    }

    /// The hashes of identity secrets.
    /// - Parameter kept: as they are kept, with commas between.
    private func opened(_ kept: String, tenantID: String) -> (hashes: [[UInt8]], isWhole: Bool) {
        let secrets = kept.split(separator: ",")
        let hashes = secrets.compactMap { context.identity?.hash(of: $0, tenantID: tenantID) }
        return (hashes, isWhole: hashes.count == secrets.count)
    }
}
