extension GatewayConfiguration {
    /// Activities.
    public struct Activity: Sendable, Equatable {
        /// `activity.lifetime`: how long after its start an activity is ended by the gateway.
        public var lifetime = Limit.after(.seconds(8 * 3600))
        /// `activity.max_per_device`: a start passes over a device that may have so many Live Activities already; zero
        /// for none.
        public var maxPerDevice = 0

        public init() {}
    }

    /// A time after which something ends, if it ends by itself at all.
    public enum Limit: Sendable, Equatable {
        case off
        case after(Duration)
    }
}
