import Encodings
import LiveActivity
import RedisClient
import Secrets
import TimeCore

/// How the identity secrets in the store are kept.
public struct IdentitySealing: Equatable, Sendable {
    /// Tenants of which all open, and are sealed with the present key.
    public var sealed = 0
    /// Tenants of which one is in clear, as an earlier version kept it, or sealed with a former key.
    public var outdated: [Tenant] = []
    /// How many of those have nothing that is sealed.
    public var inClear = 0
    /// Tenants of which one does not open with the gateway's keys.
    public var unreadable: [Tenant] = []

    public init() {}

    /// Whether something that is sealed opens.
    public var opens: Bool { sealed > 0 || outdated.count > inClear }

    /// Whether there is something to open, and nothing of it does: the key is another one than the gateways'.
    public var isForeign: Bool { !opens && !unreadable.isEmpty }
}

extension StoredTenants {
    /// Whether identity secrets can be made here.
    public var canSeal: Bool { context.identity != nil }

    /// How the identity secrets of all tenants are kept. Reads every tenant.
    public func identitySealing() async throws(StoreError) -> IdentitySealing {
        var sealing = IdentitySealing()
        for record in try await records() {
            let kept = record.keptIdentity
            if kept.isEmpty {
                continue
            } else if !kept.allSatisfy({ isReadable($0, record.tenant.id) }) {
                sealing.unreadable.append(record.tenant)
            } else if !kept.allSatisfy({ context.identity?.isUpToDate($0, tenantID: record.tenant.id) ?? false }) {
                sealing.outdated.append(record.tenant)
                if kept.allSatisfy({ IdentitySecrets.clearHash($0) != nil }) { sealing.inClear += 1 }
            } else {
                sealing.sealed += 1
            }
        }
        return sealing
    }

    /// Seals what opens and is not sealed with the present key. What is kept in clear stays what it is for signing, so
    /// nobody notices; an earlier version of the gateway, and one without the present key, verifies no signature of it
    /// any more. May be repeated.
    /// - Returns: how many tenants it was done for.
    public func sealIdentitySecrets() async throws(StoreError) -> Int {
        guard let identity = context.identity else { return 0 }
        var count = 0
        for record in try await records() {
            let id = record.tenant.id
            var pairs: [String] = []
            for kept in record.keptIdentity where !identity.isUpToDate(kept, tenantID: id) {
                guard let hash = IdentitySecrets.clearHash(kept) ?? identity.hash(of: kept, tenantID: id) else {
                    continue
                }
                pairs += [kept, try keep(identity, hash, id)]
            }
            // Carried on although it is sealed: whoever did that may have been killed before.
            guard !pairs.isEmpty || record.keptIdentity.contains(where: { identity.isUpToDate($0, tenantID: id) })
            else {
                continue
            }
            let reply = try await run(Scripts.resealSecrets, [Keys.tenant(id)], pairs)
            var now = wallClock()
            guard let record = TenantRecord(id, changed: reply, now: &now) else { continue }
            try await carry(record, now: now)
            count += pairs.isEmpty ? 0 : 1
        }
        return count
    }

    /// Whether the hash of an identity secret that is kept so can be had.
    func isReadable(_ kept: String, _ tenantID: String) -> Bool {
        IdentitySecrets.clearHash(kept) != nil || context.identity?.hash(of: kept, tenantID: tenantID) != nil
    }

    /// A secret as it is kept.
    func keep(_ identity: IdentitySecrets, _ secret: String, _ tenantID: String) throws(StoreError) -> String {
        try keep(identity, Secret.hash(secret), tenantID)
    }

    private func keep(
        _ identity: IdentitySecrets, _ hash: [UInt8], _ tenantID: String
    ) throws(StoreError) -> String {
        guard let kept = identity.keep(hash, tenantID: tenantID) else {
            throw .unavailable("the identity secret cannot be sealed")
        }
        return kept
    }

    /// All tenants, by name.
    func records() async throws(StoreError) -> [TenantRecord] {
        let ids = (try await value(RedisCommand("SMEMBERS", Keys.tenants)).array ?? []).compactMap(\.string)
        var records: [TenantRecord] = []
        for id in ids {
            if let record = try await record(ofTenant: id) { records.append(record) }
        }
        return records.sorted { ($0.tenant.name, $0.tenant.id) < ($1.tenant.name, $1.tenant.id) }
    }
}

extension TenantRecord {
    fileprivate var keptIdentity: [String] {
        secrets[.identity].map { [$0.current] + $0.replaced.map(\.kept) } ?? []
    }
}
