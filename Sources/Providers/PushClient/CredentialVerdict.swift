/// What a provider says of a credential, asked with a push that is nobody's.
public enum CredentialVerdict: Hashable, Sendable, CustomStringConvertible {
    /// It takes it: the answer was about the token, or about the push.
    case good
    /// It does not, for this reason.
    case refused(reason: String)
    /// It could not be asked, or did not say.
    case noConnection(String)
    case noAnswer(String)

    public var description: String {
        switch self {
        case .good: "the provider accepts the credential"
        case .refused(let reason): "the provider refuses the credential: \(reason)"
        case .noConnection(let text): "no connection: \(text)"
        case .noAnswer(let text): text
        }
    }
}
