import HTTPTypes

/// What every answer of the console tells the browser.
enum ConsoleHeaders {
    /// Scripts, styles and connections of this gateway alone; no frame around it, no form to elsewhere.
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
        // What is shown to one who is signed in is nobody else's.
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
    }
}
