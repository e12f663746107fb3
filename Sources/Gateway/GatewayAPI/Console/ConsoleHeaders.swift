import HTTPTypes

/// The security fields of all answers of the console.
enum ConsoleHeaders {
    /// Allows resources of this gateway only. Forbids forms, and frames around the page.
    static let contentSecurityPolicy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'",
        "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    static func add(to headers: inout HTTPFields) {
        headers[.contentSecurityPolicy] = contentSecurityPolicy
        headers[.xContentTypeOptions] = "nosniff"
        headers[.referrerPolicy] = "no-referrer"
        headers[.crossOriginOpenerPolicy] = "same-origin"
        headers[.crossOriginResourcePolicy] = "same-origin"
        // Pages of a signed-in person must not be cached.
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
    }
}
