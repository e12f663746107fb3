/// Who uses up what a gateway has only so much of. A tenant's apps count apart from its own systems: the key that opens
/// the SDK's routes is in everybody's hands.
struct Claimant: Hashable, Sendable {
    private enum Kind: Hashable {
        case customer, devices, stranger
    }

    private let kind: Kind
    private let tenantID: String
    /// How much it is to have beside others.
    let weight: Int

    static func customer(_ tenantID: String, weight: Int = 1) -> Claimant {
        Claimant(kind: .customer, tenantID: tenantID, weight: weight)
    }

    static func devices(ofTenant tenantID: String, weight: Int = 1) -> Claimant {
        Claimant(kind: .devices, tenantID: tenantID, weight: weight)
    }

    /// Those who look after the gateway, together.
    static let operators = customer("")

    /// All those whose key is not known (yet), together.
    static let stranger = Claimant(kind: .stranger, tenantID: "", weight: 1)

    /// Whether it is what devices send.
    var isDevices: Bool { kind == .devices }

    /// The weight may change, and whoever it is stays the same.
    static func == (left: Claimant, right: Claimant) -> Bool {
        left.kind == right.kind && left.tenantID == right.tenantID
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(tenantID)
    }
}
