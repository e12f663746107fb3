/// The reason for which APNs refused a push: `reason` in the answer's body.
public enum RejectionReason: Hashable, Sendable {
    case badCollapseIdentifier, badDeviceToken, badExpirationDate, badMessageIdentifier, badPriority, badTopic
    case deviceTokenNotForTopic, duplicateHeaders, idleTimeout, invalidPushType, missingDeviceToken, missingTopic
    case payloadEmpty, topicDisallowed
    case badCertificate, badCertificateEnvironment, expiredProviderToken, forbidden, invalidProviderToken
    case missingProviderToken, unrelatedKeyIdentifierInToken, badEnvironmentKeyIdentifierInToken
    case badPath, methodNotAllowed
    case expiredToken, unregistered
    case payloadTooLarge
    case tooManyProviderTokenUpdates, tooManyRequests
    case internalServerError, serviceUnavailable, shutdown
    case featureNotEnabled, missingChannelIdentifier, badChannelIdentifier, channelNotRegistered
    case cannotCreateChannelConfiguration, topicMismatch
    /// The answer has no readable reason.
    case missing
    /// A reason that is not in the table, in the provider's spelling.
    case unknown(String)

    /// Every reason of the table.
    public static let known: [RejectionReason] = [
        .badCollapseIdentifier, .badDeviceToken, .badExpirationDate, .badMessageIdentifier, .badPriority, .badTopic,
        .deviceTokenNotForTopic, .duplicateHeaders, .idleTimeout, .invalidPushType, .missingDeviceToken, .missingTopic,
        .payloadEmpty, .topicDisallowed, .badCertificate, .badCertificateEnvironment, .expiredProviderToken, .forbidden,
        .invalidProviderToken, .missingProviderToken, .unrelatedKeyIdentifierInToken,
        .badEnvironmentKeyIdentifierInToken, .badPath, .methodNotAllowed, .expiredToken, .unregistered,
        .payloadTooLarge, .tooManyProviderTokenUpdates, .tooManyRequests, .internalServerError, .serviceUnavailable,
        .shutdown, .featureNotEnabled, .missingChannelIdentifier, .badChannelIdentifier, .channelNotRegistered,
        .cannotCreateChannelConfiguration, .topicMismatch,
    ]

    /// True if the reason is in the table.
    public var isKnown: Bool {
        switch self {
        case .missing, .unknown: false
        default: true
        }
    }

    private static let byName = Dictionary(uniqueKeysWithValues: known.map { ($0.name, $0) })

    /// The reason with the provider's spelling; `unknown` keeps a text that is not in the table.
    public init(name: String) {
        self = name.isEmpty ? .missing : RejectionReason.byName[name] ?? .unknown(name)
    }
}
