public import Delivery

extension Rejection {
    /// What APNs has answered other than 200.
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
    /// What it means when it comes with this status.
    public func classification(status: UInt16) -> Classification {
        switch disposition(status: status) {
        case .dropToken: Classification(.addressDead, isAboutAddress: true, isDoubtful: !isKnown)
        case .quarantineToken: Classification(.addressRefused, isAboutAddress: true, isDoubtful: true)
        case .tokenOfAnotherTopic:
            Classification(.addressRefused, isAboutAddress: true, isDoubtful: true, mayBlameTopic: true)
        case .topicRefused: .topicRefused
        case .requestRefused:
            Classification(.requestRefused, isDoubtful: true, isAboutChannel: self == .channelNotRegistered)
        // One connection may be to blame; it takes many to tell that it is the provider.
        case .newConnectionAndRetry: Classification(.again, trouble: .refused, isWeighty: false)
        // Of an unknown 403 it takes many to tell that it is the credential's.
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
