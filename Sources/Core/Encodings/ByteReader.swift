/// Decodes stored records. Every read is checked, so a damaged record gives nil and never a trap.
package struct ByteReader {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    package init(_ bytes: some Collection<UInt8>) {
        self.bytes = ArraySlice(bytes)
        index = self.bytes.startIndex
    }

    package var isAtEnd: Bool { index >= bytes.endIndex }

    package mutating func byte() -> UInt8? {
        guard index < bytes.endIndex else { return nil }
        defer { index += 1 }
        return bytes[index]
    }

    /// Reads a little-endian integer with as many bytes as the type has.
    package mutating func integer<Value: FixedWidthInteger & UnsignedInteger>(_ type: Value.Type) -> Value? {
        integer(bytes: Value.bitWidth / 8).map { Value(truncatingIfNeeded: $0) }
    }

    package mutating func integer(bytes count: Int) -> UInt64? {
        guard let part = take(count) else { return nil }
        return part.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    package mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, bytes.endIndex - index >= count else { return nil }
        defer { index += count }
        return bytes[index..<(index + count)]
    }

    package mutating func rest() -> ArraySlice<UInt8> {
        defer { index = bytes.endIndex }
        return bytes[index...]
    }
}

extension [UInt8] {
    package mutating func append(littleEndian value: some FixedWidthInteger, bytes count: Int) {
        for index in 0..<count { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }
}
