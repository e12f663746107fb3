/// The required fields of a peer's header block, and its validity under RFC 9113, section 8.
struct AnswerFields {
    /// Nil without a `:status`, as in trailers.
    private(set) var status: UInt16?
    private(set) var retryAfter: UInt32?
    private(set) var contentLength: Int?
    private(set) var isMalformed = false
    private var size = 0
    private var hasRegularField = false

    mutating func fieldReceived(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        size += name.count + value.count + 32
        if size > HTTP2Connection.headerBlockLimit { isMalformed = true }
        guard let first = name.first else { return isMalformed = true }
        if first == UInt8(ascii: ":") { return pseudoFieldReceived(name, value) }
        hasRegularField = true
        if name.contains(where: AnswerFields.isForbidden) || value.contains(where: AnswerFields.isLineBreak) {
            isMalformed = true
        }
        switch name.count {
        case 2 where AnswerFields.equal(name, "te"), 7 where AnswerFields.equal(name, "upgrade"),
            10 where AnswerFields.equal(name, "connection") || AnswerFields.equal(name, "keep-alive"),
            16 where AnswerFields.equal(name, "proxy-connection"),
            17 where AnswerFields.equal(name, "transfer-encoding"):
            isMalformed = true
        case 11 where AnswerFields.equal(name, "retry-after"): retryAfter = AnswerFields.decimal(value)
        case 14 where AnswerFields.equal(name, "content-length"):
            let length = AnswerFields.length(value)
            if length == nil || contentLength != nil { isMalformed = true }
            contentLength = length
        default: break
        }
    }

    private mutating func pseudoFieldReceived(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
    ) {
        guard AnswerFields.equal(name, ":status"), status == nil, !hasRegularField, value.count == 3,
            let number = AnswerFields.decimal(value), number >= 100
        else { return isMalformed = true }
        status = UInt16(number)
    }

    /// Upper-case letters, control characters and blanks (RFC 9113, section 8.2.1).
    private static func isForbidden(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte >= 0x7F || (0x41...0x5A).contains(byte) || byte == UInt8(ascii: ":")
    }

    private static func isLineBreak(_ byte: UInt8) -> Bool {
        byte == 0 || byte == 0x0A || byte == 0x0D
    }

    private static func equal(_ bytes: UnsafeBufferPointer<UInt8>, _ text: StaticString) -> Bool {
        bytes.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Returns nil unless the text is one to nine digits. `Retry-After` may also be a date, which no provider sends.
    private static func decimal(_ text: UnsafeBufferPointer<UInt8>) -> UInt32? {
        guard (1...9).contains(text.count), text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return text.reduce(0) { $0 * 10 + UInt32($1 - 0x30) }
    }

    private static func length(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard (1...18).contains(text.count), text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
