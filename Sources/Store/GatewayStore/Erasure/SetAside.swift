import LiveActivity

/// What was taken out of a user's hash to be erased: the same fields as there, of all devices or of one. Once the rest has
/// been done only the digests of its tokens are left, for a look that closes the erasure.
struct SetAside {
    /// Marks what is left for the closing look.
    static let closingField = "c"

    /// The devices by their numbers.
    private(set) var udids: [UInt32: String] = [:]
    private(set) var memberships: [(activity: UniqueID, membership: Membership)] = []
    private var tokens: [(device: UInt32, token: [UInt8])] = []
    /// Whether nothing but the closing look is left to do.
    private(set) var isClosing = false
    /// Of the closing look: the digest of each token, and what its owner is called.
    private(set) var owned: [(digest: [UInt8], owner: TokenOwner.Spellings)] = []

    /// Nil when nothing is set aside.
    init?(_ fields: [RedisField]) {
        guard !fields.isEmpty else { return nil }
        isClosing = fields.contains { $0.name.elementsEqual(SetAside.closingField.utf8) }
        for (name, value) in fields {
            let rest = name.dropFirst()
            if isClosing {
                if let owner = TokenOwner.Spellings(value) { owned.append((name, owner)) }
                continue
            }
            switch name.first {
            case UInt8(ascii: "d"):
                if let number = DeviceRecord.number(value) { udids[number] = PackedName.decode(rest) }
            case UInt8(ascii: "t"):
                var reader = ByteReader(Array(rest))
                if let number = reader.varint(), value.count > UserRecord.timeLength {
                    tokens.append((number, Array(value.dropFirst(UserRecord.timeLength))))
                }
            case UInt8(ascii: "m"):
                if let id = UniqueID(bytes: rest), let membership = Membership(value) {
                    memberships.append((id, membership))
                }
            default: break
            }
        }
    }

    /// Each token once, with the device that it was reported for.
    func tokens(of insiderID: String) -> [(token: [UInt8], key: DeviceKey)] {
        var seen: Set<[UInt8]> = []
        return tokens.compactMap { number, token in
            guard let udid = udids[number], seen.insert(token).inserted else { return nil }
            return (token, DeviceKey(insiderID: insiderID, udid: udid))
        }
    }
}
