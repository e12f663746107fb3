public import LiveActivity

/// A page of a listing.
public struct DeviceListing: Equatable, Sendable {
    public internal(set) var devices: [ListedDevice] = []
    /// Where to go on; nil at the end. There may be more although this page is not full.
    public internal(set) var next: DeviceCursor?
}

/// One device of a listing.
public struct ListedDevice: Equatable, Sendable {
    public let key: DeviceKey
    public let state: DeviceState
    /// See `Fate`.
    public let fate: UInt8

    /// What the last push that changed the device's fate came to, or why its card ended; nil before the start.
    public var lastOutcome: String? {
        switch fate {
        case Fate.startAccepted: "accepted"
        case Fate.startFailed: "failed"
        case Fate.startUnknown: "unknown"
        default: Fate.endReason(fate)?.name
        }
    }
}
