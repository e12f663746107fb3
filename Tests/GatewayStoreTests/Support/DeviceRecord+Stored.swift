import LiveActivity
import TimeCore

@testable import GatewayStore

extension DeviceRecord {
    /// The value of a device in its user's hash.
    static func stored(_ device: Device, number: UInt32 = 1) -> [UInt8] {
        var first: [UInt8] = []
        appendFirst(device, reportedAt: UserRecord.encode(WallTime(seconds: 1)), to: &first)
        return Varint.encode(number) + first.dropFirst()
    }
}
