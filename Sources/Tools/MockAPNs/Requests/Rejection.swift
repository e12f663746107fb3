/// Why a request is not accepted, in the order in which the mock looks. The words are Apple's ("Handling notification
/// responses from APNs", "Handling error responses from Apple Push Notification service"), but for `badPayload`. The
/// raw value is the place in that order.
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
    /// The app of the path, or the topic, is not the one that the key is for.
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
    /// The mock's own word. The real provider accepts a payload that no Live Activity can use, and the phone drops
    /// it without a sound; here that is an answer, so that a test sees it.
    case badPayload
    /// There are as many channels as may be.
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

/// All that has been found wrong with one request so far.
struct Rejections: OptionSet {
    let rawValue: UInt32

    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    init(_ rejection: Rejection) {
        rawValue = 1 << UInt32(rejection.rawValue)
    }

    /// What a request lacks until its headers have come.
    static let ofNoHeaders: Rejections = [
        Rejections(.missingProviderToken), Rejections(.invalidPushType), Rejections(.missingTopic),
    ]

    mutating func insert(_ rejection: Rejection) {
        insert(Rejections(rejection))
    }

    mutating func remove(_ rejection: Rejection) {
        remove(Rejections(rejection))
    }

    /// The one that the answer names.
    var first: Rejection? {
        isEmpty ? nil : Rejection(rawValue: rawValue.trailingZeroBitCount)
    }
}
