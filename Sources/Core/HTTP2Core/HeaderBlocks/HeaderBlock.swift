/// A header block in the making (RFC 7541, section 6). Strings go without Huffman coding: a memory copy on our side,
/// and cheaper on the peer's.
struct HeaderBlock {
    private(set) var bytes: [UInt8] = []

    mutating func indexed(_ index: Int) {
        integer(index, prefix: 7, first: 0x80)
    }

    /// The peer keeps the field in its table.
    mutating func inserted(_ field: HeaderField, nameIndex: Int?) {
        literal(field, nameIndex, prefix: 6, first: 0x40)
    }

    mutating func notIndexed(_ field: HeaderField, nameIndex: Int?) {
        literal(field, nameIndex, prefix: 4, first: 0x00)
    }

    /// A secret: no one on the way may keep it in a table either (RFC 7541, section 7.1.3).
    mutating func neverIndexed(_ field: HeaderField, nameIndex: Int?) {
        literal(field, nameIndex, prefix: 4, first: 0x10)
    }

    mutating func tableSize(_ size: Int) {
        integer(size, prefix: 5, first: 0x20)
    }

    private mutating func literal(_ field: HeaderField, _ nameIndex: Int?, prefix: Int, first: UInt8) {
        integer(nameIndex ?? 0, prefix: prefix, first: first)
        if nameIndex == nil { string(field.name) }
        string(field.value)
    }

    private mutating func string(_ text: [UInt8]) {
        integer(text.count, prefix: 7, first: 0x00)
        bytes += text
    }

    /// RFC 7541, section 5.1.
    private mutating func integer(_ value: Int, prefix: Int, first: UInt8) {
        let limit = (1 << prefix) - 1
        guard value >= limit else { return bytes.append(first | UInt8(truncatingIfNeeded: value)) }
        bytes.append(first | UInt8(truncatingIfNeeded: limit))
        var rest = value - limit
        while rest >= 128 {
            bytes.append(UInt8(truncatingIfNeeded: rest & 127) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
