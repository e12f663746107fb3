import HTTPTypes

extension HTTPField.Name {
    /// The literals below are tokens (RFC 9110, section 5.6.2), so the fallback is never used.
    private static func named(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .userAgent }

    static let apiKey = named("X-Api-Key")
    static let sdkKey = named("X-Sdk-Key")
    static let identitySignature = named("X-Identity-Signature")
    static let requestID = named("X-Request-Id")
    static let rateLimitLimit = named("X-RateLimit-Limit")
    static let rateLimitRemaining = named("X-RateLimit-Remaining")
    static let rateLimitReset = named("X-RateLimit-Reset")
    static let idempotencyKey = named("Idempotency-Key")
    static let idempotentReplayed = named("Idempotent-Replayed")
    static let lastEventID = named("Last-Event-ID")
    static let forwardedFor = named("X-Forwarded-For")
    static let prefer = named("Prefer")
    static let referrerPolicy = named("Referrer-Policy")
    static let consoleToken = named("X-Console-Token")
    static let forwardedProto = named("X-Forwarded-Proto")
    static let fetchSite = named("Sec-Fetch-Site")
    static let crossOriginOpenerPolicy = named("Cross-Origin-Opener-Policy")
}
