/// The origin of a value.
public enum ConfigurationSource: Sendable, Equatable, CustomStringConvertible {
    case defaultValue
    /// The configuration file. The line counts from 1; nil if unknown.
    case file(path: String, line: Int?)
    case environment(variable: String)

    /// One of these forms: `default`, `config/fanfare.yaml:12`, `FANFARE_HTTP_PORT`.
    public var description: String {
        switch self {
        case .defaultValue: "default"
        case .file(let path, let line): line.map { "\(path):\($0)" } ?? path
        case .environment(let variable): variable
        }
    }
}
