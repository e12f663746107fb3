import GatewayStore
import PushClient

/// The result of a check that `fanfare doctor` makes.
public struct Finding: Equatable, Sendable {
    /// The severity of a finding. The raw values are for programs.
    public enum Severity: String, Sendable {
        case good
        /// The check was skipped or not possible.
        case unknown
        /// A gateway works, with a risk.
        case warning
        /// A gateway does not start, does not work, or cannot keep a guarantee.
        case error
    }

    /// The name of the check, like `redis.persistence`, or a key of the configuration.
    public let subject: String
    /// The severity of the result.
    public let severity: Severity
    /// The result as text.
    public let text: String
    /// The instruction that solves the problem; nil if there is none.
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

    /// - Parameter provider: The provider's URL, with the name of the key.
    init(_ verdict: CredentialVerdict, of provider: String) {
        switch verdict {
        case .good: self.init("provider", .good, "\(provider) accepts the credential")
        case .refused(let reason):
            self.init(
                "provider", .error, "\(provider) refuses the credential: \(reason)",
                remedy: "compare apns.key_file, key_id, team_id and bundle_id, or fcm.service_account_file, with the "
                    + "provider's console")
        case .noConnection(let reason):
            self.init(
                "provider", .error, "\(provider) cannot be reached: \(reason)",
                remedy: ConnectionCause(reason).remedyForProvider)
        case .noAnswer, .shutDown:
            self.init(
                "provider", .warning, "\(provider) did not confirm the credential: \(verdict)",
                remedy: "try again; if it fails again, see the provider's status page")
        }
    }
}
