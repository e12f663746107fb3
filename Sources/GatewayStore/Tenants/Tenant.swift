import Secrets
public import TimeCore

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

/// The secrets that a tenant has one of, and gets a fresh one of when it is rotated.
public enum TenantSecretKind: String, CaseIterable, Sendable {
    case api, sdk, identity

    var secretKind: Secret.Kind {
        switch self {
        case .api: .apiKey
        case .sdk: .sdkKey
        case .identity: .identity
        }
    }

    /// Nil for what opens nothing by itself.
    var keyKind: StoredTenants.KeyKind? {
        switch self {
        case .api: .api
        case .sdk: .sdk
        case .identity: nil
        }
    }
}

/// What is known of a secret. The secret itself is not.
public struct TenantSecretState: Equatable, Sendable {
    public let kind: TenantSecretKind
    /// SHA-256 of the secret, in hexadecimal.
    public let hash: String
    /// When it ceases to count; nil for the present one.
    public let until: WallTime?
}

/// What a key opens, and how much of its rate is left.
public struct Admission: Sendable {
    public let tenantID: String
    public let tier: Tenant.Tier
    public let isEnabled: Bool
    public let requiresIdentitySignature: Bool
    /// Hashes of the identity secrets that count: the present one first, then those in their overlap.
    let identityHashes: [[UInt8]]
    public let rate: Rate

    public struct Rate: Equatable, Sendable {
        public let isAllowed: Bool
        public let remaining: Int
        /// When the oldest counted request leaves the window, in epoch milliseconds.
        public let resetAt: Int64
    }
}
