/// The reasons to reject a request. Raw values follow the order of the mock's checks. Except for `badPayload`, the
/// names are Apple's ("Handling notification responses from APNs", "Handling error responses from Apple Push
/// Notification service").
enum Rejection: Int, CaseIterable, Error {
    case methodNotAllowed
    case badPath
    case missingDeviceToken
    case badDeviceToken
    case duplicateHeaders
    case missingProviderToken
    case invalidProviderToken
    case unrelatedKeyIDInToken
    case expiredProviderToken
    case tooManyProviderTokenUpdates
    case featureNotEnabled
    /// The app of the path or of the topic is not the mock's app.
    case topicMismatch
    case missingChannelID
    case badChannelID
    case missingPushType
    case invalidPushType
    case missingTopic
    case badTopic
    case deviceTokenNotForTopic
    case badPriority
    case badExpirationDate
    case badMessageId
    case badCollapseId
    case channelNotRegistered
    case payloadEmpty
    case payloadTooLarge
    /// A reason of the mock. APNs accepts payloads that no Live Activity can use, and the phone drops them silently.
    /// The mock rejects them so that tests detect them.
    case badPayload
    /// The maximum number of channels exists.
    case cannotCreateChannelConfig
    case tooManyRequests

    var reason: String {
        switch self {
        case .methodNotAllowed: "MethodNotAllowed"
        case .badPath: "BadPath"
        case .missingDeviceToken: "MissingDeviceToken"
        case .badDeviceToken: "BadDeviceToken"
        case .duplicateHeaders: "DuplicateHeaders"
        case .missingProviderToken: "MissingProviderToken"
        case .invalidProviderToken: "InvalidProviderToken"
        case .unrelatedKeyIDInToken: "UnrelatedKeyIdInToken"
        case .expiredProviderToken: "ExpiredProviderToken"
        case .tooManyProviderTokenUpdates: "TooManyProviderTokenUpdates"
        case .featureNotEnabled: "FeatureNotEnabled"
        case .topicMismatch: "TopicMismatch"
        case .missingChannelID: "MissingChannelId"
        case .badChannelID: "BadChannelId"
        case .missingPushType: "MissingPushType"
        case .invalidPushType: "InvalidPushType"
        case .missingTopic: "MissingTopic"
        case .badTopic: "BadTopic"
        case .deviceTokenNotForTopic: "DeviceTokenNotForTopic"
        case .badPriority: "BadPriority"
        case .badExpirationDate: "BadExpirationDate"
        case .badMessageId: "BadMessageId"
        case .badCollapseId: "BadCollapseId"
        case .channelNotRegistered: "ChannelNotRegistered"
        case .payloadEmpty: "PayloadEmpty"
        case .payloadTooLarge: "PayloadTooLarge"
        case .badPayload: "BadPayload"
        case .cannotCreateChannelConfig: "CannotCreateChannelConfig"
        case .tooManyRequests: "TooManyRequests"
        }
    }

    var status: Int {
        switch self {
        case .methodNotAllowed: 405
        case .badPath: 404
        case .missingProviderToken, .invalidProviderToken, .unrelatedKeyIDInToken, .expiredProviderToken: 403
        case .tooManyProviderTokenUpdates, .tooManyRequests: 429
        case .payloadTooLarge: 413
        default: 400
        }
    }
}

/// The set of a request's rejections.
struct Rejections: OptionSet {
    let rawValue: UInt32

    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    init(_ rejection: Rejection) {
        rawValue = 1 << UInt32(rejection.rawValue)
    }

    /// The rejections that hold until the respective headers arrive.
    static let ofNoHeaders: Rejections = [
        Rejections(.missingProviderToken), Rejections(.invalidPushType), Rejections(.missingTopic),
    ]

    mutating func insert(_ rejection: Rejection) {
        insert(Rejections(rejection))
    }

    mutating func remove(_ rejection: Rejection) {
        remove(Rejections(rejection))
    }

    /// The rejection that the answer names.
    var first: Rejection? {
        isEmpty ? nil : Rejection(rawValue: rawValue.trailingZeroBitCount)
    }
}
