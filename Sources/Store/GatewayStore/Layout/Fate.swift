import LiveActivity

/// What became of a slot, as a byte of its fate page. Values are stored; never change one.
public enum Fate {
    /// Not given to any device (or not yet confirmed).
    public static let absent: UInt8 = 0
    /// In the segment; no start has come to an outcome.
    public static let registered: UInt8 = 1
    static let removed: UInt8 = 2
    /// The provider accepted the start.
    public static let startAccepted: UInt8 = 3
    /// The provider refused the start.
    public static let startFailed: UInt8 = 4
    /// The start may have reached the device; nobody knows.
    public static let startUnknown: UInt8 = 5
    /// Addressed by a start that ended before the device's turn came: nothing was sent.
    static let startUnsent: UInt8 = 6

    /// The least of the fates that tell of an end.
    static let firstEnd: UInt8 = 16

    /// Ended, for the reason given.
    public static func ended(_ reason: EndReason) -> UInt8 { firstEnd + reason.rawValue }

    static func endReason(_ fate: UInt8) -> EndReason? {
        fate >= firstEnd ? EndReason(rawValue: fate - firstEnd) : nil
    }

    /// Whether a device with this fate belongs to the segment.
    static func isMember(_ fate: UInt8) -> Bool { fate != absent && fate != removed }

    /// Whether a device with this fate belongs to the segment and has not ended.
    static func isLive(_ fate: UInt8) -> Bool { isMember(fate) && fate < firstEnd }

    /// Whether the start has had its outcome on this device.
    static func isStartDecided(_ fate: UInt8) -> Bool { (startAccepted...startUnsent).contains(fate) }

    /// Whether a broadcast is sent to a device with this fate.
    static func isAddressed(_ fate: UInt8, by kind: BroadcastKind) -> Bool {
        kind == .start ? fate == registered : isLive(fate)
    }

    /// Whether a card may be on the device.
    static func mayShowCard(_ fate: UInt8) -> Bool { fate == startAccepted || fate == startUnknown }
}
