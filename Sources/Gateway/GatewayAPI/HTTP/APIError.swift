import Broadcasts
import GatewayStore
import HTTPTypes
import LiveActivity
import Secrets
import TimeCore

/// A request that is refused: status, code for programs, sentence for people, and what else the contract names.
struct APIError: Error {
    enum Code: String, CaseIterable {
        case requestInvalid = "REQUEST_INVALID"
        case badRequest = "BAD_REQUEST"
        case validationFailed = "VALIDATION_FAILED"
        case activityTypeRequired = "ACTIVITY_TYPE_REQUIRED"
        case activityIDRequired = "ACTIVITY_ID_REQUIRED"
        case insiderIDsOutOfRange = "INSIDER_IDS_OUT_OF_RANGE"
        case endsAtInPast = "ENDS_AT_IN_PAST"
        case endsAtTooSoon = "ENDS_AT_TOO_SOON"
        case endsAtTooFar = "ENDS_AT_TOO_FAR"
        case targetDevicesInvalid = "TARGET_DEVICES_INVALID"
        case contentRequired = "CONTENT_REQUIRED"
        case unauthorized = "UNAUTHORIZED"
        case tierRequired = "TIER_REQUIRED"
        case liveActivityDisabled = "LIVE_ACTIVITY_DISABLED"
        case notFound = "NOT_FOUND"
        case methodNotAllowed = "METHOD_NOT_ALLOWED"
        case unsupportedEncoding = "UNSUPPORTED_ENCODING"
        case requestTimeout = "REQUEST_TIMEOUT"
        case staleSequence = "STALE_SEQUENCE"
        case alreadyStarted = "ALREADY_STARTED"
        case notStarted = "NOT_STARTED"
        case activityTypeMismatch = "ACTIVITY_TYPE_MISMATCH"
        case activityAmbiguous = "ACTIVITY_AMBIGUOUS"
        case deviceNotSynced = "DEVICE_NOT_SYNCED"
        case requestTooLarge = "REQUEST_TOO_LARGE"
        case payloadTooLarge = "PAYLOAD_TOO_LARGE"
        case uriTooLong = "URI_TOO_LONG"
        case headersTooLarge = "HEADERS_TOO_LARGE"
        case noEligibleDevice = "NO_ELIGIBLE_DEVICE"
        case idempotencyKeyReused = "IDEMPOTENCY_KEY_REUSED"
        case tooManyWebhooks = "TOO_MANY_WEBHOOKS"
        case webhookDisabled = "WEBHOOK_DISABLED"
        case webhooksNotConfigured = "WEBHOOKS_NOT_CONFIGURED"
        case quotaExceeded = "QUOTA_EXCEEDED"
        case rateLimited = "RATE_LIMITED"
        case storeUnavailable = "STORE_UNAVAILABLE"
        case shuttingDown = "SHUTTING_DOWN"
        case overloaded = "OVERLOADED"
        case notReady = "NOT_READY"
        case internalError = "INTERNAL_ERROR"

        var status: HTTPResponse.Status {
            switch self {
            case .requestInvalid, .badRequest, .validationFailed, .activityTypeRequired, .activityIDRequired,
                .insiderIDsOutOfRange, .endsAtInPast, .endsAtTooSoon, .endsAtTooFar, .targetDevicesInvalid,
                .contentRequired:
                .badRequest
            case .unauthorized: .unauthorized
            case .tierRequired: .init(code: 402, reasonPhrase: "Payment Required")
            case .liveActivityDisabled, .quotaExceeded: .forbidden
            case .notFound: .notFound
            case .tooManyWebhooks, .webhookDisabled: .conflict
            case .webhooksNotConfigured: .notImplemented
            case .methodNotAllowed: .methodNotAllowed
            case .unsupportedEncoding: .unsupportedMediaType
            case .requestTimeout: .requestTimeout
            case .alreadyStarted, .notStarted, .staleSequence, .activityTypeMismatch, .activityAmbiguous,
                .deviceNotSynced:
                .conflict
            case .requestTooLarge, .payloadTooLarge: .contentTooLarge
            case .uriTooLong: .uriTooLong
            case .headersTooLarge: .requestHeaderFieldsTooLarge
            case .noEligibleDevice, .idempotencyKeyReused: .unprocessableContent
            case .rateLimited: .tooManyRequests
            case .storeUnavailable, .shuttingDown, .overloaded, .notReady: .serviceUnavailable
            case .internalError: .internalServerError
            }
        }
    }

    let code: Code
    let message: String
    var skipped: SkipCounts?
    var gdprDenied: [DeviceKey]?
    /// The activities that a report may be for.
    var candidates: [ActivityCandidate] = []
    var requiredTier: Tenant.Tier?
    /// The name of the quota that is used up.
    var quota: String?
    /// The reasons why the gateway is not ready, and its warnings.
    var reasons: [ReadinessReason] = []
    var warnings: [ReadinessReason] = []
    /// Seconds.
    var retryAfter: Int?

    init(_ code: Code, _ message: String, skipped: SkipCounts? = nil, retryAfter: Int? = nil) {
        self.code = code
        self.message = message
        self.skipped = skipped
        self.retryAfter = retryAfter
    }

    /// - Parameters:
    ///   - header: the field that should hold a key, where it is not a bearer's.
    ///   - key: the key that was given. One of another kind is named, by its prefix alone: the store is not asked.
    static func unauthorized(_ header: String, given key: String?) -> APIError {
        let place = "\(header), or Authorization: Bearer,"
        switch (key.flatMap(Secret.kind), header) {
        case (.apiKey, "X-Sdk-Key"):
            return APIError(.unauthorized, "\(place) has an API key: send it in X-Api-Key, and never from an app")
        case (.sdkKey, "X-Api-Key"):
            return APIError(.unauthorized, "\(place) has an SDK key: send it in X-Sdk-Key")
        case (.identity, _):
            return APIError(.unauthorized, "\(place) has an identity secret: use it only to sign, and never send it")
        case (.operatorKey, _):
            return APIError(.unauthorized, "\(place) has an operator's key: use it only to sign in to the console")
        case (.session, _), (.apiKey, _), (.sdkKey, _), (nil, _):
            return APIError(.unauthorized, "the key in \(place) is missing, unknown or revoked")
        }
    }

    static var heldUp: APIError {
        APIError(.overloaded, "this gateway was suspended during the request; send the request again", retryAfter: 1)
    }

    static var stopping: APIError {
        APIError(.shuttingDown, "this gateway is shutting down; send the request to another gateway", retryAfter: 1)
    }

    /// Requests that a trusted proxy passes on for one address.
    static var tooManyAtOnce: APIError {
        APIError(.rateLimited, "this address has too many concurrent requests; try again later", retryAfter: 1)
    }

    static var unexpected: APIError { APIError(.internalError, "the gateway failed to handle this request") }

    /// True if the request's body alone is at fault.
    var isAboutBody: Bool { code.status == .badRequest || code == .payloadTooLarge }

    /// A field with a value of the wrong type or form.
    static func invalid(_ field: String, _ expected: String) -> APIError {
        APIError(.validationFailed, "\(field) must be \(expected)")
    }
}

extension APIError {
    /// The answer to a request that failed.
    init(anyOf error: any Error) {
        switch error {
        case let error as APIError: self = error
        case let error as StoreError: self.init(error)
        case let error as BroadcastRefusal: self.init(error)
        default: self = .unexpected
        }
    }

    init(_ error: StoreError) {
        switch error {
        case .unavailable, .refused: self.init(.storeUnavailable, error.explanation, retryAfter: error.pause)
        case .damaged, .unsupportedLayout: self.init(.internalError, error.explanation)
        case .quotaReached(let limit, let wait?):
            self.init(
                .rateLimited, "\(limit.name): \(error)",
                retryAfter: max(1, Int(clamping: (wait.nanoseconds + 999_999_999) / 1_000_000_000)))
        case .quotaReached(let limit, nil):
            self.init(.quotaExceeded, "quota \(limit.name): \(error)")
            quota = limit.name
        }
    }

    init(_ refusal: ActivityRefusal) {
        switch refusal {
        case .notFound:
            self.init(.notFound, "the activity does not exist: it was never registered, or has ended")
        case .typeMismatch(let registered):
            self.init(.activityTypeMismatch, "activity_type must be \(registered), as registered")
        case .alreadyStarted:
            self.init(
                .alreadyStarted,
                "the activity has already been started; use restart for its devices, a new activity for others")
        case .notStarted: self.init(.notStarted, "the activity has not been started; call start first")
        }
    }

    init(_ error: JSONSyntaxError) {
        self.init(.badRequest, "the body is not valid JSON: \(error)")
    }
}
