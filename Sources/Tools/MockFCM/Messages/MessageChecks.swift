import LiveActivity

/// The result of checking a send request. It does not depend on the value of the registration token.
struct MessageVerdict {
    var violation: ErrorDetails.FieldViolation?
    /// True if the message is only to be validated.
    var isValidation = false
    /// The registration token; empty for a message to a topic or a condition.
    var token: [UInt8] = []
    /// The range of the token in the body; nil if it is missing or contains escapes.
    var tokenRange: Range<Int>?
    /// The hash of the collapse key.
    var collapseKey: Int?
    var event: MockFCM.Event?
}

/// Checks that FCM accepts a message ("projects.messages", "Set up a data payload"). The parser is strict (RFC 8259).
enum MessageChecks {
    /// The limit of all names and values of `data` without escapes, in bytes.
    static let maximumDataLength = 4_096

    static func verdict(_ body: [UInt8]) -> MessageVerdict {
        var verdict = MessageVerdict()
        do throws(ErrorDetails.FieldViolation) {
            let root: JSONValue
            do {
                root = try JSONDocument(parsing: body).root
            } catch {
                throw ErrorDetails.FieldViolation(field: "", description: "no JSON: \(error)", isOfFCM: false)
            }
            let request = try MessageReader.members(root, at: "", MessageSchema.request)
            guard let message = request["message"] else {
                throw ErrorDetails.FieldViolation(field: "message", description: "is required")
            }
            verdict.isValidation = request["validate_only"]?.bool ?? false
            try check(message, &verdict)
        } catch {
            verdict.violation = error
        }
        return verdict
    }

    private static func check(
        _ message: JSONValue, _ verdict: inout MessageVerdict
    ) throws(ErrorDetails.FieldViolation) {
        let targets = ["token", "topic", "condition"].filter { given(message, $0) != nil }
        guard targets.count == 1 else {
            throw ErrorDetails.FieldViolation(
                field: "message", description: "one of token, topic and condition is required")
        }
        if let token = given(message, "token") {
            verdict.token = token.unescapedBytes ?? []
            let range = token.byteRange
            // The text has the token's length plus two quotation marks if it contains no escapes.
            if range.count == verdict.token.count + 2 {
                verdict.tokenRange = (range.lowerBound + 1)..<(range.upperBound - 1)
            }
        }
        let android = given(message, "android")
        let data = [
            ("message.data", given(message, "data")), ("message.android.data", android.flatMap { given($0, "data") }),
        ]
        for (path, data) in data {
            if let data { try checkData(data, path) }
        }
        let key = android.flatMap { given($0, "collapse_key") ?? given($0, "collapseKey") }
        verdict.collapseKey = key?.string?.hashValue
        verdict.event = given(message, "data").flatMap { given($0, "live_activity_event") }?.string
            .flatMap { MockFCM.Event(rawValue: $0) }
    }

    private static func given(_ object: JSONValue, _ name: String) -> JSONValue? {
        // The reader has rejected repeated members, so this does not throw.
        guard let member = try? object.member(name), member.kind != .null else { return nil }
        return member
    }

    private static func checkData(_ data: JSONValue, _ path: String) throws(ErrorDetails.FieldViolation) {
        var length = 0
        for name in data.memberNames {
            guard !isReserved(name) else {
                throw ErrorDetails.FieldViolation(field: path, description: "\"\(name)\" is a reserved key")
            }
            length += name.utf8.count + (given(data, name)?.unescapedBytes?.count ?? 0)
        }
        guard length <= maximumDataLength else {
            throw ErrorDetails.FieldViolation(
                field: path, description: "has \(length) bytes, and \(maximumDataLength) are taken")
        }
    }

    private static func isReserved(_ name: String) -> Bool {
        name == "from" || name == "message_type" || name.hasPrefix("google") || name.hasPrefix("gcm")
    }
}
