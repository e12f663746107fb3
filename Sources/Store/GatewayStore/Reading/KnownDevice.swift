public import LiveActivity
public import TimeCore

/// The stored data of one device of a user, without its whole tokens.
public struct KnownDevice: Sendable {
    /// A token that the device has reported.
    public struct Token: Sendable {
        /// The purpose of a token.
        public enum Kind: String, Sendable {
            case pushToStart = "push_to_start"
            case registration
        }

        /// The state of a token; only a usable token is pushed to.
        public enum State: String, Sendable {
            case usable
            /// Another login, or another device, has reported it later.
            case elsewhere
            /// The provider refused it.
            case refused
        }

        /// The purpose of the token.
        public let kind: Kind
        /// The activity type that the token starts; nil for any type.
        public let activityType: String?
        /// The time of the last report.
        public let reportedAt: WallTime
        /// The state of the token.
        public let state: State
        /// The last characters of the token, which distinguish it from others.
        public let ending: String
    }

    /// An activity that the device is in.
    public struct Place: Sendable {
        /// The activity, which may be dead.
        public let activity: Activity
        /// The state of the device in the activity; nil if its slot no longer has one.
        public let state: DeviceState?
    }

    /// The user and the udid.
    public let key: DeviceKey
    /// The reported properties; nil if the device has reported only a token.
    public let device: Device?
    /// The time of the last report of the device or of a token.
    public let lastReportedAt: WallTime?
    /// All tokens of the device, by activity type.
    public let tokens: [Token]
    /// The unexpired activities of the device, the newest first.
    public let places: [Place]
}
