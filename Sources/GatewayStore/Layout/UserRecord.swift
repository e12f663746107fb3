import LiveActivity
import TimeCore

/// A user's hash, decoded: devices, push-to-start tokens and the activities that the user's devices are in.
///
/// | field | value |
/// |---|---|
/// | `d` udid | the device: format, flags, OS version, app version |
/// | `t` udid NUL activity type (empty: any) | the token: when it was reported (6 bytes of epoch milliseconds), token |
/// | `m` activity id (16 bytes) | the membership: when it may be forgotten, and the slot of each device |
/// | `s` system activity id | the activity (16 bytes) and the udid of the card that iOS calls so |
/// | `v` | grows with every change of a device or token |
struct UserRecord {
    struct Token {
        let reportedAt: WallTime
        let token: ArraySlice<UInt8>
    }

    private(set) var devices: [(udid: String, device: Device)] = []
    private(set) var memberships: [(activity: UniqueID, membership: Membership)] = []
    /// Names of cards that iOS gave, with the activity of each.
    private var systemActivities: [(field: [UInt8], activity: UniqueID)] = []
    private(set) var version: [UInt8] = []
    private var tokens: [[UInt8]: Token] = [:]

    /// Reads the reply of HGETALL. Records that cannot be read are passed over. Nil when the user is not known.
    init?(_ reply: [RedisField]) {
        guard !reply.isEmpty else { return nil }
        for (name, value) in reply {
            let rest = name.dropFirst()
            switch name.first {
            case UInt8(ascii: "d"):
                if let device = DeviceRecord.decode(value) {
                    devices.append((String(decoding: rest, as: UTF8.self), device))
                }
            case UInt8(ascii: "t"):
                if let token = UserRecord.decodeToken(value) { tokens[Array(rest)] = token }
            case UInt8(ascii: "m"):
                if let id = UniqueID(bytes: rest), let membership = Membership(value) {
                    memberships.append((id, membership))
                }
            case UInt8(ascii: "s"):
                if let id = UniqueID(bytes: value.prefix(16)) { systemActivities.append((name, id)) }
            case UInt8(ascii: "v"): version = value
            default: break
            }
        }
        devices.sort { $0.udid < $1.udid }
    }

    /// The token that starts an activity of this type on the device: the one for the type, else the one for any.
    func pushToStartToken(udid: String, type: String) -> Token? {
        tokens[UserRecord.tokenName(udid, type)] ?? tokens[UserRecord.tokenName(udid, "")]
    }

    func device(_ udid: String) -> Device? {
        devices.first { $0.udid == udid }?.device
    }

    func membership(in activity: UniqueID) -> Membership? {
        memberships.first { $0.activity == activity }?.membership
    }

    /// The fields of activities that are over, to be dropped.
    func outdatedFields(now: WallTime) -> [[UInt8]] {
        let live = Set(memberships.lazy.filter { $0.membership.expiresAt > now }.map(\.activity))
        let over = memberships.lazy.map(\.activity).filter { !live.contains($0) }
        return over.map(UserRecord.membershipField)
            + systemActivities.filter { !live.contains($0.activity) }.map(\.field)
    }

    static func deviceField(_ udid: String) -> [UInt8] { [UInt8(ascii: "d")] + udid.utf8 }

    static func tokenField(_ udid: String, _ type: String) -> [UInt8] {
        [UInt8(ascii: "t")] + tokenName(udid, type)
    }

    static func membershipField(_ activity: UniqueID) -> [UInt8] { [UInt8(ascii: "m")] + activity.bytes }

    static func systemActivityField(_ id: String) -> [UInt8] { [UInt8(ascii: "s")] + id.utf8 }

    private static func tokenName(_ udid: String, _ type: String) -> [UInt8] {
        Array(udid.utf8) + [0] + type.utf8
    }

    /// How many bytes of a stored token's value say when it was reported.
    static let tokenTimeLength = 6

    static func encodeToken(_ token: [UInt8], reportedAt: WallTime) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: reportedAt.milliseconds, bytes: tokenTimeLength)
        return bytes + token
    }

    static func decodeToken(_ value: [UInt8]) -> Token? {
        var reader = ByteReader(value)
        guard let time = reader.integer(bytes: tokenTimeLength) else { return nil }
        let token = reader.rest()
        // A longer one has no cell to go to.
        guard (1...TokenPage.maximumTokenLength).contains(token.count) else { return nil }
        return Token(reportedAt: WallTime(milliseconds: Int64(time)), token: token)
    }
}

/// A field of a hash with its value.
typealias RedisField = (name: [UInt8], value: [UInt8])

extension UniqueID {
    /// From sixteen bytes in network order.
    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        let words = bytes.reduce(into: (high: UInt64(0), low: UInt64(0))) { words, byte in
            words.high = words.high << 8 | words.low >> 56
            words.low = words.low << 8 | UInt64(byte)
        }
        self.init(high: words.high, low: words.low)
    }
}
