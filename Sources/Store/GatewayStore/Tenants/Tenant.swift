import Secrets
public import TimeCore

/// A customer of the gateway. Everything it registers is its own alone.
public struct Tenant: Equatable, Sendable {
    /// Chosen by the gateway.
    public let id: String
    /// What people call it; two tenants may have the same.
    public let name: String
    /// What the tenant pays for.
    public let tier: Tier
    /// Whether live activities are switched on for the tenant.
    public let isEnabled: Bool
    /// Whether the tenant's apps must sign for whom they report, and how.
    public let signatures: SignatureDemand
    /// How much it may use.
    public var limits = TenantLimits.standard

    /// What a tenant pays for, in ascending order.
    public enum Tier: String, CaseIterable, Comparable, Sendable {
        case starter, growth, enterprise

        public static func < (left: Tier, right: Tier) -> Bool {
            allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
        }
    }

    /// Whether a text can be a tenant's name: 1 to 200 bytes in one line, and not only white space.
    public static func isName(_ text: String) -> Bool {
        text.contains(where: { !$0.isWhitespace }) && text.utf8.count <= 200
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    public init(id: String, name: String, tier: Tier, isEnabled: Bool, signatures: SignatureDemand) {
        self.id = id
        self.name = name
        self.tier = tier
        self.isEnabled = isEnabled
        self.signatures = signatures
    }
}

/// The secrets of a tenant, shown once when they are made.
public struct TenantSecrets: Sendable {
    /// Whose secrets they are.
    public let tenantID: String
    /// For calls of customers.
    public let apiKey: String
    /// For calls of devices; it is part of the app.
    public let sdkKey: String
    /// What the tenant's servers sign with; nil while there is no key to seal it with.
    public let identitySecret: String?
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
    /// Which of the tenant's secrets it is.
    public let kind: TenantSecretKind
    /// SHA-256 of the secret, in hexadecimal; of an identity secret its first twelve digits.
    public let hash: String
    /// When it ceases to count; nil for the present one.
    public let until: WallTime?

    /// - Parameter kept: the secret as it is kept.
    init(kind: TenantSecretKind, kept: String, until: WallTime?) {
        self.kind = kind
        hash = kind == .identity ? String(kept.prefix(IdentitySecrets.clearDigits)) : kept
        self.until = until
    }
}

/// What a key opens, and how much of its rate is left. It goes from step to step with every request, so it is one
/// object.
public final class Admission: Sendable {
    /// Whose key it is.
    public let tenantID: String
    /// What the tenant pays for.
    public let tier: Tenant.Tier
    /// Whether live activities are switched on for the tenant.
    public let isEnabled: Bool
    /// Whether the tenant's apps must sign for whom they report, and how.
    public let signatures: SignatureDemand
    /// Hashes of the identity secrets that count: the present one first, then those in their overlap. Empty for a
    /// customer's key.
    let identityHashes: [[UInt8]]
    /// Whether there are more of them, which do not open with the gateway's key.
    let hasUnreadableIdentity: Bool
    /// Where the key's rate stands with this request.
    public let rate: Rate
    /// How much the tenant may use.
    public let limits: TenantLimits
    /// What to have further requests of a customer's key let in by; nil for a key that opens nothing now.
    public let known: KnownKey?

    init(
        tenantID: String, tier: Tenant.Tier, isEnabled: Bool, signatures: SignatureDemand, identityHashes: [[UInt8]],
        hasUnreadableIdentity: Bool, rate: Rate, limits: TenantLimits = .standard, known: KnownKey? = nil
    ) {
        self.tenantID = tenantID
        self.tier = tier
        self.isEnabled = isEnabled
        self.signatures = signatures
        self.identityHashes = identityHashes
        self.hasUnreadableIdentity = hasUnreadableIdentity
        self.rate = rate
        self.limits = limits
        self.known = known
    }

    /// Requests of one key in the window that slides.
    public struct Rate: Equatable, Sendable {
        /// Whether this request is within the limit; it counts only then.
        public let isAllowed: Bool
        /// How many more are within it now; 0 as well when there is no limit.
        public let remaining: Int
        /// When the oldest counted request leaves the window, in epoch milliseconds.
        public let resetAt: Int64
    }
}
