/// A compact encoding of a request's header fields. Each field is the number of its name, followed by the name if the
/// number is 0, and the value. Texts have a length of two bytes, low byte first. The block holds only the position of
/// the authorization, because many requests share its value.
package struct HeaderBlock {
    private(set) var bytes: [UInt8] = []

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func append(
        _ number: UInt8, _ spelling: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>,
        _ names: FieldNames
    ) {
        bytes.append(number)
        if number == 0 { append(spelling) }
        if number != names.authorization { append(value) }
    }

    private mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        // nghttp2 rejects header blocks above 64 KiB.
        let length = UInt16(clamping: text.count)
        bytes.append(UInt8(truncatingIfNeeded: length))
        bytes.append(UInt8(truncatingIfNeeded: length >> 8))
        bytes.append(contentsOf: text.prefix(Int(length)))
    }

    /// Calls `body` with the number and value of each field that has a number, in order. The value of the authorization
    /// is empty.
    package func forEach(
        _ names: FieldNames, _ body: (_ number: UInt8, _ value: UnsafeBufferPointer<UInt8>) -> Void
    ) {
        bytes.withUnsafeBufferPointer { bytes in
            var position = 0
            func takeText() -> UnsafeBufferPointer<UInt8> {
                let length = Int(bytes[position]) | Int(bytes[position + 1]) << 8
                let text = UnsafeBufferPointer(rebasing: bytes[(position + 2)..<(position + 2 + length)])
                position += 2 + length
                return text
            }
            while position < bytes.count {
                let number = bytes[position]
                position += 1
                if number == 0 {
                    _ = takeText()
                    _ = takeText()
                } else {
                    let value =
                        number == names.authorization ? UnsafeBufferPointer(start: nil, count: 0) : takeText()
                    body(number, value)
                }
            }
        }
    }

    // MARK: From the ledger

    /// Decodes names and values in order. U+FFFD replaces bytes that are not UTF-8.
    package static func fields(
        _ block: [UInt8], _ names: FieldNames, authorization: [UInt8]
    ) -> [(name: String, value: String)] {
        var fields: [(String, String)] = []
        var rest = block[...]
        while let number = rest.popFirst() {
            let spelling = number == 0 ? text(takeBytes(&rest)) : "\(names.texts[Int(number)])"
            let value = number == names.authorization ? authorization[...] : takeBytes(&rest)
            fields.append((spelling, text(value)))
        }
        return fields
    }

    /// Returns the value of `:path` without decoding other fields; empty if there is none.
    package static func path(_ block: [UInt8], _ names: FieldNames) -> ArraySlice<UInt8> {
        var rest = block[...]
        while let number = rest.popFirst() {
            if number == 0 { _ = takeBytes(&rest) }
            if number == names.authorization { continue }
            let value = takeBytes(&rest)
            if number == names.path { return value }
        }
        return []
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func takeBytes(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let low = rest.popFirst(), let high = rest.popFirst() else { return [] }
        let text = rest.prefix(Int(low) | Int(high) << 8)
        rest = rest.dropFirst(text.count)
        return text
    }
}
