import LiveActivity
import MockKit

extension Answer {
    static let accepted = Answer(status: 200, reason: nil)
    private static let rejections = Rejection.allCases.map { Answer(status: $0.status, reason: $0.reason) }

    static func rejected(_ rejection: Rejection) -> Answer {
        rejections[rejection.rawValue]
    }

    /// Creates an answer with its reason in the body ("Handling notification responses from APNs").
    /// - Parameters:
    ///   - timestamp: For 410, the time since when the token has been invalid, in milliseconds since 1970.
    ///   - retryAfter: In seconds.
    ///   - hasBody: False for an answer of a HEADERS frame alone.
    convenience init(
        status: Int, reason: String?, timestamp: Int64? = nil, retryAfter: Int? = nil, hasBody: Bool = true
    ) {
        let body = hasBody ? reason.map { Self.body($0, timestamp: timestamp) } : nil
        var fields: [(StaticString, String)] = []
        if let retryAfter { fields.append(("retry-after", String(retryAfter))) }
        self.init(status: status, reason: reason, fields: fields, body: body ?? [])
    }

    static func body(_ reason: String, timestamp: Int64? = nil) -> [UInt8] {
        JSONWriter.object {
            $0.field("reason", reason)
            $0.field("timestamp", timestamp)
        }
    }
}
