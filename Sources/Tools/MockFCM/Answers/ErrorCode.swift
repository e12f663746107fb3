extension MockFCM {
    /// The reasons to reject a message: the codes of FCM ("ErrorCode" in its reference) and codes of Google's APIs that
    /// have no FCM code.
    public enum ErrorCode: String, Sendable, CaseIterable {
        case unregistered = "UNREGISTERED"
        case senderIDMismatch = "SENDER_ID_MISMATCH"
        case invalidArgument = "INVALID_ARGUMENT"
        case quotaExceeded = "QUOTA_EXCEEDED"
        case internalError = "INTERNAL"
        case unavailable = "UNAVAILABLE"
        case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"
        /// The access token is missing or invalid.
        case unauthenticated = "UNAUTHENTICATED"
        /// The account may not send for the project.
        case permissionDenied = "PERMISSION_DENIED"
        /// The project does not exist.
        case notFound = "NOT_FOUND"

        /// The HTTP status of the error.
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

        /// The code of Google's APIs (`google.rpc.Code`) for the HTTP status.
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

        /// True if it is a code of FCM, which the details contain.
        var isOfFCM: Bool {
            switch self {
            case .unauthenticated, .permissionDenied, .notFound: false
            default: true
            }
        }
    }

    /// The time before a client may retry, as a `retry-after` header (RFC 9110, section 10.2.3).
    public enum RetryAfter: Sendable, Equatable {
        case seconds(Int)
        /// A date, given as the number of seconds after the answer.
        case date(Int)
    }
}
