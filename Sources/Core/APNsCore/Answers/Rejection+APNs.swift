public import Delivery

extension Rejection {
    /// An answer of APNs that is not an acceptance.
    /// - Parameter unregisteredSince: the answer's `timestamp`, in milliseconds since 1970.
    public init(
        status: UInt16, reason: RejectionReason, unregisteredSince: UInt64? = nil, retryAfter: UInt32? = nil
    ) {
        self.init(
            status: status, reason: reason.name, reason.classification(status: status), deadSince: unregisteredSince,
            retryAfter: retryAfter)
    }
}

extension RejectionReason {
    /// The meaning of the reason in an answer with this status.
    public func classification(status: UInt16) -> Classification {
        switch disposition(status: status) {
        case .dropToken: Classification(.addressDead, isAboutAddress: true, isDoubtful: !isKnown)
        case .quarantineToken: Classification(.addressRefused, isAboutAddress: true, isDoubtful: true)
        case .tokenOfAnotherTopic:
            Classification(.addressRefused, isAboutAddress: true, isDoubtful: true, mayBlameTopic: true)
        case .topicRefused: .topicRefused
        case .requestRefused:
            Classification(.requestRefused, isDoubtful: true, isAboutChannel: self == .channelNotRegistered)
        // One connection may be at fault. Only a large share of these answers shows trouble of the provider.
        case .newConnectionAndRetry: Classification(.again, trouble: .refused, isWeighty: false)
        // Only a large share of unknown 403s shows that the credential is at fault.
        case .credentialBad: Classification(.again, trouble: .credential, isWeighty: isKnown)
        // The next provider token may be all that is needed.
        case .renewProviderToken: Classification(.again, trouble: .credential, isWeighty: false)
        case .keepProviderTokenAndWait: Classification(.later, trouble: .overloaded)
        // One device may be asked too much of while all others are served.
        case .retryLater:
            Classification(
                .later, isAboutAddress: status == 429, trouble: .overloaded, isWeighty: self != .tooManyRequests)
        }
    }
}
