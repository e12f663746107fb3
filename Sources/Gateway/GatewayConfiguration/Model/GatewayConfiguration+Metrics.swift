extension GatewayConfiguration {
    /// What Prometheus scrapes.
    public struct Metrics: Sendable, Equatable {
        /// `metrics.enabled`: whether there is `GET /metrics`.
        public var isEnabled = true
        /// `metrics.host`: the address of the listener of its own, if there is one.
        public var host = "127.0.0.1"
        /// `metrics.port`: a listener of its own; without it `/metrics` is on the one for customers and devices.
        public var port: Int?

        public init() {}
    }
}
