import Delivery
import LiveActivity

/// The delivery status of a slot: a byte of its status page. The values are stored, so they never change.
public enum DeliveryStatus {
    /// No device has the slot, or its place is not confirmed yet.
    public static let absent: UInt8 = 0
    /// In the segment. No start has an outcome yet.
    public static let registered: UInt8 = 1
    /// Removed from the segment.
    public static let removed: UInt8 = 2
    /// The provider accepted the start.
    public static let startAccepted: UInt8 = 3
    /// The provider refused the start.
    public static let startFailed: UInt8 = 4
    /// The start may have reached the device.
    public static let startUnknown: UInt8 = 5
    /// Nothing was sent, because the start ended before the device's turn.
    public static let startUnsent: UInt8 = 6

    /// The least delivery status that gives the reason of an end.
    public static let firstEnd: UInt8 = 16

    /// Returns the status of a Live Activity that has ended.
    public static func ended(_ reason: EndReason) -> UInt8 { firstEnd + reason.rawValue }

    /// Returns the reason of the end; nil for a Live Activity that has not ended.
    public static func endReason(_ status: UInt8) -> EndReason? {
        status >= firstEnd ? EndReason(rawValue: status - firstEnd) : nil
    }

    /// True if the device belongs to the segment.
    public static func isMember(_ status: UInt8) -> Bool { status != absent && status != removed }

    /// True if the device belongs to the segment and its Live Activity has not ended.
    public static func isLive(_ status: UInt8) -> Bool { isMember(status) && status < firstEnd }

    /// True if the start has an outcome on the device.
    public static func isStartDecided(_ status: UInt8) -> Bool { (startAccepted...startUnsent).contains(status) }

    /// True if a broadcast of the event is sent to the device.
    public static func isAddressed(_ status: UInt8, by kind: PushEvent) -> Bool {
        kind == .start ? status == registered : isLive(status)
    }

    /// True if the device may show a Live Activity.
    public static func mayShowLiveActivity(_ status: UInt8) -> Bool {
        status == startAccepted || status == startUnknown
    }

    /// True if the device may show a Live Activity, or may have shown one that has ended.
    public static func hadLiveActivity(_ status: UInt8) -> Bool { mayShowLiveActivity(status) || status >= firstEnd }
}
