extension GatewayConfiguration {
    /// The log on standard error.
    public struct Log: Sendable, Equatable {
        /// `log.level`: what is below is left out.
        public var level = LogLevel.info
        /// `log.format`.
        public var format = LogFormat.text

        public init() {}
    }

    /// The levels by the names that they have everywhere, lowest first.
    public enum LogLevel: String, Sendable, CaseIterable {
        case trace, debug, info, notice, warning, error, critical
    }

    /// How a line of the log looks.
    public enum LogFormat: String, Sendable, CaseIterable {
        /// For people.
        case text
        /// An object a line, for programs.
        case json
    }
}
