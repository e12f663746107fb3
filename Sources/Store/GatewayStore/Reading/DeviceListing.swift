public import Delivery
public import LiveActivity

/// A page of a listing.
public struct DeviceListing: Equatable, Sendable {
    /// In the order of their slots.
    public internal(set) var devices: [ListedDevice] = []
    /// Where to go on; nil at the end. There may be more although this page is not full.
    public internal(set) var next: DeviceCursor?
}

/// One device of a listing.
public struct ListedDevice: Equatable, Sendable {
    /// The insider_id and the udid by which customers and apps know it.
    public let key: DeviceKey
    /// How it is reached.
    public let cohort: Cohort
    /// What has become of it in the activity.
    public let state: DeviceState
    /// Why the Live Activity is gone; nil when it is not known to be.
    public let endReason: EndReason?
    /// What the last push to the device came to; nil before the first one.
    public let lastOutcome: PushOutcomeNote?
}
