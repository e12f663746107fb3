/// A holder of shares of the gateway's resources. A tenant's apps count separately from its own systems, because SDK
/// keys are public.
struct Claimant: Hashable, Sendable {
    private enum Kind: Hashable {
        case customer, devices, stranger
    }

    private let kind: Kind
    private let tenantID: String
    /// The weight of its share relative to others.
    let weight: Int

    static func customer(_ tenantID: String, weight: Int = 1) -> Claimant {
        Claimant(kind: .customer, tenantID: tenantID, weight: weight)
    }

    static func devices(ofTenant tenantID: String, weight: Int = 1) -> Claimant {
        Claimant(kind: .devices, tenantID: tenantID, weight: weight)
    }

    /// All operators together.
    static let operators = customer("")

    /// All clients without a known key together.
    static let stranger = Claimant(kind: .stranger, tenantID: "", weight: 1)

    /// True for requests of devices.
    var isDevices: Bool { kind == .devices }

    /// Ignores the weight, which may change.
    static func == (left: Claimant, right: Claimant) -> Bool {
        left.kind == right.kind && left.tenantID == right.tenantID
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(tenantID)
    }
}
