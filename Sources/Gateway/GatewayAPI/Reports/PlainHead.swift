import Glibc

/// The head of a report or update in the form that nearly every client writes, parsed in one pass over its bytes.
///
/// The HTTP parser takes all other heads: an incomplete one, another path, a repeated field, chunks, an upgrade, any
/// byte that is not visible ASCII. A test compares both parsers on the same heads, because they must agree.
struct PlainHead {
    enum Request {
        case report(ReportHead)
        /// An update without its body.
        case update(UpdateRequest)
    }

    let request: Request
    /// The bytes of the head, with the empty line.
    let byteCount: Int
    /// The bytes of the body that follows.
    let bodyCount: Int

    /// The maximum length of a plain head, in bytes.
    static let longest = 4096
    private static let mostFields = 40
    private static let usualType = "application/json"

    /// - Parameters:
    ///   - lines: The known first lines: those of reports by the places of their endpoints, see
    ///     `EndpointTable.reportLines`, then that of an update if enabled. An empty line matches nothing.
    ///   - reports: The number of lines of reports.
    ///   - lastKey: A likely key, whose text is reused if it matches.
    init?(_ bytes: UnsafeRawBufferPointer, lines: [[UInt8]], reports: Int, lastKey: String? = nil) {
        guard let place = lines.firstIndex(where: { !$0.isEmpty && bytes.begins(with: $0) }) else { return nil }
        var fields = Fields(UnsafeRawBufferPointer(rebasing: bytes.prefix(PlainHead.longest)), at: lines[place].count)
        let isUpdate = place >= reports
        var hosts = 0
        var key: String?
        var authorization: String?
        var contentType: String?
        var requestID: String?
        var signature: String?
        var forwardedFor: [String] = []
        var announced: Int?
        var count = 0
        while let (name, value) = fields.next() {
            count += 1
            guard count <= PlainHead.mostFields else { return nil }
            // The length rules out most names.
            switch name.count {
            case 2 where name.isNamed("te"): return nil
            case 4 where name.isNamed("host"):
                hosts += 1
                guard HeadCheck.isHost(value) else { return nil }
            case 6 where name.isNamed("expect"): return nil
            case 6 where isUpdate && (name.isNamed("prefer") || name.isNamed("origin")): return nil
            case 15 where isUpdate && name.isNamed("idempotency-key"): return nil
            case 9 where isUpdate && name.isNamed("x-api-key"): guard value.put(&key) else { return nil }
            case 9 where isUpdate: break
            case 7 where name.isNamed("upgrade") || name.isNamed("trailer"): return nil
            case 9 where name.isNamed("x-sdk-key"): guard value.put(&key, or: lastKey) else { return nil }
            case 10 where name.isNamed("connection"): guard value.isNamed("keep-alive") else { return nil }
            case 12 where name.isNamed("content-type"):
                guard value.put(&contentType, or: PlainHead.usualType) else { return nil }
            case 12 where name.isNamed("x-request-id"): guard value.put(&requestID) else { return nil }
            case 13 where name.isNamed("authorization"): guard value.put(&authorization) else { return nil }
            case 14 where name.isNamed("content-length"):
                guard announced == nil, let number = value.number else { return nil }
                announced = number
            case 15 where name.isNamed("x-forwarded-for"): forwardedFor.append(value.text)
            case 16 where name.isNamed("proxy-connection") || name.isNamed("content-encoding"): return nil
            case 17 where name.isNamed("transfer-encoding"): return nil
            case 20 where name.isNamed("x-identity-signature"): guard value.put(&signature) else { return nil }
            default: break
            }
        }
        guard fields.isWhole, hosts == 1, let announced else { return nil }
        byteCount = fields.offset
        bodyCount = announced
        if isUpdate {
            guard
                let update = UpdateRequest(
                    key: key ?? BearerToken.key(authorization), contentType: contentType, requestID: requestID,
                    announced: announced)
            else { return nil }
            request = .update(update)
            return
        }
        let head = ReportHead(
            place, key: key, authorization: authorization, contentType: contentType, requestID: requestID,
            announced: announced, signature: signature, forwardedFor: forwardedFor)
        request = .report(head)
    }

    /// The lines of fields.
    private struct Fields {
        private let bytes: UnsafeRawBufferPointer
        private(set) var offset: Int
        /// True after the empty line.
        private(set) var isWhole = false

        init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
            self.bytes = bytes
            self.offset = offset
        }

        /// Returns the next field; nil at the empty line, and at input that is not plain.
        mutating func next() -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
            var at = offset
            while at < bytes.count, PlainHead.isName(bytes[at]) { at += 1 }
            let name = UnsafeRawBufferPointer(rebasing: bytes[offset..<at])
            guard at + 1 < bytes.count else { return nil }
            guard !name.isEmpty else {
                guard bytes[at] == 0x0D, bytes[at + 1] == 0x0A else { return nil }
                offset = at + 2
                isWhole = true
                return nil
            }
            guard bytes[at] == UInt8(ascii: ":") else { return nil }
            at += 1
            while at < bytes.count, bytes[at] == UInt8(ascii: " ") { at += 1 }
            let start = at
            while at < bytes.count, bytes[at] >= 0x20, bytes[at] < 0x7F { at += 1 }
            guard at + 1 < bytes.count, bytes[at] == 0x0D, bytes[at + 1] == 0x0A else { return nil }
            offset = at + 2
            while at > start, bytes[at - 1] == UInt8(ascii: " ") { at -= 1 }
            return (name, UnsafeRawBufferPointer(rebasing: bytes[start..<at]))
        }
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension UnsafeRawBufferPointer {
    /// - Parameter lowercase: The name in lower case; the comparison ignores case.
    fileprivate func isNamed(_ lowercase: StaticString) -> Bool {
        guard count == lowercase.utf8CodeUnitCount else { return false }
        for index in indices {
            let byte = self[index]
            let letter = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
            guard letter == lowercase.utf8Start[index] else { return false }
        }
        return true
    }

    fileprivate var text: String { String(decoding: self, as: UTF8.self) }

    /// Sets a field; false if it has a value already.
    /// - Parameter usual: A likely text, which is reused because a new one would need memory.
    fileprivate func put(_ field: inout String?, or usual: String? = nil) -> Bool {
        guard field == nil else { return false }
        field = usual.flatMap { isText($0) ? $0 : nil } ?? text
        return true
    }

    /// Compares in constant time, because the text may be a key.
    private func isText(_ text: String) -> Bool {
        guard count == text.utf8.count else { return false }
        return text.utf8.withContiguousStorageIfAvailable { text in
            var difference: UInt8 = 0
            for index in indices { difference |= self[index] ^ text[index] }
            return difference == 0
        } ?? false
    }

    fileprivate func begins(with start: [UInt8]) -> Bool {
        guard count >= start.count, let here = baseAddress else { return false }
        return start.withUnsafeBytes { there in there.baseAddress.map { memcmp(here, $0, there.count) == 0 } ?? true }
    }

    /// The number in one to nine digits; nil for other text.
    fileprivate var number: Int? {
        guard (1...9).contains(count) else { return nil }
        var number = 0
        for byte in self {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return number
    }
}
