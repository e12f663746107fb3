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
        let reply = try await run(call(hash, kind, limit, window, now))
        return reply.map { admission($0, hash, kind, limit, window) }
    }

    /// Admits a request, as `admit(key:)` does. `completion` is called on the reactor, or at once if that has stopped.
    public func admit(
        key: String, kind: KeyKind, limit: Int, window: TimeInterval,
        completion: @escaping @Sendable (Result<Admission?, StoreError>) -> Void
    ) {
        let hash = Secret.hexHash(key)
        let isTaken = redis.reactor.execute { [self] in
            let call = call(hash, kind, limit, window, nil)
            redis.send(call.command) { [self] result in
                completion(call.result(result).map { $0.map { admission($0, hash, kind, limit, window) } })
            }
        }
        if !isTaken { completion(.failure(.unavailable("the reactor has stopped"))) }
    }

    private func call(
        _ hash: String, _ kind: KeyKind, _ limit: Int, _ window: TimeInterval, _ now: WallTime?
    ) -> ScriptCall<Scripts.AdmitReply?> {
        let oldest = limit > 0 ? windows[hash] : nil
        return Scripts.admit(
            credential: Keys.credential(hash), rateWindow: Keys.rateWindow(hash), kind: kind.rawValue, limit: limit,
            window: window.wholeMilliseconds, now: now.map { String($0.milliseconds) } ?? "",
            known: oldest.map { String($0.milliseconds) } ?? "")
    }

    private func admission(
        _ reply: Scripts.AdmitReply, _ hash: String, _ kind: KeyKind, _ limit: Int, _ window: TimeInterval
    ) -> Admission {
        let resetAt = Int64(reply.reset)
        if limit > 0 { windows.learned(resetAt, window, of: hash) }
        // Customers sign nothing.
        let identity = opened(kind == .sdk ? reply.secrets : "", tenantID: reply.tenant)
        return Admission(
            tenantID: reply.tenant, tier: Tenant.Tier(rawValue: reply.tier) ?? .starter, isEnabled: reply.enabled,
            signatures: SignatureDemand(kept: reply.demand), identityHashes: identity.hashes,
            hasUnreadableIdentity: !identity.isWhole,
            rate: Admission.Rate(isAllowed: reply.left != nil, remaining: reply.left ?? 0, resetAt: resetAt),
            limits: TenantLimits(text: reply.limits),
            keyName: kind == .api && reply.enabled ? String(hash.prefix(8)) : nil)
    }

    /// The hashes of identity secrets.
    /// - Parameter kept: as they are kept, with commas between.
    private func opened(_ kept: String, tenantID: String) -> (hashes: [[UInt8]], isWhole: Bool) {
        let secrets = kept.split(separator: ",")
        let hashes = secrets.compactMap { context.identity?.hash(of: $0, tenantID: tenantID) }
        return (hashes, isWhole: hashes.count == secrets.count)
    }
}
