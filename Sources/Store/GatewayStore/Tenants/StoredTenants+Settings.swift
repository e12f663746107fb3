import LiveActivity
import RedisClient
import Secrets
import TimeCore

extension StoredTenants {
    /// Makes a tenant with a fresh API key, SDK key and identity secret; without a sealing key there is no such secret
    /// until it is rotated, and no signature can be demanded.
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

    /// Makes a tenant, unless one of this name exists. Two calls at the same time make one tenant of a name.
    /// - Returns: nil if the name is taken.
    public func createTenant(
        ofNewName name: String, tier: Tenant.Tier, signatures: SignatureDemand
    ) async throws(StoreError) -> TenantSecrets? {
        // Longer than a process that was killed holds the lock.
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

    /// All tenants, by name, with what is known of their secrets.
    public func all() async throws(StoreError) -> [(tenant: Tenant, secrets: [TenantSecretState])] {
        let now = wallClock()
        return try await records().map { ($0.tenant, $0.states(at: now)) }
    }

    /// A tenant and what is known of its secrets; nil when there is none of this id.
    public func tenant(_ id: String) async throws(StoreError) -> (tenant: Tenant, secrets: [TenantSecretState])? {
        guard let record = try await record(ofTenant: id) else { return nil }
        return (record.tenant, record.states(at: wallClock()))
    }

    /// Switches live activities on or off for a tenant. False when there is no such tenant.
    public func setTenant(_ tenantID: String, enabled: Bool) async throws(StoreError) -> Bool {
        try await change(tenantID, "enabled", enabled ? "1" : "0")
    }

    /// Changes what a tenant pays for. False when there is no such tenant.
    public func setTenant(_ tenantID: String, tier: Tenant.Tier) async throws(StoreError) -> Bool {
        try await change(tenantID, "tier", tier.rawValue)
    }

    /// Changes how much a tenant may use; nil goes back to the default. False when there is no such tenant.
    public func setTenant(
        _ tenantID: String, limits: [(limit: TenantLimits.Limit, value: Int?)]
    ) async throws(StoreError) -> Bool {
        try await change(tenantID, limits.map { (TenantRecord.field($0.limit), $0.value.map { "\($0)" } ?? "") })
    }

    /// Changes whether the tenant's apps must sign, and how. False when there is no such tenant.
    public func setTenant(_ tenantID: String, signatures: SignatureDemand) async throws(StoreError) -> Bool {
        try await change(tenantID, "identity_required", signatures.kept)
    }

    /// Changes several things in one step. False when there is no such tenant; true when nothing is to be changed.
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
        let reply = try await run(Scripts.changeTenant, [Keys.tenant(tenantID)], fields.flatMap { [$0.name, $0.text] })
        guard reply.array != nil else { return false }
        var now = wallClock()
        guard let record = TenantRecord(tenantID, changed: reply, now: &now) else { throw .damaged("a tenant") }
        try await carry(record, now: now)
        return true
    }
}
