import LiveActivity

/// What was taken out of a user's hash to be erased: the same fields as there, of all devices or of one. Once the rest
/// has been done only the digests of its tokens are left, for a look that closes the erasure.
///
/// | field | value |
/// |---|---|
/// | `p` activity id (16 bytes) | the part of a membership that is of the device, where its user has others in the activity;
/// `m`, as in the user's hash, where none of the user's is left there |
/// | `l` activity id | how many of these devices were of the activity's segment (`note-members`) |
struct SetAside {
    /// A place, or several, in an activity.
    struct Place {
        let activity: UniqueID
        let membership: Membership
        /// Whether the user has no other device there.
        let isWhole: Bool

        /// Its field.
        var field: [UInt8] { [UInt8(ascii: isWhole ? "m" : "p")] + activity.bytes }
        /// Where it is noted how many devices of the segment have had it.
        var membersField: [UInt8] { [UInt8(ascii: "l")] + activity.bytes }
    }

    /// Marks what is left for the closing look.
    static let closingField = "c"

    /// The devices by their numbers.
    private(set) var udids: [UInt32: String] = [:]
    private(set) var places: [Place] = []
    private var tokens: [(device: UInt32, token: [UInt8], isPresent: Bool)] = []
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
                    tokens.append((number, Array(value.dropFirst(UserRecord.timeLength)), true))
                }
            case UInt8(ascii: "r"):
                if let replaced = UserRecord.ReplacedToken(name) {
                    tokens.append((replaced.device, replaced.token, false))
                }
            case UInt8(ascii: "m"), UInt8(ascii: "p"):
                if let id = UniqueID(bytes: rest), let membership = Membership(value) {
                    let isWhole = name.first == UInt8(ascii: "m")
                    places.append(Place(activity: id, membership: membership, isWhole: isWhole))
                }
            default: break
            }
        }
    }

    /// Each token once, with the device that it was reported for, and whether the device had it still.
    func tokens(of insiderID: String) -> [(token: [UInt8], key: DeviceKey, isPresent: Bool)] {
        var seen: Set<[UInt8]> = []
        return (tokens.filter(\.isPresent) + tokens.filter { !$0.isPresent }).compactMap { number, token, isPresent in
            guard let udid = udids[number], seen.insert(token).inserted else { return nil }
            return (token, DeviceKey(insiderID: insiderID, udid: udid), isPresent)
        }
    }
}
