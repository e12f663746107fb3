extension MockFCM {
    /// The errors of the authorization server: those of OAuth 2.0 (RFC 6749, section 5.2) and Google's own.
    public enum TokenError: String, Sendable, CaseIterable {
        case invalidGrant = "invalid_grant"
        case invalidScope = "invalid_scope"
        case invalidRequest = "invalid_request"
        case unsupportedGrantType = "unsupported_grant_type"
        case invalidClient = "invalid_client"
        case unauthorizedClient = "unauthorized_client"
        case accessDenied = "access_denied"
        case rateLimitExceeded = "rate_limit_exceeded"
        case internalFailure = "internal_failure"
        case temporarilyUnavailable = "temporarily_unavailable"

        /// The HTTP status of the error.
        public var status: Int {
            switch self {
            case .invalidGrant, .invalidScope, .invalidRequest, .unsupportedGrantType: 400
            case .invalidClient, .unauthorizedClient: 401
            case .accessDenied: 403
            case .rateLimitExceeded: 429
            case .internalFailure: 500
            case .temporarilyUnavailable: 503
            }
        }
    }
}
