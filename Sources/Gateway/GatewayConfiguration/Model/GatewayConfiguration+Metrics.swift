extension GatewayConfiguration {
    /// `metrics`: the metrics for Prometheus.
    public struct Metrics: Sendable, Equatable {
        /// `metrics.enabled`: true if `GET /metrics` is served.
        public var isEnabled = true
        /// `metrics.host`: the address of the separate listener.
        public var host = "127.0.0.1"
        /// `metrics.port`: the port of a separate listener; nil serves `/metrics` on the one for customers and devices.
        public var port: Int?

        public init() {}
    }
}
