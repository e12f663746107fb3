public import LiveActivity

/// A way to reach devices: the provider, its environment, and the kind of address.
///
/// A device's slot in an activity is in the band of its kind. Because the numbers are therefore stored, they are never
/// changed or reused.
public struct RouteKind: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// Less than `count`.
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The maximum number of kinds.
    public static let count = 64

    /// Tokens of APNs's production environment, for apps from the App Store or TestFlight.
    public static let apns = RouteKind(rawValue: 0)
    /// Tokens of APNs's development environment, for apps installed by a developer.
    public static let apnsSandbox = RouteKind(rawValue: 1)

    /// Registration tokens of FCM, for Android devices.
    public static let fcm = RouteKind(rawValue: 2)

    /// Devices of kind `apns` that follow their activity's channel if it has one.
    public static let apnsFollower = RouteKind(rawValue: 3)
    /// Devices of kind `apnsSandbox` that follow their activity's channel if it has one.
    public static let apnsSandboxFollower = RouteKind(rawValue: 4)

    /// The kind of route to a device, by its platform and environment.
    public init(_ device: Device) {
        switch (device.platform, device.environment) {
        case (.ios, .production): self = .apns
        case (.ios, .sandbox): self = .apnsSandbox
        case (.android, _): self = .fcm
        }
    }

    /// The platform of the kind's devices.
    public var platform: Device.Platform {
        switch self {
        case .fcm: .android
        default: .ios
        }
    }

    /// True if each device has one registration token for all pushes, stored in the user's hash. Otherwise each Live
    /// Activity reports a token of its own.
    public var hasOneToken: Bool { platform.hasOneToken }

    /// The kind for devices of this one that can follow a channel; nil without channels.
    public var follower: RouteKind? {
        switch self {
        case .apns: .apnsFollower
        case .apnsSandbox: .apnsSandboxFollower
        default: nil
        }
    }

    /// The kind with the same provider, environment and form of address, but without a channel.
    public var single: RouteKind {
        switch self {
        case .apnsFollower: .apns
        case .apnsSandboxFollower: .apnsSandbox
        default: self
        }
    }
}
