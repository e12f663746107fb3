/// A provider's verdict on a credential, from a push to no device.
public enum CredentialVerdict: Hashable, Sendable, CustomStringConvertible {
    /// The provider accepts it: the answer concerned the token or the push.
    case good
    /// The provider refuses it, for this reason.
    case refused(reason: String)
    /// The provider was unreachable or gave no verdict.
    case noConnection(String)
    case noAnswer(String)
    /// The client was shut down before.
    case shutDown

    public var description: String {
        switch self {
        case .good: "the provider accepts the credential"
        case .refused(let reason): "the provider refuses the credential: \(reason)"
        case .noConnection(let text): "no connection: \(text)"
        case .noAnswer(let text): text
        case .shutDown: "shut down"
        }
    }
}
