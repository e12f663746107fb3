/// A customer of the gateway. Everything he registers is his alone.
public struct Tenant: Equatable, Sendable {
    public let id: String
    public let name: String
    public let tier: Tier
    /// Whether live activities are switched on for the tenant.
    public let isEnabled: Bool
    /// Whether the tenant's apps must sign the insider_id they report for.
    public let requiresIdentitySignature: Bool

    /// What a tenant pays for, in ascending order.
    public enum Tier: String, CaseIterable, Comparable, Sendable {
        case starter, growth, enterprise

        public static func < (left: Tier, right: Tier) -> Bool {
            allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
        }
    }

    public init(id: String, name: String, tier: Tier, isEnabled: Bool, requiresIdentitySignature: Bool) {
        self.id = id
        self.name = name
        self.tier = tier
        self.isEnabled = isEnabled
        self.requiresIdentitySignature = requiresIdentitySignature
    }
}

/// The secrets of a tenant, shown once when they are made.
public struct TenantSecrets: Sendable {
    public let tenantID: String
    public let apiKey: String
    public let sdkKey: String
    public let identitySecret: String
}

/// What a key opens, and how much of its rate is left.
public struct Admission: Sendable {
    public let tenantID: String
    public let tier: Tenant.Tier
    public let isEnabled: Bool
    public let requiresIdentitySignature: Bool
    let identityHash: [UInt8]
    public let rate: Rate

    public struct Rate: Equatable, Sendable {
        public let isAllowed: Bool
        public let remaining: Int
        /// When the oldest counted request leaves the window, in epoch milliseconds.
        public let resetAt: Int64
    }
}
