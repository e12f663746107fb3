extension GatewayConfiguration {
    /// `activity`: the limits of activities.
    public struct Activity: Sendable, Equatable {
        /// `activity.lifetime`: the time after its start at which the gateway ends an activity.
        public var lifetime = Limit.after(.seconds(8 * 3600))
        /// `activity.max_per_device`: the number of Live Activities that a device may already have, at which a start
        /// skips it; zero for no limit.
        public var maxPerDevice = 0

        public init() {}
    }

    /// A time limit, or none.
    public enum Limit: Sendable, Equatable {
        case off
        case after(Duration)
    }
}
