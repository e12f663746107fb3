import LiveActivity
import RedisClient
import Secrets

extension GatewayStore {
    /// Makes a tenant with a fresh API key, SDK key and identity secret.
    public func createTenant(
        name: String, tier: Tenant.Tier, requiresIdentitySignature: Bool = false
    ) async throws(StoreError) -> TenantSecrets {
        let tenant = Tenant(
            id: UniqueID.random().description, name: name, tier: tier, isEnabled: true,
            requiresIdentitySignature: requiresIdentitySignature)
        let secrets = TenantSecrets(
            tenantID: tenant.id, apiKey: Secret.generate(.apiKey), sdkKey: Secret.generate(.sdkKey),
            identitySecret: Secret.generate(.identity))
        let identity = hash(secrets.identitySecret)
        _ = try await values([
            RedisCommand(
                "HSET", Keys.tenant(tenant.id), "name", name, "tier", tier.rawValue, "enabled", "1",
                "identity", identity, "identity_required", requiresIdentitySignature ? "1" : "0",
                "api", hash(secrets.apiKey), "sdk", hash(secrets.sdkKey)),
            credential(secrets.apiKey, .api, tenant, identity),
            credential(secrets.sdkKey, .sdk, tenant, identity),
            RedisCommand("SADD", Keys.tenants, tenant.id),
        ])
        return secrets
    }

    /// All tenants, by name.
    public func tenants() async throws(StoreError) -> [Tenant] {
        let ids = try await value(RedisCommand("SMEMBERS", Keys.tenants)).array ?? []
        var tenants: [Tenant] = []
        for id in ids.compactMap(\.string) {
            if let tenant = try await tenant(id)?.tenant { tenants.append(tenant) }
        }
        return tenants.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    /// A fresh key in place of the tenant's present one of that kind, which opens nothing any more. Nil when there is no
    /// such tenant.
    public func rotateKey(tenantID: String, kind: KeyKind) async throws(StoreError) -> String? {
        guard let (tenant, fields) = try await tenant(tenantID) else { return nil }
        let key = Secret.generate(kind == .api ? .apiKey : .sdkKey)
        _ = try await values([
            credential(key, kind, tenant, fields["identity"] ?? ""),
            RedisCommand("HSET", Keys.tenant(tenantID), kind.rawValue, hash(key)),
        ])
        // Only now: on other nodes than these it could be carried out although they were not.
        _ = try await value(RedisCommand("DEL", Keys.credential(fields[kind.rawValue] ?? "")))
        return key
    }

    /// Switches live activities on or off for a tenant. False when there is no such tenant.
    public func setTenant(_ tenantID: String, enabled: Bool) async throws(StoreError) -> Bool {
        guard let (_, fields) = try await tenant(tenantID) else { return false }
        let value = enabled ? "1" : "0"
        var commands = [RedisCommand("HSET", Keys.tenant(tenantID), "enabled", value)]
        for kind in ["api", "sdk"] {
            if let hash = fields[kind] {
                commands.append(RedisCommand("HSET", Keys.credential(hash), "enabled", value))
            }
        }
        _ = try await values(commands)
        return true
    }

    private func tenant(_ id: String) async throws(StoreError) -> (tenant: Tenant, fields: [String: String])? {
        let fields = try await value(RedisCommand("HGETALL", Keys.tenant(id))).fields.reduce(into: [:]) {
            $0[String(decoding: $1.name, as: UTF8.self)] = String(decoding: $1.value, as: UTF8.self)
        }
        guard let name = fields["name"], let tier = fields["tier"].flatMap(Tenant.Tier.init) else { return nil }
        let tenant = Tenant(
            id: id, name: name, tier: tier, isEnabled: fields["enabled"] == "1",
            requiresIdentitySignature: fields["identity_required"] == "1")
        return (tenant, fields)
    }

    private func hash(_ secret: String) -> String {
        Hexadecimal.encode(Secret.hash(secret))
    }

    /// What a request needs to know of its key, in one place, so that admitting it is one step on one node.
    private func credential(
        _ key: String, _ kind: KeyKind, _ tenant: Tenant, _ identity: String
    ) -> RedisCommand {
        RedisCommand(
            "HSET", Keys.credential(hash(key)), "tenant", tenant.id, "kind", kind.rawValue,
            "enabled", tenant.isEnabled ? "1" : "0", "tier", tenant.tier.rawValue, "identity", identity,
            "identity_required", tenant.requiresIdentitySignature ? "1" : "0")
    }
}
