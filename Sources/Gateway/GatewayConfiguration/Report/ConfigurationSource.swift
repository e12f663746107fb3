/// Where a value came from.
public enum ConfigurationSource: Sendable, Equatable, CustomStringConvertible {
    case defaultValue
    /// The configuration file, with the line where that is known (from 1).
    case file(path: String, line: Int?)
    /// The environment variable of that name.
    case environment(variable: String)

    /// `default`, `config/fanfare.yaml:12`, `FANFARE_HTTP_PORT`.
    public var description: String {
        switch self {
        case .defaultValue: "default"
        case .file(let path, let line): line.map { "\(path):\($0)" } ?? path
        case .environment(let variable): variable
        }
    }
}
