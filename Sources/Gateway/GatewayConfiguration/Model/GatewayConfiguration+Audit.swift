extension GatewayConfiguration {
    /// Who has changed what.
    public struct Audit: Sendable, Equatable {
        /// `audit.file`: where it is appended; nil: it goes into the log.
        public var file: String?

        public init() {}
    }
}
