/// An error in the options of a push client, for the operator to correct.
public enum PushConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    case url(String, reason: String)
    case keyFile(path: String, reason: String)
    case identifier(name: String)
    case trust(String)
    case value(name: String, reason: String)

    public var description: String {
        switch self {
        case .url(let text, let reason): "the provider's URL \(text) is invalid: \(reason)"
        case .keyFile(let path, let reason): "the key file \(path) is unusable: \(reason)"
        case .identifier(let name): "the \(name) must be ASCII letters and digits"
        case .trust(let reason): reason
        case .value(let name, let reason): "\(name): \(reason)"
        }
    }
}
