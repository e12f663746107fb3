import Delivery
import Encodings
import LiveActivity
import TimeCore

/// A device in its user's hash:
///
/// 1. Its number (`Varint`).
/// 2. Format and flags in one byte.
/// 3. The time of its newest report, in six bytes of epoch milliseconds.
/// 4. The two parts of the OS version (`Varint`), and the app version.
///
/// The number is the user's version at the first report of the device, so it is unique among the user's devices.
/// Tokens, memberships and rosters name the device by it. The record of a device that has reported only a token
/// consists of the number.
enum DeviceRecord {
    /// The format of a device that a script gets, without the time, which the script adds. The upper three bits of the
    /// byte hold the format, the lower five the flags.
    private static let untimed: UInt8 = 1 << 5
    /// The format of a stored device.
    private static let timed: UInt8 = 2 << 5
    /// The format of a stored device that has changed its environment or its platform. Its slots may be in the former
    /// band.
    private static let changed: UInt8 = 3 << 5

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let android = Flags(rawValue: 1)
        static let pushOptIn = Flags(rawValue: 2)
        static let gdprConsent = Flags(rawValue: 4)
        static let frequentPushes = Flags(rawValue: 8)
        static let sandbox = Flags(rawValue: 16)
    }

    /// Encodes a device without the number and the time, which the script that writes the record adds.
    static func encode(_ device: Device) -> [UInt8] {
        var bytes = [untimed | flags(device).rawValue]
        appendVersions(device, to: &bytes)
        return bytes
    }

    /// Appends the record of a user's first device, whose number is 1.
    static func appendFirst(_ device: Device, reportedAt time: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(1)
        bytes.append(timed | flags(device).rawValue)
        bytes += time
        appendVersions(device, to: &bytes)
    }

    /// The result of `encode` for the device of a result of `appendFirst`.
    static func untimed(first: ArraySlice<UInt8>) -> [UInt8] {
        let rest = first.dropFirst()
        return [untimed | (rest.first ?? 0) & 0x1F] + rest.dropFirst(1 + UserRecord.timeLength)
    }

    private static func flags(_ device: Device) -> Flags {
        var flags: Flags = []
        switch device.platform {
        case .ios: break
        case .android: flags.insert(.android)
        }
        if device.pushOptIn { flags.insert(.pushOptIn) }
        if device.gdprConsent { flags.insert(.gdprConsent) }
        if device.frequentPushes { flags.insert(.frequentPushes) }
        if device.environment == .sandbox { flags.insert(.sandbox) }
        return flags
    }

    private static func appendVersions(_ device: Device, to bytes: inout [UInt8]) {
        Varint.append(UInt32(device.osVersion.major), to: &bytes)
        Varint.append(UInt32(device.osVersion.minor), to: &bytes)
        if let appVersion = device.appVersion { bytes += appVersion.utf8 }
    }

    /// The parts of a stored value.
    struct Stored {
        let number: UInt32
        let device: Device
        let hasChanged: Bool
        /// True if a push has ever reached the device.
        let isReached: Bool
        /// The kind of route of a device that has changed its environment or its platform; nil for any other device.
        var changedKind: RouteKind? { hasChanged ? RouteKind(device) : nil }
    }

    /// Returns nil if the value has only a number or cannot be read.
    static func read(_ value: UnsafeRawBufferPointer) -> Stored? {
        var rest = value[...]
        guard let number = Varint.decode({ rest.popFirst() }), let first = rest.popFirst() else { return nil }
        let format = first & 0xE0
        guard [timed, changed].contains(format), rest.count >= UserRecord.timeLength else { return nil }
        let isReached = rest[rest.startIndex + UserRecord.timeLength - 1] & 64 != 0
        rest = rest.dropFirst(UserRecord.timeLength)
        guard let major = Varint.decode({ rest.popFirst() }).flatMap({ UInt16(exactly: $0) }),
            let minor = Varint.decode({ rest.popFirst() }).flatMap({ UInt16(exactly: $0) })
        else { return nil }
        let flags = Flags(rawValue: first & 0x1F)
        let device = Device(
            platform: flags.contains(.android) ? .android : .ios,
            osVersion: OSVersion(major: major, minor: minor),
            appVersion: rest.isEmpty ? nil : String(decoding: rest, as: UTF8.self),
            pushOptIn: flags.contains(.pushOptIn), gdprConsent: flags.contains(.gdprConsent),
            frequentPushes: flags.contains(.frequentPushes),
            environment: flags.contains(.sandbox) ? .sandbox : .production)
        return Stored(number: number, device: device, hasChanged: format == changed, isReached: isReached)
    }

    /// The device of a stored value; nil if the value has none or cannot be read.
    static func decode(_ value: [UInt8]) -> Device? {
        value.withUnsafeBytes { read($0)?.device }
    }

    /// The time of the newest report of the device; nil if it has reported only a token.
    static func reportedAt(_ value: [UInt8]) -> WallTime? {
        var reader = ByteReader(value)
        guard reader.varint() != nil, let first = reader.byte(), [timed, changed].contains(first & 0xE0),
            let time = reader.integer(bytes: UserRecord.timeLength)
        else { return nil }
        return WallTime(milliseconds: Int64(time & ((1 << 46) - 1)))
    }

    /// True if a push has ever reached the device. The script of the first sync sets this mark in the time.
    static func isReached(_ value: [UInt8]) -> Bool {
        value.withUnsafeBytes { isReached(in: $0) }
    }

    /// Reads the mark of `isReached` in place.
    static func isReached(in value: UnsafeRawBufferPointer) -> Bool {
        marks(in: value) & 64 != 0
    }

    /// The byte whose two highest bits are the marks of a record with a time; 0 for any other record.
    private static func marks(in value: UnsafeRawBufferPointer) -> UInt8 {
        var rest = value[...]
        guard Varint.decode({ rest.popFirst() }) != nil, let first = rest.popFirst(),
            [timed, changed].contains(first & 0xE0), rest.count >= UserRecord.timeLength
        else { return 0 }
        return rest[rest.startIndex + UserRecord.timeLength - 1]
    }

    /// True if the phone may show a Live Activity of another login. `note-hand-over.lua` sets this mark in the time.
    static func hasHandOvers(in value: UnsafeRawBufferPointer) -> Bool {
        marks(in: value) & 128 != 0
    }

    /// Returns the number at the start of a stored value.
    static func number(_ value: [UInt8]) -> UInt32? {
        value.withUnsafeBytes { number(in: $0) }
    }

    /// Reads the number in place.
    static func number(in value: UnsafeRawBufferPointer) -> UInt32? {
        var rest = value[...]
        return Varint.decode { rest.popFirst() }
    }
}
