/// How a push ended. Every push ends in exactly one of these. One machine word; an accepted push allocates nothing.
public enum PushOutcome: Hashable, Sendable {
    /// The provider answered 200: it has taken the push. Whether a phone shows it nobody is told.
    case accepted
    /// The provider answered anything else.
    indirect case rejected(Rejection)
    /// There was no answer. `mayHaveBeenDelivered` is false only when the provider cannot have processed the push.
    indirect case unsent(UnsentCause, mayHaveBeenDelivered: Bool)
}

/// An answer other than 200.
public struct Rejection: Hashable, Sendable {
    /// The HTTP status.
    public let status: UInt16
    public let reason: RejectionReason
    /// With 410: since when the provider knows the token to be dead, in milliseconds since 1970.
    public let unregisteredSince: UInt64?
    /// The answer's `Retry-After`, in seconds.
    public let retryAfter: UInt32?

    public init(status: UInt16, reason: RejectionReason, unregisteredSince: UInt64? = nil, retryAfter: UInt32? = nil) {
        self.status = status
        self.reason = reason
        self.unregisteredSince = unregisteredSince
        self.retryAfter = retryAfter
    }

    public var disposition: Disposition { reason.disposition(status: status) }

    /// Whether the answer is about this token, and not about the credential, the request or the provider's state: a
    /// further push to it is likely to be rejected too.
    public var isAboutToken: Bool {
        switch disposition {
        case .dropToken, .quarantineToken: true
        case .retryLater: status == 429
        default: false
        }
    }

    /// Whether it would be final, and might be the fault of the connection that it came on: another one is better asked too.
    public var isDoubtful: Bool {
        switch disposition {
        case .quarantineToken, .failBroadcast, .neverRetry: true
        case .dropToken: !reason.isKnown
        default: false
        }
    }

    /// What it says of the provider's state or of the credential; nil when it is about this push alone.
    public var trouble: ProviderTrouble? {
        let name = reason == .missing ? "Status\(status)" : reason.name
        func trouble(_ kind: PauseReason.Kind, isWeighty: Bool = true) -> ProviderTrouble {
            ProviderTrouble(kind: kind, name: name, isWeighty: isWeighty, retryAfter: retryAfter)
        }
        switch disposition {
        // Of an unknown 403 it takes many to tell that it is the credential's.
        case .credentialBad: return trouble(.credential, isWeighty: reason.isKnown)
        // The next provider token may be all that is needed.
        case .renewProviderToken: return trouble(.credential, isWeighty: false)
        case .keepProviderTokenAndWait: return trouble(.overloaded)
        // One device may be asked too much of while all others are served.
        case .retryLater: return trouble(.overloaded, isWeighty: reason != .tooManyRequests)
        default: return nil
        }
    }

    /// Whether a token that was registered at `milliseconds` since 1970 is to be dropped: a token that was reported
    /// again after the provider's timestamp is a live one.
    public func dropsToken(registeredAt milliseconds: UInt64) -> Bool {
        guard disposition == .dropToken else { return false }
        return unregisteredSince.map { milliseconds <= $0 } ?? true
    }
}

/// Why a push got no answer.
public enum UnsentCause: Hashable, Sendable, CustomStringConvertible {
    /// It was sent, and no answer came by the deadline.
    case timedOut
    /// No connection could be had by the deadline; the reason of the last failure.
    case noConnection(String)
    /// Connections were there, but none had room for it by the deadline.
    case noCapacity
    /// The connection broke while the answer was awaited.
    case connectionLost(String)
    /// The provider reset the stream with this HTTP/2 error code.
    case streamReset(UInt32)
    /// The provider refused the stream, without processing it, again and again.
    case refusedTooOften
    /// The time after which it was of no use had come before it could be sent.
    case expired
    /// This kind of destination or the length of the token cannot be sent.
    case unsendable
    /// The client was shut down.
    case shutDown

    public var description: String {
        switch self {
        case .timedOut: "no answer in time"
        case .noConnection(let reason): "no connection: \(reason)"
        case .noCapacity: "no stream was free in time"
        case .connectionLost(let reason): "the connection was lost: \(reason)"
        case .streamReset(let code): "the provider reset the stream (error code \(code))"
        case .refusedTooOften: "the provider refused the stream too often"
        case .expired: "its time was over"
        case .unsendable: "this destination cannot be sent to"
        case .shutDown: "shut down"
        }
    }
}
