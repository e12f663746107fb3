import LiveActivity
import RedisClient
import Secrets
import TimeCore

extension StoredTenants {
    /// Creates a tenant with an API key, an SDK key and an identity secret. Without a sealing key the identity secret
    /// is absent until it is rotated. Throws if signatures are then required.
    public func createTenant(
        name: String, tier: Tenant.Tier, signatures: SignatureDemand = .none
    ) async throws(StoreError) -> TenantSecrets {
        let id = UniqueID.random().description
        let secrets = TenantSecrets(
            tenantID: id, apiKey: Secret.generate(.apiKey), sdkKey: Secret.generate(.sdkKey),
            identitySecret: context.identity.map { _ in Secret.generate(.identity) })
        var fields = [
            Keys.tenant(id), "name", name, "tier", tier.rawValue, "enabled", "1", "identity_required", signatures.kept,
            "api", Secret.hexHash(secrets.apiKey), "sdk", Secret.hexHash(secrets.sdkKey), "revision", "1",
        ]
        if let identity = context.identity, let secret = secrets.identitySecret {
            fields += ["identity", try keep(identity, secret, id)]
        } else if signatures != .none {
            throw .unavailable("the key for identity secrets is missing")
        }
        _ = try await value(RedisCommand("HSET", arguments: fields))
        guard let record = try await record(ofTenant: id) else { throw .damaged("a tenant") }
        try await carry(record, now: wallClock())
        _ = try await value(RedisCommand("SADD", Keys.tenants, id))
        return secrets
    }

    /// The number of tenants; 0 in an empty Redis.
    public func count() async throws(StoreError) -> Int {
        try await value(RedisCommand("SMEMBERS", Keys.tenants)).array?.count ?? 0
    }

    /// Creates a tenant with a name that no other has. Concurrent calls create only one tenant of a name.
    /// - Returns: Nil if the name is taken.
    public func createTenant(
        ofNewName name: String, tier: Tenant.Tier, signatures: SignatureDemand
    ) async throws(StoreError) -> TenantSecrets? {
        // A killed process holds the lock for less than this.
        let lock = try await StoreLock.take(Keys.tenantNames, in: context.redis, patience: .seconds(10))
        guard let lock else { throw .unavailable("another tenant is being created; try again") }
        let result: Result<TenantSecrets?, StoreError>
        do throws(StoreError) {
            let isTaken = try await tenants().contains { $0.name == name }
            result = .success(
                isTaken ? nil : try await createTenant(name: name, tier: tier, signatures: signatures))
        } catch {
            result = .failure(error)
        }
        await lock.giveBack()
        return try result.get()
    }

    /// All tenants, by name.
    public func tenants() async throws(StoreError) -> [Tenant] {
        try await records().map(\.tenant)
    }

    /// All tenants by name, with the states of their secrets.
    public func all() async throws(StoreError) -> [(tenant: Tenant, secrets: [TenantSecretState])] {
        let now = wallClock()
        return try await records().map { ($0.tenant, $0.states(at: now)) }
    }

    /// A tenant and the states of its secrets; nil if there is none with this id.
    public func tenant(_ id: String) async throws(StoreError) -> (tenant: Tenant, secrets: [TenantSecretState])? {
        guard let record = try await record(ofTenant: id) else { return nil }
        return (record.tenant, record.states(at: wallClock()))
    }

    /// Enables or disables Live Activities for a tenant. Returns false if the tenant does not exist.
    public func setTenant(_ tenantID: String, enabled: Bool) async throws(StoreError) -> Bool {
        try await change(tenantID, "enabled", enabled ? "1" : "0")
    }

    /// Changes a tenant's tier. Returns false if the tenant does not exist.
    public func setTenant(_ tenantID: String, tier: Tenant.Tier) async throws(StoreError) -> Bool {
        try await change(tenantID, "tier", tier.rawValue)
    }

    /// Changes a tenant's limits; nil restores the default. Returns false if the tenant does not exist.
    public func setTenant(
        _ tenantID: String, limits: [(limit: TenantLimits.Limit, value: Int?)]
    ) async throws(StoreError) -> Bool {
        try await change(tenantID, limits.map { (TenantRecord.field($0.limit), $0.value.map { "\($0)" } ?? "") })
    }

    /// Changes a tenant's requirement for signatures. Returns false if the tenant does not exist.
    public func setTenant(_ tenantID: String, signatures: SignatureDemand) async throws(StoreError) -> Bool {
        try await change(tenantID, "identity_required", signatures.kept)
    }

    /// Applies several changes in one step. Returns false if the tenant does not exist, and true without any change.
    public func setTenant(_ tenantID: String, _ changes: TenantChanges) async throws(StoreError) -> Bool {
        var fields: [(String, String)] = []
        if let isEnabled = changes.isEnabled { fields.append(("enabled", isEnabled ? "1" : "0")) }
        if let tier = changes.tier { fields.append(("tier", tier.rawValue)) }
        if let signatures = changes.signatures { fields.append(("identity_required", signatures.kept)) }
        fields += changes.limits.map { (TenantRecord.field($0.limit), $0.value.map { "\($0)" } ?? "") }
        return fields.isEmpty ? true : try await change(tenantID, fields)
    }

    private func change(_ tenantID: String, _ field: String, _ text: String) async throws(StoreError) -> Bool {
        try await change(tenantID, [(field, text)])
    }

    private func change(_ tenantID: String, _ fields: [(name: String, text: String)]) async throws(StoreError) -> Bool {
        let call = Scripts.changeTenant(
            tenant: Keys.tenant(tenantID), fields: fields.flatMap { [$0.name, $0.text] })
        guard let reply = try await run(call) else { return false }
        guard let record = TenantRecord(tenantID, reply.tenant) else { throw .damaged("a tenant") }
        try await carry(record, now: WallTime(milliseconds: Int64(reply.time)))
        return true
    }
}
