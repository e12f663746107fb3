extension RejectionReason {
    /// A row of the table of reasons.
    struct Entry {
        let name: String
        /// The status with which the provider sends it; 0 when there is no single one.
        let status: UInt16
        /// Nil: the status decides.
        let disposition: Disposition?
        let sentence: String

        init(_ name: String, _ status: UInt16, _ disposition: Disposition?, _ sentence: String) {
            self.name = name
            self.status = status
            self.disposition = disposition
            self.sentence = sentence
        }
    }

    /// The provider's spelling.
    public var name: String { entry.name }

    /// The status that the provider documents for it; nil when there is no single one.
    public var documentedStatus: UInt16? { entry.status == 0 ? nil : entry.status }

    /// One sentence for people.
    public var explanation: String { entry.sentence }

    /// The consequence of the answer. Its status decides for reasons that are not in the table. It also decides if the
    /// token would be dropped or kept aside although Apple documents another status for the reason.
    public func disposition(status: UInt16) -> Disposition {
        guard let disposition = entry.disposition else { return .forUnknownReason(status: status) }
        let takesToken = [.dropToken, .quarantineToken, .tokenOfAnotherTopic].contains(disposition)
        return takesToken && status != entry.status ? .forUnknownReason(status: status) : disposition
    }

    var entry: Entry {
        switch self {
        case .badCollapseIdentifier:
            Entry("BadCollapseId", 400, .requestRefused, "The collapse identifier is longer than 64 bytes.")
        case .badDeviceToken:
            Entry(
                "BadDeviceToken", 400, .quarantineToken,
                "The token is malformed or belongs to the other environment (sandbox or production).")
        case .badExpirationDate:
            Entry("BadExpirationDate", 400, .requestRefused, "The expiration is not a valid date.")
        case .badMessageIdentifier:
            Entry("BadMessageId", 400, .requestRefused, "The push's identifier is not a UUID.")
        case .badPriority:
            Entry("BadPriority", 400, .requestRefused, "The priority is not allowed for this kind of push.")
        case .badTopic:
            Entry("BadTopic", 400, .topicRefused, "The topic is not valid.")
        case .deviceTokenNotForTopic:
            Entry("DeviceTokenNotForTopic", 400, .tokenOfAnotherTopic, "The token belongs to another app.")
        case .duplicateHeaders:
            Entry("DuplicateHeaders", 400, .requestRefused, "A header field was sent twice.")
        case .idleTimeout:
            Entry("IdleTimeout", 400, .newConnectionAndRetry, "The connection was idle for too long.")
        case .invalidPushType:
            Entry("InvalidPushType", 400, .requestRefused, "The push type is not valid for this topic.")
        case .missingDeviceToken:
            Entry("MissingDeviceToken", 400, .requestRefused, "The path has no device token.")
        case .missingTopic:
            Entry("MissingTopic", 400, .requestRefused, "The topic is missing.")
        case .payloadEmpty:
            Entry("PayloadEmpty", 400, .requestRefused, "The payload is empty.")
        case .topicDisallowed:
            Entry("TopicDisallowed", 400, .topicRefused, "Pushes to this topic are not allowed.")
        case .badCertificate:
            Entry("BadCertificate", 403, .credentialBad, "The client certificate is not valid.")
        case .badCertificateEnvironment:
            Entry("BadCertificateEnvironment", 403, .credentialBad, "The certificate is for the other environment.")
        case .expiredProviderToken:
            Entry("ExpiredProviderToken", 403, .renewProviderToken, "The provider token is older than an hour.")
        case .forbidden:
            Entry("Forbidden", 403, .credentialBad, "The credential lacks this permission.")
        case .invalidProviderToken:
            Entry(
                "InvalidProviderToken", 403, .credentialBad,
                "The provider token is not valid or its signature does not match: check key, key id and team id.")
        case .missingProviderToken:
            Entry("MissingProviderToken", 403, .credentialBad, "The push had no provider token.")
        case .unrelatedKeyIdentifierInToken:
            Entry(
                "UnrelatedKeyIdInToken", 403, .newConnectionAndRetry,
                "The connection was used earlier with the key of another team.")
        case .badEnvironmentKeyIdentifierInToken:
            Entry("BadEnvironmentKeyIdInToken", 403, .credentialBad, "The key is for the other environment.")
        case .badPath:
            Entry("BadPath", 404, .requestRefused, "The path is unknown to the provider.")
        case .methodNotAllowed:
            Entry("MethodNotAllowed", 405, .requestRefused, "The request's method was not POST.")
        case .expiredToken:
            Entry("ExpiredToken", 410, .dropToken, "The token has expired.")
        case .unregistered:
            Entry("Unregistered", 410, .dropToken, "The token is no longer active for this topic.")
        case .payloadTooLarge:
            Entry("PayloadTooLarge", 413, .requestRefused, "The payload is over the provider's limit.")
        case .tooManyProviderTokenUpdates:
            Entry(
                "TooManyProviderTokenUpdates", 429, .keepProviderTokenAndWait,
                "The provider token was changed more than once in twenty minutes.")
        case .tooManyRequests:
            Entry("TooManyRequests", 429, .retryLater, "Too many pushes in a row to this device.")
        case .internalServerError:
            Entry("InternalServerError", 500, .retryLater, "The provider had an internal error.")
        case .serviceUnavailable:
            Entry("ServiceUnavailable", 503, .retryLater, "The provider is unavailable.")
        case .shutdown:
            Entry("Shutdown", 503, .retryLater, "The provider's server is shutting down.")
        case .featureNotEnabled:
            Entry("FeatureNotEnabled", 0, .requestRefused, "The app lacks the broadcast capability.")
        case .missingChannelIdentifier:
            Entry("MissingChannelId", 400, .requestRefused, "The channel's identifier is missing.")
        case .badChannelIdentifier:
            Entry("BadChannelId", 400, .requestRefused, "The channel's identifier is malformed.")
        case .channelNotRegistered:
            Entry("ChannelNotRegistered", 0, .requestRefused, "The channel does not exist.")
        case .cannotCreateChannelConfiguration:
            Entry("CannotCreateChannelConfig", 0, .requestRefused, "The app has the maximum number of channels.")
        case .topicMismatch:
            Entry("TopicMismatch", 0, .requestRefused, "The channel belongs to another app.")
        case .missing:
            Entry("", 0, nil, "The answer gave no reason.")
        case .unknown(let name):
            Entry(name, 0, nil, "A reason that is unknown to this version.")
        }
    }
}

extension RejectionReason: CustomStringConvertible {
    public var description: String { self == .missing ? "no reason given" : name }
}
