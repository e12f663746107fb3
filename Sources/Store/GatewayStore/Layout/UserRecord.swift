import Delivery
import Encodings
import LiveActivity
import RedisClient
import RosterCore
import TimeCore

/// A user's decoded hash: devices, tokens and the activities of the user's devices.
///
/// | field | value |
/// |---|---|
/// | `d` udid (`PackedName`) | the device: its number, flags, OS version, app version (`DeviceRecord`) |
/// | `t` number, activity type (empty: any) | the push-to-start token: the time of its last report, token |
/// | `t` number, a zero byte | the registration token of an Android device in the same form |
/// | `r` number, token | empty: a replaced token that the index of owners may still list (`ReplacedToken`) |
/// | `m` activity id (16 bytes) | the membership: its expiry, and the slot of each device |
/// | `s` system activity id (`PackedName`) | the Live Activity that iOS refers to by this id (`LiveActivityName`) |
/// | `h` number, activity id (16 bytes), slot | a slot of another login that the phone may show (`HandOver`) |
/// | `v` | a counter of the changes to devices and tokens |
/// | `w` | present if the user has topic preferences, which keep a user without devices |
///
/// A token's time has 6 bytes of epoch milliseconds, whose two highest bits are marks. All fields but `d` name a device
/// by its number, so the hash holds each udid once.
///
/// `@unchecked Sendable`: immutable once it is made. A class, because calls pass on thousands of users.
final class UserRecord: @unchecked Sendable {
    struct Token {
        /// The reasons not to push to a token until the device reports it again.
        struct Marks: OptionSet {
            let rawValue: UInt8
            /// Another login or device has reported it later.
            static let elsewhere = Marks(rawValue: 64)
            /// The provider refused it.
            static let quarantined = Marks(rawValue: 128)
        }

        let reportedAt: WallTime
        let marks: Marks
        let token: ArraySlice<UInt8>
    }

    /// A slot in an activity that a former owner of the device's token had.
    struct HandOver {
        let device: UInt32
        let activity: UniqueID
        let slot: UInt32
        let expiresAt: WallTime
        var field: [UInt8] { UserRecord.handOverField(device: device, activity, slot: slot) }
    }

    struct UserDevice {
        let udid: String
        let number: UInt32
        let device: Device
        /// See `DeviceRecord.Stored.changedKind`.
        let changedKind: RouteKind?
        /// See `DeviceRecord.isReached`.
        let isReached: Bool
    }

    /// The devices that have reported their properties, by udid.
    private(set) var devices: [UserDevice] = []
    private(set) var memberships: [(activity: UniqueID, membership: Membership)] = []
    /// The names that iOS gave to Live Activities, with the activity of each.
    private(set) var liveActivityNames: [(field: [UInt8], liveActivity: LiveActivityName)] = []
    /// The Live Activities of other logins that may be on the devices' phones.
    private(set) var handOvers: [HandOver] = []
    private(set) var version: [UInt8] = []
    /// The versions of changes that are not in the rosters yet, by the device's number.
    private(set) var pendingChanges: [UInt32: [UInt8]] = [:]
    /// The tokens by number and activity type, in the form of the field names.
    private var tokens: [(name: ArraySlice<UInt8>, token: Token)] = []

    /// Reads the reply of HGETALL and skips unreadable records. Returns nil if the user does not exist.
    init?(_ reply: [RedisField]) {
        guard !reply.isEmpty else { return nil }
        for (name, value) in reply {
            name.withUnsafeBytes { name in value.withUnsafeBytes { take(name, $0, keeping: .all) } }
        }
        sort()
    }

    /// The memberships, hand-overs and Live Activity names to read.
    enum Places {
        case all
        /// Only the memberships and hand-overs of this activity; nil for none at all.
        case only(UniqueID?)
    }

    /// Reads a reply of HGETALL in place, because a call may read thousands of users with hundreds of places each.
    init?(_ reply: RedisReplyView, _ places: Places) {
        let elements = reply.elements
        guard elements.count > 1 else { return nil }
        var index = 0
        while index + 1 < elements.count {
            take(elements[index].bytes, elements[index + 1].bytes, keeping: places)
            index += 2
        }
        sort()
    }

    private func sort() {
        if devices.count > 1 { devices.sort { $0.udid < $1.udid } }
    }

    private func take(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, keeping places: Places) {
        let rest = name.dropFirst()
        switch name.first {
        case UInt8(ascii: "d"):
            guard let stored = DeviceRecord.read(value) else { return }
            devices.append(
                UserDevice(
                    udid: PackedName.decode(rest), number: stored.number, device: stored.device,
                    changedKind: stored.changedKind, isReached: stored.isReached))
        case UInt8(ascii: "t"):
            let longest = rest.last == 0 ? RegistrationToken.longest : TokenPage.maximumTokenLength
            if let token = UserRecord.namedToken(rest, value, longest: longest) { tokens.append(token) }
        case UInt8(ascii: "m"):
            guard let id = UniqueID(bytes: rest) else { return }
            if case .only(let activity) = places, id != activity { return }
            if let membership = Membership(Array(value)) { memberships.append((id, membership)) }
        case UInt8(ascii: "h"):
            var rest = rest
            guard let device = Varint.decode({ rest.popFirst() }), let id = UniqueID(bytes: rest.prefix(16)) else {
                return
            }
            if case .only(let activity) = places, id != activity { return }
            guard let membership = Membership(Array(value)), let slot = membership.slot(device: device) else { return }
            handOvers.append(HandOver(device: device, activity: id, slot: slot, expiresAt: membership.expiresAt))
        case UInt8(ascii: "s"):
            guard case .all = places, let liveActivity = LiveActivityName(Array(value)) else { return }
            liveActivityNames.append((Array(name), liveActivity))
        case UInt8(ascii: "c"):
            var rest = rest
            if let device = Varint.decode({ rest.popFirst() }) { pendingChanges[device] = Array(value) }
        case UInt8(ascii: "v"): version = Array(value)
        default: break
        }
    }

    /// Returns a token and the name of its field, both in one allocation.
    private static func namedToken(
        _ name: Slice<UnsafeRawBufferPointer>, _ value: UnsafeRawBufferPointer, longest: Int
    ) -> (name: ArraySlice<UInt8>, token: Token)? {
        guard let (time, marks) = tokenTime(value), (1...longest).contains(value.count - timeLength) else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: name.count + value.count - timeLength) { buffer, count in
            count = buffer.count
            UnsafeMutableRawBufferPointer(buffer).copyBytes(from: name)
            UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[name.count...])
                .copyBytes(from: value[timeLength...])
        }
        return (bytes[..<name.count], Token(reportedAt: time, marks: marks, token: bytes[name.count...]))
    }

    /// Returns the token that starts an activity of this type: the one for the type, else the one for any type.
    func pushToStartToken(device number: UInt32, type: String) -> Token? {
        let general = token(device: number, type: "")
        guard tokens.count > (general == nil ? 0 : 1) else { return general.flatMap { $0.marks.isEmpty ? $0 : nil } }
        let special = token(device: number, type: type)
        if let special, special.marks.isEmpty { return special }
        return general.flatMap { $0.marks.isEmpty ? $0 : nil }
    }

    private func token(device number: UInt32, type: String) -> Token? {
        tokens.first { UserRecord.isName($0.name, ofDevice: number, type) }?.token
    }

    /// True if the name of a token's field, without its first byte, is for the device and type. See `tokenField`.
    private static func isName(_ name: ArraySlice<UInt8>, ofDevice number: UInt32, _ type: String) -> Bool {
        var rest = name
        return Varint.decode({ rest.popFirst() }) == number && rest.elementsEqual(type.utf8)
    }

    /// All tokens of a device with their activity types (empty: any).
    func tokens(ofDevice number: UInt32) -> [(type: String, token: Token)] {
        let prefix = Varint.encode(number)
        return tokens.filter { $0.name.starts(with: prefix) }.map {
            (String(decoding: $0.name.dropFirst(prefix.count), as: UTF8.self), $0.token)
        }.sorted { $0.type < $1.type }
    }

    /// The registration token of an Android device.
    func registrationToken(device number: UInt32) -> Token? {
        tokens.first {
            UserRecord.isName($0.name, ofDevice: number, UserRecord.registrationType) && $0.token.marks.isEmpty
        }?.token
    }

    /// The token for a start of an activity of this type.
    func startToken(_ device: UserDevice, type: String) -> Token? {
        switch device.device.platform {
        case .ios: pushToStartToken(device: device.number, type: type)
        case .android: registrationToken(device: device.number)
        }
    }

    /// The device's token that another login or device has reported since; nil if the device has a token for the type.
    func elsewhereToken(_ device: UserDevice, type: String) -> Token? {
        let types = device.device.platform.hasOneToken ? [UserRecord.registrationType] : [type, ""]
        let found = types.compactMap { token(device: device.number, type: $0) }
        return found.contains { $0.marks.isEmpty } ? nil : found.first { $0.marks == .elsewhere }
    }

    func handOvers(ofDevice number: UInt32) -> [HandOver] { handOvers.filter { $0.device == number } }

    func device(_ udid: String) -> UserDevice? {
        devices.first { $0.udid.utf8.elementsEqual(udid.utf8) }
    }

    func membership(in activity: UniqueID) -> Membership? {
        memberships.first { $0.activity == activity }?.membership
    }

    /// The iOS name of the device's last Live Activity of an activity; nil if none was reported.
    func liveActivity(of udid: String, in activity: UniqueID) -> String? {
        let own = liveActivityNames.filter {
            $0.liveActivity.activity == activity && $0.liveActivity.udid.elementsEqual(udid.utf8)
        }
        let last = own.max { $0.liveActivity.namedAt < $1.liveActivity.namedAt }
        return last.map { PackedName.decode($0.field.dropFirst()) }
    }

    /// The activity of the device's Live Activity with an iOS name; nil if the name was not reported.
    func activity(ofLiveActivity name: String, of udid: String) -> UniqueID? {
        let field = UserRecord.systemActivityField(name)
        let named = liveActivityNames.first { $0.field == field }?.liveActivity
        return named?.udid.elementsEqual(udid.utf8) == true ? named?.activity : nil
    }

    /// The unexpired activities of the device.
    func places(_ udid: String, now: WallTime) -> [(id: UniqueID, slot: UInt32)] {
        guard let number = device(udid)?.number else { return [] }
        return memberships.compactMap { id, membership in
            membership.expiresAt > now ? membership.slot(device: number).map { (id, $0) } : nil
        }
    }

    /// The fields of expired activities, to delete.
    func outdatedFields(now: WallTime) -> [[UInt8]] {
        guard !memberships.isEmpty || !liveActivityNames.isEmpty || !handOvers.isEmpty else { return [] }
        let live = Set(memberships.lazy.filter { $0.membership.expiresAt > now }.map(\.activity))
        let over = memberships.lazy.map(\.activity).filter { !live.contains($0) }
        return over.map(UserRecord.membershipField)
            + liveActivityNames.filter { !live.contains($0.liveActivity.activity) }.map(\.field)
            + handOvers.filter { $0.expiresAt <= now }.map(\.field)
    }

    static func deviceField(_ udid: String) -> [UInt8] { named("d", udid) }

    static func appendDeviceField(_ udid: String, to field: inout [UInt8]) {
        field.append(UInt8(ascii: "d"))
        PackedName.append(udid, to: &field)
    }

    static func tokenField(device number: UInt32, _ type: String) -> [UInt8] {
        var field = [UInt8(ascii: "t")]
        Varint.append(number, to: &field)
        return field + type.utf8
    }

    /// The placeholder for the activity type in the field of a registration token.
    static let registrationType = "\0"

    static func membershipField(_ activity: UniqueID) -> [UInt8] { [UInt8(ascii: "m")] + activity.bytes }

    static func handOverField(device number: UInt32, _ activity: UniqueID, slot: UInt32) -> [UInt8] {
        [UInt8(ascii: "h")] + Varint.encode(number) + activity.bytes + Varint.encode(slot)
    }

    static func systemActivityField(_ id: String) -> [UInt8] { named("s", id) }

    private static func named(_ kind: Unicode.Scalar, _ name: String) -> [UInt8] {
        var field: [UInt8] = []
        field.reserveCapacity(40)
        field.append(UInt8(ascii: kind))
        PackedName.append(name, to: &field)
        return field
    }

    /// The length of the report time in a stored token or device.
    static let timeLength = 6

    static func encode(_ time: WallTime) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: time.milliseconds, bytes: timeLength)
        return bytes
    }

    static func encodeToken(_ token: [UInt8], reportedAt: WallTime) -> [UInt8] { encode(reportedAt) + token }

    /// - Parameter longest: The longest token in bytes. Returns nil for a longer one.
    static func decodeToken(_ value: [UInt8], longest: Int) -> Token? {
        guard let (time, marks) = value.withUnsafeBytes({ tokenTime($0) }),
            (1...longest).contains(value.count - timeLength)
        else { return nil }
        return Token(reportedAt: time, marks: marks, token: value[timeLength...])
    }

    private static func tokenTime(_ value: UnsafeRawBufferPointer) -> (WallTime, Token.Marks)? {
        guard value.count >= timeLength else { return nil }
        var time: UInt64 = 0
        for index in (0..<timeLength).reversed() { time = time << 8 | UInt64(value[index]) }
        return (
            WallTime(milliseconds: Int64(time & ((1 << 46) - 1))), Token.Marks(rawValue: UInt8(time >> 40) & 0xC0)
        )
    }
}

/// A field of a hash with its value.
typealias RedisField = (name: [UInt8], value: [UInt8])

extension UniqueID {
    /// Decodes sixteen bytes in network order.
    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        let words = bytes.reduce(into: (high: UInt64(0), low: UInt64(0))) { words, byte in
            words.high = words.high << 8 | words.low >> 56
            words.low = words.low << 8 | UInt64(byte)
        }
        self.init(high: words.high, low: words.low)
    }
}
