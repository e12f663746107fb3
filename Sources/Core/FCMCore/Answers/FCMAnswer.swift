public import Delivery

/// An answer of FCM other than 200, with its consequences.
public struct FCMAnswer: Equatable, Sendable {
    /// The HTTP status.
    public let status: UInt16
    /// The reason for the refusal.
    public let reason: FCMReason
    /// The answer's `Retry-After`, in seconds.
    private let retryAfter: UInt32?
    /// True if the reason comes from the body and not from the status alone.
    private let isSaid: Bool
    private let isDeviceQuota: Bool

    /// Never fails.
    public init(status: UInt16, body: FCMErrorBody, retryAfter: UInt32? = nil) {
        self.status = status
        self.retryAfter = retryAfter
        let word = (body.errorCode ?? body.status).map(FCMReason.init(word:))
        // FCM's error codes match the class of their status. A code that does not is not FCM's.
        let isSaid = word.map { $0.documentedStatus.map { $0 / 100 == status / 100 } ?? true } ?? false
        let reason = isSaid ? word ?? .missing : FCMReason(status: status)
        self.isSaid = isSaid
        self.reason = isSaid && reason == .invalidArgument && body.isAboutToken ? .invalidRegistration : reason
        isDeviceQuota = isSaid && body.isDeviceQuota
    }

    /// The consequences for the message, for FCM's health and for the credential.
    public var classification: Classification {
        switch meaning {
        // A device quota may be exceeded while all other devices are served.
        case .quotaExceeded where isDeviceQuota:
            Classification(.later, isAboutAddress: true, trouble: .overloaded, isWeighty: false)
        // The answer may come from an intermediary, so only many of them blame the credential.
        case .permissionDenied where !isSaid: Classification(.again, trouble: .credential, isWeighty: false)
        default: meaning.entry.classification ?? FCMAnswer.classification(ofStatus: status)
        }
    }

    /// The minimum wait before a retry, in seconds: FCM's `Retry-After`, otherwise the value in Google's guide. Nil if
    /// no wait is needed.
    public var leastWait: UInt32? {
        guard classification.verdict == .later else { return retryAfter }
        return switch meaning {
        case .quotaExceeded: retryAfter ?? 60
        case .internal: max(retryAfter ?? 0, 10)
        default: retryAfter ?? 10
        }
    }

    /// True if the access token is too old and the next one is required.
    public var wantsNewAccessToken: Bool { meaning == .unauthenticated }

    /// True if the connection accepts no more requests (RFC 9110, sections 15.5.9 and 15.5.20).
    public var endsConnection: Bool { status == 408 || status == 421 }

    /// The rejection for broadcasts and their records.
    public var rejection: Rejection {
        Rejection(status: status, reason: reason.name, classification, retryAfter: leastWait)
    }

    /// The reason, or the status's default reason if the table lacks it.
    private var meaning: FCMReason {
        if case .unknown = reason { FCMReason(status: status) } else { reason }
    }

    /// The classification of a status without a default reason.
    private static func classification(ofStatus status: UInt16) -> Classification {
        switch status {
        // An intermediary answered in place of FCM.
        case 300...399: FCMReason.busy
        case 408, 421: Classification(.again, trouble: .refused, isWeighty: false)
        case 500...599: FCMReason.busy
        default: FCMReason.requestRefused
        }
    }
}
