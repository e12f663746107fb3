public import Delivery

/// What an answer of FCM other than 200 means, for its message and beyond.
public struct FCMAnswer: Equatable, Sendable {
    /// The HTTP status.
    public let status: UInt16
    /// Why the message was not taken.
    public let reason: FCMReason
    /// The answer's `Retry-After`, in seconds.
    private let retryAfter: UInt32?
    /// Whether the body has said why, and not the status alone.
    private let isSaid: Bool
    private let isDeviceQuota: Bool

    /// Never fails.
    public init(status: UInt16, body: FCMErrorBody, retryAfter: UInt32? = nil) {
        self.status = status
        self.retryAfter = retryAfter
        let word = (body.errorCode ?? body.status).map(FCMReason.init(word:))
        // FCM's words come with statuses of their class. One that does not is not FCM's.
        let isSaid = word.map { $0.documentedStatus.map { $0 / 100 == status / 100 } ?? true } ?? false
        let reason = isSaid ? word ?? .missing : FCMReason(status: status)
        self.isSaid = isSaid
        self.reason = isSaid && reason == .invalidArgument && body.isAboutToken ? .invalidRegistration : reason
        isDeviceQuota = isSaid && body.isDeviceQuota
    }

    /// What becomes of the message, and what it says of FCM and of the credential.
    public var classification: Classification {
        switch meaning {
        // One device may be sent too much while all others are served.
        case .quotaExceeded where isDeviceQuota:
            Classification(.later, isAboutAddress: true, trouble: .overloaded, isWeighty: false)
        // Something in between may have answered: it takes many to tell that it is the credential's.
        case .permissionDenied where !isSaid: Classification(.again, trouble: .credential, isWeighty: false)
        default: meaning.entry.classification ?? FCMAnswer.classification(ofStatus: status)
        }
    }

    /// Not before so many seconds is the message sent again: what FCM asks for, or what Google's guide says where it
    /// asks for nothing. Nil when there is nothing to wait for.
    public var leastWait: UInt32? {
        guard classification.verdict == .later else { return retryAfter }
        return switch meaning {
        case .quotaExceeded: retryAfter ?? 60
        case .internal: max(retryAfter ?? 0, 10)
        default: retryAfter ?? 10
        }
    }

    /// Whether the access token is too old: the next one is wanted.
    public var wantsNewAccessToken: Bool { meaning == .unauthenticated }

    /// Whether the connection serves no more (RFC 9110, sections 15.5.9 and 15.5.20): another one does.
    public var endsConnection: Bool { status == 408 || status == 421 }

    /// For broadcasts and their records.
    public var rejection: Rejection {
        Rejection(status: status, reason: reason.name, classification, retryAfter: leastWait)
    }

    /// The reason, or what the status stands for when the table does not know it.
    private var meaning: FCMReason {
        if case .unknown = reason { FCMReason(status: status) } else { reason }
    }

    /// For statuses that stand for no reason.
    private static func classification(ofStatus status: UInt16) -> Classification {
        switch status {
        // Something between us and FCM has answered in its place.
        case 300...399: FCMReason.busy
        case 408, 421: Classification(.again, trouble: .refused, isWeighty: false)
        case 500...599: FCMReason.busy
        default: FCMReason.requestRefused
        }
    }
}
