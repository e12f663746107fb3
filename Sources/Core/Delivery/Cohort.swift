import LiveActivity

/// A kind of destination, as customers are told of it: what counts are broken down by. The raw value is the contract's
/// name.
public enum Cohort: String, CaseIterable, Sendable {
    /// Tokens of APNs, in either of its environments.
    case apns
    /// Channels of APNs, each followed by any number of devices.
    case channel
    /// Registration tokens of FCM.
    case fcm

    /// Where pushes over a kind of route go to.
    /// - Parameter isToChannel: whether they go to a channel that the devices follow.
    public init(_ kind: RouteKind, isToChannel: Bool = false) {
        switch kind.platform {
        case .ios: self = isToChannel ? .channel : .apns
        case .android: self = .fcm
        }
    }
}
