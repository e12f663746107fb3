extension StaticString {
    /// Its UTF-8, which has no count of references, and so nothing that threads would contend for.
    @inlinable
    public var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}

extension [UInt8] {
    /// Appends a number in decimal, without making a text of it.
    public mutating func appendDecimal(_ number: Int) {
        guard number >= 0 else { return append(contentsOf: number.description.utf8) }
        if number >= 10 { appendDecimal(number / 10) }
        append(UInt8(ascii: "0") + UInt8(number % 10))
    }
}
