extension MockFCM {
    /// Why a message is not taken: the codes of FCM ("ErrorCode" of its reference), and those of Google's APIs that
    /// come without one of these.
    public enum ErrorCode: String, Sendable, CaseIterable {
        case unregistered = "UNREGISTERED"
        case senderIDMismatch = "SENDER_ID_MISMATCH"
        case invalidArgument = "INVALID_ARGUMENT"
        case quotaExceeded = "QUOTA_EXCEEDED"
        case internalError = "INTERNAL"
        case unavailable = "UNAVAILABLE"
        case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"
        /// The access token is not good.
        case unauthenticated = "UNAUTHENTICATED"
        /// The account may not send for the project.
        case permissionDenied = "PERMISSION_DENIED"
        /// There is no such project.
        case notFound = "NOT_FOUND"

        /// The HTTP status that it comes with.
        public var status: Int {
            switch self {
            case .invalidArgument: 400
            case .thirdPartyAuthError, .unauthenticated: 401
            case .senderIDMismatch, .permissionDenied: 403
            case .unregistered, .notFound: 404
            case .quotaExceeded: 429
            case .internalError: 500
            case .unavailable: 503
            }
        }

        /// The code of Google's APIs (`google.rpc.Code`) that belongs to the HTTP status.
        var canonical: String {
            switch self {
            case .invalidArgument: "INVALID_ARGUMENT"
            case .thirdPartyAuthError, .unauthenticated: "UNAUTHENTICATED"
            case .senderIDMismatch, .permissionDenied: "PERMISSION_DENIED"
            case .unregistered, .notFound: "NOT_FOUND"
            case .quotaExceeded: "RESOURCE_EXHAUSTED"
            case .internalError: "INTERNAL"
            case .unavailable: "UNAVAILABLE"
            }
        }

        /// Whether it is a code of FCM's own, which stands among the details.
        var isOfFCM: Bool {
            switch self {
            case .unauthenticated, .permissionDenied, .notFound: false
            default: true
            }
        }
    }

    /// The time after which a client may try again, as `retry-after` says it (RFC 9110, section 10.2.3).
    public enum RetryAfter: Sendable, Equatable {
        case seconds(Int)
        /// So many seconds from the answer on, as a date.
        case date(Int)
    }
}
