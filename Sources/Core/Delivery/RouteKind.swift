public import LiveActivity

/// A way to reach devices: through which provider, in which of its environments, and by which kind of address.
///
/// A device's slot in an activity lies in the band of its kind. So the numbers are stored: none is ever changed, or
/// given to another kind.
public struct RouteKind: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// Less than `count`.
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// How many kinds there can be.
    public static let count = 64

    /// Tokens of APNs's production environment: of devices that have the app from the store or from TestFlight.
    public static let apns = RouteKind(rawValue: 0)
    /// Tokens of APNs's development environment: of devices that have the app from its developer.
    public static let apnsSandbox = RouteKind(rawValue: 1)

    /// Registration tokens of FCM: of Android devices.
    public static let fcm = RouteKind(rawValue: 2)

    /// Like `apns`, of devices that follow their activity's channel where it has one.
    public static let apnsFollower = RouteKind(rawValue: 3)
    /// Like `apnsSandbox`, of devices that follow their activity's channel where it has one.
    public static let apnsSandboxFollower = RouteKind(rawValue: 4)

    /// How a device is reached, by what it says of itself.
    public init(_ device: Device) {
        switch (device.platform, device.environment) {
        case (.ios, .production): self = .apns
        case (.ios, .sandbox): self = .apnsSandbox
        case (.android, _): self = .fcm
        }
    }

    /// What devices run that are reached so.
    public var platform: Device.Platform {
        switch self {
        case .fcm: .android
        default: .ios
        }
    }

    /// Whether its devices have one token each, for starts and for all pushes that follow: a registration token, which
    /// lies in the user's hash whatever activities the device is in. Else each Live Activity reports one of its own.
    public var hasOneToken: Bool { platform.hasOneToken }

    /// The kind that has the devices of this one that can follow a channel; nil where there are no channels.
    public var follower: RouteKind? {
        switch self {
        case .apns: .apnsFollower
        case .apnsSandbox: .apnsSandboxFollower
        default: nil
        }
    }

    /// The kind by which devices are reached one by one: it alone tells provider, environment and form of the address.
    public var single: RouteKind {
        switch self {
        case .apnsFollower: .apns
        case .apnsSandboxFollower: .apnsSandbox
        default: self
        }
    }
}
