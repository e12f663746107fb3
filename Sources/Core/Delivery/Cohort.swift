import LiveActivity

/// A kind of destination, by which customers' counts are broken down. The raw value is the name in the API.
public enum Cohort: String, CaseIterable, Sendable {
    /// Tokens of APNs, in either of its environments.
    case apns
    /// Channels of APNs, each followed by any number of devices.
    case channel
    /// Registration tokens of FCM.
    case fcm

    /// The cohort of pushes over a kind of route.
    /// - Parameter isToChannel: True for pushes to a channel that the devices follow.
    public init(_ kind: RouteKind, isToChannel: Bool = false) {
        switch kind.platform {
        case .ios: self = isToChannel ? .channel : .apns
        case .android: self = .fcm
        }
    }
}
