import Encodings
import LiveActivity
import RedisClient
import TimeCore

/// The devices and tokens of a user's hash, to find the least needed one.
struct UserOccupancy {
    struct Device {
        let udid: String
        let number: UInt32
        /// True if its record has the mark of a push that has reached it.
        var isReached: Bool
        /// The time of the last report of the device or its tokens.
        var heardAt: WallTime

        func isLessNeeded(than other: Device) -> Bool {
            isReached == other.isReached ? heardAt < other.heardAt : !isReached
        }
    }

    struct Token {
        let device: UInt32
        let type: String
        let token: [UInt8]
        let reportedAt: WallTime
    }

    private(set) var devices: [Device] = []
    private(set) var tokens: [Token] = []

    init(_ fields: [RedisField]) {
        for (name, value) in fields {
            var rest = ByteReader(Array(name.dropFirst()))
            switch name.first {
            case UInt8(ascii: "d"):
                guard let number = DeviceRecord.number(value) else { continue }
                devices.append(
                    Device(
                        udid: PackedName.decode(name.dropFirst()), number: number,
                        isReached: DeviceRecord.isReached(value),
                        heardAt: DeviceRecord.reportedAt(value) ?? WallTime(milliseconds: 0)))
            case UInt8(ascii: "t"):
                guard let device = rest.varint(), let token = UserRecord.decodeToken(value, longest: .max) else {
                    continue
                }
                tokens.append(
                    Token(
                        device: device, type: String(decoding: rest.rest(), as: UTF8.self), token: Array(token.token),
                        reportedAt: token.reportedAt))
            default: break
            }
        }
        for token in tokens {
            guard let index = devices.firstIndex(where: { $0.number == token.device }) else { continue }
            devices[index].heardAt = max(devices[index].heardAt, token.reportedAt)
        }
    }

    /// The token with the oldest report among those of the device with the most tokens. Devices with few tokens keep
    /// theirs.
    var leastNeededToken: Token? {
        let counts = tokens.reduce(into: [UInt32: Int]()) { $0[$1.device, default: 0] += 1 }
        let most = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
        return tokens.filter { $0.device == most }.min { $0.reportedAt < $1.reportedAt }
    }
}
