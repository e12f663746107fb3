import LiveActivity

/// A device as it lies in its user's hash: format (1), flags, OS version (2 + 2 bytes, little-endian), app version.
enum DeviceRecord {
    private static let format: UInt8 = 1

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let android = Flags(rawValue: 1)
        static let pushOptIn = Flags(rawValue: 2)
        static let gdprConsent = Flags(rawValue: 4)
        static let frequentPushes = Flags(rawValue: 8)
        static let sandbox = Flags(rawValue: 16)
    }

    static func encode(_ device: Device) -> [UInt8] {
        var flags: Flags = []
        if device.platform == .android { flags.insert(.android) }
        if device.pushOptIn { flags.insert(.pushOptIn) }
        if device.gdprConsent { flags.insert(.gdprConsent) }
        if device.frequentPushes { flags.insert(.frequentPushes) }
        if device.environment == .sandbox { flags.insert(.sandbox) }
        var bytes = [format, flags.rawValue]
        bytes.append(littleEndian: device.osVersion.major, bytes: 2)
        bytes.append(littleEndian: device.osVersion.minor, bytes: 2)
        return bytes + (device.appVersion ?? "").utf8
    }

    static func decode(_ bytes: [UInt8]) -> Device? {
        var reader = ByteReader(bytes)
        guard reader.byte() == format, let rawFlags = reader.byte(), let major = reader.integer(UInt16.self),
            let minor = reader.integer(UInt16.self)
        else { return nil }
        let flags = Flags(rawValue: rawFlags)
        let appVersion = String(decoding: reader.rest(), as: UTF8.self)
        return Device(
            platform: flags.contains(.android) ? .android : .ios,
            osVersion: OSVersion(major: major, minor: minor),
            appVersion: appVersion.isEmpty ? nil : appVersion,
            pushOptIn: flags.contains(.pushOptIn), gdprConsent: flags.contains(.gdprConsent),
            frequentPushes: flags.contains(.frequentPushes),
            environment: flags.contains(.sandbox) ? .sandbox : .production)
    }
}
