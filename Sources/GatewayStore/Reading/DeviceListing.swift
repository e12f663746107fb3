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
    /// Why the card is gone; nil when it is not known to be.
    public let endReason: EndReason?
    /// What the last push to the device came to; nil before the first one.
    public let lastOutcome: PushOutcomeNote?
}
