import LiveActivity
import MockKit

/// Makes answers with the header fields that Google's front ends send. Times are milliseconds since 1970.
struct AnswerWriter {
    /// True: errors are HEADERS without a body.
    var omitsBodies = false
    private var second: Int64 = .min
    private var dated: [(StaticString, String)] = []
    /// The answer to accepted messages, whose bodies are each request's own.
    private var accepted: Answer?

    /// The answer of this second to a message that is accepted.
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

    /// An answer of the token endpoint with this body.
    mutating func token(
        status: Int, reason: String?, _ body: [UInt8], retryAfter: MockFCM.RetryAfter? = nil, now: Int64
    ) -> Answer {
        Answer(
            status: status, reason: reason, fields: fields(now) + Self.field(retryAfter, now),
            body: omitsBodies && status != 200 ? [] : body)
    }

    /// What a front end says that finds nobody behind it: a page for people.
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
