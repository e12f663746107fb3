/// Changes of a tenant's settings; nil keeps a setting.
public struct TenantChanges: Sendable {
    /// True to enable Live Activities for the tenant.
    public var isEnabled: Bool?
    /// The tenant's new level.
    public var tier: Tenant.Tier?
    /// The new requirement for signed reports.
    public var signatures: SignatureDemand?
    /// The new limits. A nil value restores the default.
    public var limits: [(limit: TenantLimits.Limit, value: Int?)]

    public init(
        isEnabled: Bool? = nil, tier: Tenant.Tier? = nil, signatures: SignatureDemand? = nil,
        limits: [(limit: TenantLimits.Limit, value: Int?)] = []
    ) {
        self.isEnabled = isEnabled
        self.tier = tier
        self.signatures = signatures
        self.limits = limits
    }
}
