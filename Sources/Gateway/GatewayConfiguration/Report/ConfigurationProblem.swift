/// One thing that is wrong with a configuration, for people to read. Never holds a secret.
public struct ConfigurationProblem: Sendable, Equatable, CustomStringConvertible {
    /// How bad it is.
    public enum Severity: String, Sendable {
        /// A gateway doesn't start with it.
        case error
        /// A gateway starts, but somebody should look.
        case warning
    }

    /// How bad it is.
    public var severity: Severity
    /// The key (`http.port`), where one is concerned.
    public var key: String?
    /// Where the value came from, where there is one.
    public var source: ConfigurationSource?
    /// What was found: a sentence.
    public var message: String
    /// What to do about it: a sentence.
    public var advice: String

    /// A line: `error: http.port: "x" is not a port number. Give … (FANFARE_HTTP_PORT)`.
    public var description: String {
        let named = key.map { "\($0): " } ?? ""
        let origin =
            switch source {
            case .file, .environment: source.map { " (\($0))" } ?? ""
            case .defaultValue, nil: ""
            }
        return "\(severity.rawValue): \(named)\(message) \(advice)\(origin)"
    }

    init(
        severity: Severity = .error, key: String? = nil, source: ConfigurationSource? = nil, _ message: String,
        advice: String
    ) {
        self.severity = severity
        self.key = key
        self.source = source
        self.message = message
        self.advice = advice
    }
}

/// All that is wrong with a configuration; at least one of them is an error.
public struct ConfigurationProblems: Error, Sendable, Equatable, CustomStringConvertible {
    /// Errors before warnings, otherwise in the order of the keys' documentation.
    public var problems: [ConfigurationProblem]

    /// A line for each.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
