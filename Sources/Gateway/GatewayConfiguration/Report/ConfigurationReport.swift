/// An effective value.
public struct ConfigurationEntry: Sendable, Equatable {
    /// The path of the value, like `http.port`.
    public var key: String
    /// The environment variable that overrides it.
    public var variable: String
    /// The value in its written form, with secrets hidden; nil if there is none.
    public var value: String?
    /// The origin of the value.
    public var source: ConfigurationSource
}

/// The result of `GatewayConfiguration.examine`.
public struct ConfigurationReport: Sendable, Equatable {
    /// The file that was read; nil if there was none.
    public var file: String?
    /// All known keys, in the order of their documentation. A refused value shows as its default.
    public var entries: [ConfigurationEntry]
    /// Errors before warnings.
    public var problems: [ConfigurationProblem]
    private let examined: GatewayConfiguration

    init(
        file: String?, entries: [ConfigurationEntry], problems: [ConfigurationProblem], examined: GatewayConfiguration
    ) {
        self.file = file
        self.entries = entries
        self.problems = problems.filter { $0.severity == .error } + problems.filter { $0.severity == .warning }
        self.examined = examined
    }

    /// The problems that do not prevent a start.
    public var warnings: [ConfigurationProblem] { problems.filter { $0.severity == .warning } }

    /// Sentences that explain values which are often misunderstood.
    public var notes: [String] { examined.redis.hasSeveralPlaces ? [GatewayConfiguration.Redis.severalPlaces] : [] }

    /// Returns the configuration. Throws if any problem is an error.
    public func checked() throws(ConfigurationProblems) -> GatewayConfiguration {
        guard problems.allSatisfy({ $0.severity == .warning }) else { throw ConfigurationProblems(problems: problems) }
        return examined
    }

    /// The effective configuration in aligned columns of key, value and source; secrets are hidden.
    public var listing: String {
        let rows = entries.map { ($0.key, $0.value ?? "-", $0.source.description) }
        let keys = rows.map(\.0.count).max() ?? 0
        let values = rows.map(\.1.count).max() ?? 0
        return rows.map { key, value, source in
            "\(Self.padded(key, to: keys))  \(Self.padded(value, to: values))  \(source)"
        }.joined(separator: "\n")
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
