public import LiveActivity
public import TimeCore

/// What the store knows of one device of a user, without its tokens.
public struct KnownDevice: Sendable {
    /// A token that the device has reported.
    public struct Token: Sendable {
        /// What it is for.
        public enum Kind: String, Sendable {
            case pushToStart = "push_to_start"
            case registration
        }

        /// Whether it is pushed to.
        public enum State: String, Sendable {
            case usable
            /// Another login, or another device, has reported it later.
            case elsewhere
            /// The provider refused it.
            case refused
        }

        /// What it is for.
        public let kind: Kind
        /// The activity type that it starts; nil for any.
        public let activityType: String?
        /// When it was reported last.
        public let reportedAt: WallTime
        /// Whether it is pushed to.
        public let state: State
        /// Its last characters, to tell it from others.
        public let ending: String
    }

    /// A place in an activity.
    public struct Place: Sendable {
        /// Which activity.
        public let activity: Activity
        /// What became of the device in it; nil when nothing is known any more.
        public let state: DeviceState?
    }

    /// Which device.
    public let key: DeviceKey
    /// What it has said of itself; nil when it has reported a token and nothing else.
    public let device: Device?
    /// When it was last heard of.
    public let lastReportedAt: WallTime?
    /// What it has reported.
    public let tokens: [Token]
    /// The activities, not forgotten yet, that it is in, the newest first.
    public let places: [Place]
}
