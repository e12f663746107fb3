import LiveActivity
import RedisClient
import Secrets
import TimeCore

// The tenant's hash is authoritative. Each key has a copy of the fields that a request needs, so admission is one step
// on one node. A caller that changes the hash updates the copies. If it fails in between, the next change updates them.
extension StoredTenants {
    func record(ofTenant id: String) async throws(StoreError) -> TenantRecord? {
        TenantRecord(id, try await value(RedisCommand("HGETALL", Keys.tenant(id))).fields)
    }

    /// Writes the credentials of a tenant's record: first the valid keys, then the revoked ones.
    func carry(_ record: TenantRecord, now: WallTime) async throws(StoreError) {
        var valid: [RedisCommand] = []
        var revoked: [RedisCommand] = []
        var gone: [(kind: TenantSecretKind, hashes: [String])] = []
        for (kind, secrets) in record.secrets {
            let counting = secrets.counting(at: now)
            let over = secrets.replaced.filter { $0.until <= now }.map(\.kept)
            if !over.isEmpty { gone.append((kind, over)) }
            guard let keyKind = kind.keyKind else { continue }
            valid.append(credential(secrets.current, keyKind, record, until: "", now: now))
            for old in counting {
                valid.append(credential(old.kept, keyKind, record, until: String(old.until.milliseconds), now: now))
            }
            for hash in over { revoked.append(credential(hash, keyKind, record, until: "0", now: now)) }
        }
        _ = try await values(valid)
        // Revokes last, because commands on different nodes fail independently.
        if !revoked.isEmpty { _ = try await values(revoked) }
        for (kind, hashes) in gone {
            _ = try await run(
                Scripts.forgetSecrets(tenant: Keys.tenant(record.tenant.id), kind: kind.rawValue, hashes: hashes))
        }
    }

    private func credential(
        _ hash: String, _ kind: KeyKind, _ record: TenantRecord, until: String, now: WallTime
    ) -> RedisCommand {
        let tenant = record.tenant
        let identity = record.secrets[.identity]
        let former = identity?.counting(at: now).map { "\($0.kept):\($0.until.milliseconds)" }.joined(separator: ",")
        let call = Scripts.putCredential(
            credential: Keys.credential(hash), revision: record.revision, countsUntil: until,
            fields: [
                "tenant", tenant.id, "kind", kind.rawValue, "enabled", tenant.isEnabled ? "1" : "0",
                "tier", tenant.tier.rawValue, "identity", identity?.current ?? "", "identity_old", former ?? "",
                "identity_required", tenant.signatures.kept, "limits", tenant.limits.text,
            ])
        return call.command
    }
}
