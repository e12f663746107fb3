import NIOHTTP1

/// The fields of a report's head, parsed in one pass.
struct ReportHead {
    /// The place of its endpoint among the table's reports.
    let place: Int
    /// The value of X-Sdk-Key, or the bearer token.
    var key: String? { ownKey ?? BearerToken.key(authorization) }
    private var ownKey: String?
    private var authorization: String?
    private(set) var contentType: String?
    /// Content-Encoding.
    private(set) var contentEncoding: String?
    private(set) var requestID: String?
    /// Content-Length.
    private(set) var announced: Int?
    /// X-Identity-Signature.
    private(set) var signature: String?
    /// The X-Forwarded-For fields in their order; see `ClientConnection.clientAddress`.
    private(set) var forwardedFor: [String] = []
    let isKeepAlive: Bool
    /// The parameters of the path, still escaped; empty for most.
    let parameters: [String: Substring]

    init(_ place: Int, _ head: HTTPRequestHead, parameters: [String: Substring] = [:]) {
        self.place = place
        self.parameters = parameters
        isKeepAlive = head.isKeepAlive
        for (name, untrimmed) in head.headers {
            let value = ReportHead.trimmed(untrimmed)
            // The length rules out most names.
            switch name.utf8.count {
            case 9 where ReportHead.matches(name, "x-sdk-key"): ReportHead.add(value, to: &ownKey)
            case 12 where ReportHead.matches(name, "content-type"): ReportHead.add(value, to: &contentType)
            case 12 where ReportHead.matches(name, "x-request-id"): ReportHead.add(value, to: &requestID)
            case 13 where ReportHead.matches(name, "authorization"): ReportHead.add(value, to: &authorization)
            case 15 where ReportHead.matches(name, "x-forwarded-for"): forwardedFor.append(value)
            case 14 where ReportHead.matches(name, "content-length"): announced = ContentLength.bytes(value)
            case 16 where ReportHead.matches(name, "content-encoding"): ReportHead.add(value, to: &contentEncoding)
            case 20 where ReportHead.matches(name, "x-identity-signature"): ReportHead.add(value, to: &signature)
            default: break
            }
        }
    }

    /// The head of a request of HTTP/1.1 that keeps its connection.
    init(
        _ place: Int, key: String?, authorization: String?, contentType: String?, requestID: String?, announced: Int,
        signature: String?, forwardedFor: [String]
    ) {
        self.place = place
        ownKey = key
        self.authorization = authorization
        self.contentType = contentType
        self.requestID = requestID
        self.announced = announced
        self.signature = signature
        self.forwardedFor = forwardedFor
        isKeepAlive = true
        parameters = [:]
    }

    /// Joins fields of the same name into a list (RFC 9110, section 5.3).
    private static func add(_ value: String, to field: inout String?) {
        field = field.map { "\($0), \(value)" } ?? value
    }

    /// Removes the whitespace around a value (RFC 9110, section 5.5), because the parser leaves tabs.
    static func trimmed(_ value: String) -> String {
        func isSpace(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard isSpace(value.utf8.first) || isSpace(value.utf8.last) else { return value }
        var rest = value.utf8[...]
        while isSpace(rest.first) { rest.removeFirst() }
        while isSpace(rest.last) { rest.removeLast() }
        return String(decoding: rest, as: UTF8.self)
    }

    /// - Parameter lowercase: A text as long as the name.
    static func matches(_ name: String, _ lowercase: StaticString) -> Bool {
        var index = 0
        for byte in name.utf8 {
            let letter = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
            guard letter == lowercase.utf8Start[index] else { return false }
            index += 1
        }
        return true
    }
}
