/// What is to be changed of a tenant; nil where nothing is.
public struct TenantChanges: Sendable {
    /// Whether live activities are switched on for the tenant.
    public var isEnabled: Bool?
    /// What the tenant pays for.
    public var tier: Tenant.Tier?
    /// Whether the tenant's apps must sign for whom they report, and how.
    public var signatures: SignatureDemand?
    /// How much it may use; nil for a value: the default.
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
