/// A problem of a configuration, as text for operators. Never contains a secret.
public struct ConfigurationProblem: Sendable, Equatable, CustomStringConvertible {
    /// The severity of a problem.
    public enum Severity: String, Sendable {
        /// The gateway does not start.
        case error
        /// The gateway starts; the operator should check the value.
        case warning
    }

    /// The severity of the problem.
    public var severity: Severity
    /// The key (`http.port`); nil if the problem concerns none.
    public var key: String?
    /// The origin of the value, if any.
    public var source: ConfigurationSource?
    /// The problem, as a sentence.
    public var message: String
    /// The remedy, as a sentence.
    public var advice: String

    /// One line, like `error: http.port: "x" is not a port number. Use … (FANFARE_HTTP_PORT)`.
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

/// The problems of an unusable configuration; at least one is an error.
public struct ConfigurationProblems: Error, Sendable, Equatable, CustomStringConvertible {
    /// Errors before warnings, otherwise in the order of the keys' documentation.
    public var problems: [ConfigurationProblem]

    /// One problem a line.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
