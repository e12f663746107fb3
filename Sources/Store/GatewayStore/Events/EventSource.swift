public import LiveActivity

/// The cause of events. Events that devices cause have a share of their own, because the SDK's key is in everybody's hands:
/// made-up users may push out events of phones, and none of what the tenant's own calls came to.
public enum EventSource: String, Sendable {
    case customer = ""
    case device

    /// The cause of an activity's end without a call. Devices made the activities that they opened.
    public init(ofEndOf activity: Activity) {
        self = activity.externalID == nil ? .customer : .device
    }
}
