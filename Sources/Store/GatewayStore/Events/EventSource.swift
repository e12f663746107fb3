public import LiveActivity

/// The cause of events. Events that devices cause have a share of their own, because the SDK's key can be taken from
/// any app. Made-up users can then push out only events of devices.
public enum EventSource: String, Sendable {
    case customer = ""
    case device

    /// The cause of an activity's end without a call: devices if an app opened the activity, else the customer.
    public init(ofEndOf activity: Activity) {
        self = activity.externalID == nil ? .customer : .device
    }
}
