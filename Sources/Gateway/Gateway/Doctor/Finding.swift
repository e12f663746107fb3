import GatewayStore
import PushClient

/// What was found about one thing that a gateway rests on.
public struct Finding: Equatable, Sendable {
    /// How grave it is; the raw values are names for programs.
    public enum Severity: String, Sendable {
        case good
        /// It was not, or could not be, looked at.
        case unknown
        /// A gateway works, and something may be in danger.
        case warning
        /// A gateway does not start, cannot do its work, or cannot keep a promise.
        case error
    }

    /// What was looked at: `redis.persistence`, say, or a key of the configuration.
    public let subject: String
    /// How grave it is.
    public let severity: Severity
    /// What was found.
    public let text: String
    /// What to do about it; nil where nothing is to be done.
    public let remedy: String?

    public init(_ subject: String, _ severity: Severity, _ text: String, remedy: String? = nil) {
        self.subject = subject
        self.severity = severity
        self.text = text
        self.remedy = remedy
    }
}

extension Finding {
    init(_ check: StoreCheck) {
        let subject = "redis.\(check.name.rawValue)"
        switch check.finding {
        case .good: self.init(subject, .good, "passed")
        case .unknown: self.init(subject, .unknown, "Redis does not reveal it")
        case .warning(let text, let remedy): self.init(subject, .warning, text, remedy: remedy)
        case .danger(let text, let remedy): self.init(subject, .error, text, remedy: remedy)
        }
    }

    /// - Parameter provider: its URL, with the name of the key.
    init(_ verdict: CredentialVerdict, of provider: String) {
        switch verdict {
        case .good: self.init("provider", .good, "\(provider) accepts the credential")
        case .refused(let reason):
            self.init(
                "provider", .error, "\(provider) refuses the credential: \(reason)",
                remedy: "compare the key, its identifiers and the app with the provider's console")
        case .noConnection(let reason):
            self.init(
                "provider", .error, "\(provider) cannot be reached: \(reason)",
                remedy: ConnectionCause(reason).remedyForProvider)
        case .noAnswer(let reason):
            self.init(
                "provider", .warning, "\(provider) did not confirm the credential: \(reason)",
                remedy: "try again; if it fails again, see the provider's status page")
        }
    }
}
