/// The headers of one request in little room: for each the byte that stands for the name (for `.other` the name
/// follows), then the value; texts are two bytes of length and the bytes. The authorization is not stored here, since
/// all pushes of an hour share it; its place is.
struct HeaderBlock {
    private(set) var bytes: [UInt8] = []

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func append(
        _ name: HeaderName, _ spelling: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
    ) {
        bytes.append(name.rawValue)
        if name == .other { append(spelling) }
        if name != .authorization { append(value) }
    }

    private mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        // nghttp2 takes no header block above 64 KiB.
        let length = UInt16(clamping: text.count)
        bytes.append(UInt8(truncatingIfNeeded: length))
        bytes.append(UInt8(truncatingIfNeeded: length >> 8))
        bytes.append(contentsOf: text.prefix(Int(length)))
    }

    static func fields(_ block: [UInt8], authorization: [UInt8]) -> [LedgerEntry.Header] {
        var fields: [LedgerEntry.Header] = []
        var rest = block[...]
        while let tag = rest.popFirst(), let name = HeaderName(rawValue: tag) {
            let spelling = name == .other ? takeText(&rest) : "\(name.text)"
            let value =
                name == .authorization ? String(decoding: authorization, as: UTF8.self) : takeText(&rest)
            fields.append(LedgerEntry.Header(name: spelling, value: value))
        }
        return fields
    }

    /// The value of `:path`, found without decoding the others.
    static func path(_ block: [UInt8]) -> ArraySlice<UInt8> {
        var rest = block[...]
        while let tag = rest.popFirst(), let name = HeaderName(rawValue: tag) {
            if name == .other { _ = takeBytes(&rest) }
            if name == .authorization { continue }
            let value = takeBytes(&rest)
            if name == .path { return value }
        }
        return []
    }

    private static func takeText(_ rest: inout ArraySlice<UInt8>) -> String {
        String(decoding: takeBytes(&rest), as: UTF8.self)
    }

    private static func takeBytes(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let low = rest.popFirst(), let high = rest.popFirst() else { return [] }
        let text = rest.prefix(Int(low) | Int(high) << 8)
        rest = rest.dropFirst(text.count)
        return text
    }
}
