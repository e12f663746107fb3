import MockKit

/// The reasons with which APNs rejects pushes and channel requests ("Handling notification responses from APNs",
/// "Handling error responses from Apple Push Notification service"). A script may use only these.
enum APNsReasons: ScriptReasons {
    static let title = "APNs's reasons"
    static let all: [String]? = [
        "BadCertificate", "BadCertificateEnvironment", "BadChannelId", "BadCollapseId", "BadDeviceToken",
        "BadEnvironmentKeyIdInToken", "BadExpirationDate", "BadMessageId", "BadPath", "BadPriority", "BadTopic",
        "CannotCreateChannelConfig", "ChannelNotRegistered", "DeviceTokenNotForTopic", "DuplicateHeaders",
        "ExpiredProviderToken", "ExpiredToken", "FeatureNotEnabled", "Forbidden", "IdleTimeout",
        "InternalServerError", "InvalidProviderToken", "InvalidPushType", "MethodNotAllowed", "MissingChannelId",
        "MissingDeviceToken", "MissingProviderToken", "MissingPushType", "MissingTopic", "PayloadEmpty",
        "PayloadTooLarge",
        "ServiceUnavailable", "Shutdown", "TooManyProviderTokenUpdates", "TooManyRequests", "TopicDisallowed",
        "TopicMismatch", "UnrelatedKeyIdInToken", "Unregistered",
    ]
}
