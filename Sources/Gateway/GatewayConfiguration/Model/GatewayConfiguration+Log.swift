extension GatewayConfiguration {
    /// `log`: the log on standard error.
    public struct Log: Sendable, Equatable {
        /// `log.level`: the minimum level of log messages.
        public var level = LogLevel.info
        /// `log.format`: the format of log messages.
        public var format = LogFormat.text

        public init() {}
    }

    /// The levels by their usual names, lowest first.
    public enum LogLevel: String, Sendable, CaseIterable {
        case trace, debug, info, notice, warning, error, critical
    }

    /// The format of a log line.
    public enum LogFormat: String, Sendable, CaseIterable {
        /// Text for people.
        case text
        /// One JSON object a line, for programs.
        case json
    }
}
