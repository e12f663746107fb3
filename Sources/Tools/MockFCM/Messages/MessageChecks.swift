import LiveActivity

/// What was found about the body of one request to send, whatever its registration token is.
struct MessageVerdict {
    var violation: ErrorDetails.FieldViolation?
    /// Whether it is only to be checked.
    var isValidation = false
    /// The registration token; empty when it goes to a topic or a condition.
    var token: [UInt8] = []
    /// Where the token's characters stand in the body; nil when they are escaped there, or when it has none.
    var tokenRange: Range<Int>?
    /// Its hash.
    var collapseKey: Int?
    var event: MockFCM.Event?
}

/// Whether FCM would take a message ("projects.messages", "Set up a data payload"). Reads the whole text strictly
/// (RFC 8259).
enum MessageChecks {
    /// Bytes of all names and values of `data`, with their escapes resolved.
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
            // Without its quotation marks; as long as the text when nothing is escaped.
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
        // A member stands once: that has been checked.
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
