import LiveActivity
import MockKit

/// Creates answers with the header fields of Google's front ends. Times are in milliseconds since 1970.
struct AnswerWriter {
    /// True if error responses have no body.
    var omitsBodies = false
    private var second: Int64 = .min
    private var dated: [(StaticString, String)] = []
    /// The cached answer to accepted messages. Its body is empty because each request has its own.
    private var accepted: Answer?

    /// Returns the answer to an accepted message, cached for the current second.
    mutating func accepted(now: Int64) -> Answer {
        let fields = fields(now)
        if let accepted { return accepted }
        let answer = Answer(status: 200, reason: nil, fields: fields, body: [])
        accepted = answer
        return answer
    }

    mutating func error(
        _ code: MockFCM.ErrorCode, _ message: String, _ details: ErrorDetails = ErrorDetails(),
        withDetails: Bool = true, retryAfter: MockFCM.RetryAfter? = nil, now: Int64
    ) -> Answer {
        let body = details.body(code, message: message, withDetails: withDetails)
        return Answer(
            status: code.status, reason: code.rawValue, fields: fields(now) + Self.field(retryAfter, now),
            body: omitsBodies ? [] : body)
    }

    /// Returns an answer of the token endpoint.
    mutating func token(
        status: Int, reason: String?, _ body: [UInt8], retryAfter: MockFCM.RetryAfter? = nil, now: Int64
    ) -> Answer {
        Answer(
            status: status, reason: reason, fields: fields(now) + Self.field(retryAfter, now),
            body: omitsBodies && status != 200 ? [] : body)
    }

    /// Returns the HTML page of a front end without a working backend.
    mutating func page(_ status: Int, retryAfter: MockFCM.RetryAfter? = nil, now: Int64) -> Answer {
        let text = """
            <!DOCTYPE html>
            <html lang=en><meta charset=utf-8><title>Error \(status)</title>
            <p><b>\(status).</b> That is an error of a front end, and its page is no JSON.

            """
        return Answer(
            status: status, reason: "HTML_\(status)",
            fields: [("content-type", "text/html; charset=UTF-8"), ("date", HTTPDate.text(epochSeconds: now / 1_000))]
                + Self.field(retryAfter, now), body: omitsBodies ? [] : Array(text.utf8))
    }

    private mutating func fields(_ now: Int64) -> [(StaticString, String)] {
        guard now / 1_000 != second else { return dated }
        second = now / 1_000
        accepted = nil
        dated = [
            ("content-type", "application/json; charset=UTF-8"), ("vary", "Origin"), ("vary", "X-Origin"),
            ("vary", "Referer"), ("date", HTTPDate.text(epochSeconds: second)), ("server", "ESF"),
            ("cache-control", "private"), ("x-xss-protection", "0"), ("x-frame-options", "SAMEORIGIN"),
            ("x-content-type-options", "nosniff"),
        ]
        return dated
    }

    private static func field(_ retryAfter: MockFCM.RetryAfter?, _ now: Int64) -> [(StaticString, String)] {
        switch retryAfter {
        case .seconds(let seconds): [("retry-after", String(seconds))]
        case .date(let seconds): [("retry-after", HTTPDate.text(epochSeconds: now / 1_000 + Int64(seconds)))]
        case nil: []
        }
    }
}
