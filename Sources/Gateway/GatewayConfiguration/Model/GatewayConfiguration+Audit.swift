extension GatewayConfiguration {
    /// `audit`: the record of changes.
    public struct Audit: Sendable, Equatable {
        /// `audit.file`: the path of the audit log; nil for the gateway's log.
        public var file: String?

        public init() {}
    }
}
