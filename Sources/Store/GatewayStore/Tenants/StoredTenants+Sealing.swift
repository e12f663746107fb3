import Encodings
import LiveActivity
import RedisClient
import Secrets
import TimeCore

/// The numbers of tenants by the sealing of their identity secrets.
public struct IdentitySealing: Equatable, Sendable {
    /// The number of tenants whose secrets are all sealed with the present key.
    public var sealed = 0
    /// The tenants with a secret that a former key has sealed.
    public var outdated: [Tenant] = []
    /// The tenants with a secret that does not open with the gateway's keys.
    public var unreadable: [Tenant] = []

    public init() {}

    /// True if a secret opens.
    public var opens: Bool { sealed > 0 || !outdated.isEmpty }

    /// True if there are secrets and none opens: the key is not the gateways' key.
    public var isForeign: Bool { !opens && !unreadable.isEmpty }
}

extension StoredTenants {
    /// True if identity secrets can be made here.
    public var canSeal: Bool { context.identity != nil }

    /// The sealing of all tenants' identity secrets. Reads every tenant.
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
            } else {
                sealing.sealed += 1
            }
        }
        return sealing
    }

    /// Seals secrets of former keys with the present key. Idempotent. A gateway without the present key can then no
    /// longer verify their signatures.
    /// - Returns: The number of tenants with a secret that was sealed.
    public func sealIdentitySecrets() async throws(StoreError) -> Int {
        guard let identity = context.identity else { return 0 }
        var count = 0
        for record in try await records() {
            let id = record.tenant.id
            var pairs: [String] = []
            for kept in record.keptIdentity where !identity.isUpToDate(kept, tenantID: id) {
                guard let hash = identity.hash(of: kept, tenantID: id) else { continue }
                pairs += [kept, try keep(identity, hash, id)]
            }
            // A tenant with sealed secrets is carried on too, because an earlier run may have been killed before this
            // step.
            guard !pairs.isEmpty || record.keptIdentity.contains(where: { identity.isUpToDate($0, tenantID: id) })
            else {
                continue
            }
            let reply = try await run(Scripts.resealSecrets(tenant: Keys.tenant(id), secrets: pairs))
            guard let reply, let record = TenantRecord(id, reply.tenant) else { continue }
            try await carry(record, now: WallTime(milliseconds: Int64(reply.time)))
            count += pairs.isEmpty ? 0 : 1
        }
        return count
    }

    /// True if a sealed identity secret opens.
    func isReadable(_ kept: String, _ tenantID: String) -> Bool {
        context.identity?.hash(of: kept, tenantID: tenantID) != nil
    }

    /// Returns the stored form of a secret.
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
