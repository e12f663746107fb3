import Encodings
import LiveActivity

/// The data taken from a user's hash for an erasure: the same fields, of all devices or of one. In the end, only the
/// digests of tokens remain, with their owners, for the closing check.
///
/// | field | value |
/// |---|---|
/// | `p` activity id (16 bytes) | the device's part of a membership, if its user has others in the activity |
/// | `m` activity id (16 bytes) | the membership, as in the user's hash, if none of the user's devices is left there |
/// | `l` activity id | the number of these devices that the activity's segment counts (`note-members`) |
struct SetAside {
    /// The slots of erased devices in an activity.
    struct Place {
        let activity: UniqueID
        let membership: Membership
        /// True if the user has no other device there.
        let isWhole: Bool

        var field: [UInt8] { [UInt8(ascii: isWhole ? "m" : "p")] + activity.bytes }
        /// The field for the number of its devices that the segment counts.
        var membersField: [UInt8] { [UInt8(ascii: "l")] + activity.bytes }
    }

    /// The mark of data for the closing check.
    static let closingField = "c"

    /// The devices by their numbers.
    private(set) var udids: [UInt32: String] = [:]
    private(set) var places: [Place] = []
    private var tokens: [(device: UInt32, token: [UInt8], isPresent: Bool)] = []
    /// True if only the closing check remains.
    private(set) var isClosing = false
    /// The digest of each token with its owner, for the closing check.
    private(set) var owned: [(digest: [UInt8], owner: TokenOwner)] = []

    /// Returns nil if no data is set aside.
    init?(_ fields: [RedisField]) {
        guard !fields.isEmpty else { return nil }
        isClosing = fields.contains { $0.name.elementsEqual(SetAside.closingField.utf8) }
        for (name, value) in fields {
            let rest = name.dropFirst()
            if isClosing {
                if let owner = TokenOwner(value) { owned.append((name, owner)) }
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

    /// Returns each token once, with the device that reported it, and true if the device still had it.
    func tokens(of insiderID: String) -> [(token: [UInt8], key: DeviceKey, isPresent: Bool)] {
        var seen: Set<[UInt8]> = []
        return (tokens.filter(\.isPresent) + tokens.filter { !$0.isPresent }).compactMap { number, token, isPresent in
            guard let udid = udids[number], seen.insert(token).inserted else { return nil }
            return (token, DeviceKey(insiderID: insiderID, udid: udid), isPresent)
        }
    }
}
