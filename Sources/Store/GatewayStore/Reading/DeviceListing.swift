public import Delivery
public import LiveActivity

/// A page of a listing of devices.
public struct DeviceListing: Equatable, Sendable {
    /// The devices in the order of their slots.
    public internal(set) var devices: [ListedDevice] = []
    /// The beginning of the next page; nil at the end. A page that is not full may have a next one.
    public internal(set) var next: DeviceCursor?
}

/// A device of a listing.
public struct ListedDevice: Equatable, Sendable {
    /// The insider_id and the udid by which customers and apps identify the device.
    public let key: DeviceKey
    /// The cohort, which is the way to reach the device.
    public let cohort: Cohort
    /// The state of the device in the activity.
    public let state: DeviceState
    /// The reason for which the Live Activity ended; nil in any state but `ended`.
    public let endReason: EndReason?
    /// The outcome of the last push to the device; nil before the first one.
    public let lastOutcome: PushOutcomeNote?
}
