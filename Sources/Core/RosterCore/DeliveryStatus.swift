import Delivery
import LiveActivity

/// What became of a slot, as a byte of its status page. Values are stored; never change one.
public enum DeliveryStatus {
    /// Not given to any device (or not yet confirmed).
    public static let absent: UInt8 = 0
    /// In the segment; no start has come to an outcome.
    public static let registered: UInt8 = 1
    public static let removed: UInt8 = 2
    /// The provider accepted the start.
    public static let startAccepted: UInt8 = 3
    /// The provider refused the start.
    public static let startFailed: UInt8 = 4
    /// The start may have reached the device; nobody knows.
    public static let startUnknown: UInt8 = 5
    /// Addressed by a start that ended before the device's turn came: nothing was sent.
    public static let startUnsent: UInt8 = 6

    /// The least of the delivery statuses that tell of an end.
    public static let firstEnd: UInt8 = 16

    /// Ended, for the reason given.
    public static func ended(_ reason: EndReason) -> UInt8 { firstEnd + reason.rawValue }

    public static func endReason(_ status: UInt8) -> EndReason? {
        status >= firstEnd ? EndReason(rawValue: status - firstEnd) : nil
    }

    /// Whether a device with this delivery status belongs to the segment.
    public static func isMember(_ status: UInt8) -> Bool { status != absent && status != removed }

    /// Whether a device with this delivery status belongs to the segment and has not ended.
    public static func isLive(_ status: UInt8) -> Bool { isMember(status) && status < firstEnd }

    /// Whether the start has had its outcome on this device.
    public static func isStartDecided(_ status: UInt8) -> Bool { (startAccepted...startUnsent).contains(status) }

    /// Whether a broadcast is sent to a device with this delivery status.
    public static func isAddressed(_ status: UInt8, by kind: PushEvent) -> Bool {
        kind == .start ? status == registered : isLive(status)
    }

    /// Whether a Live Activity may be on the device.
    public static func mayShowLiveActivity(_ status: UInt8) -> Bool { status == startAccepted || status == startUnknown }

    /// True if a Live Activity may be, or may have been, on the device.
    public static func hadLiveActivity(_ status: UInt8) -> Bool { mayShowLiveActivity(status) || status >= firstEnd }
}
