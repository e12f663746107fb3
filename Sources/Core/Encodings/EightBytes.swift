/// Eight bytes that are compared in parallel. Each result has the top bit of every matching byte. The lowest match is
/// exact, but a borrow out of it may mark higher bytes. Read the word as little-endian.
public struct EightBytes {
    @usableFromInline let word: UInt64

    @usableFromInline static let ones: UInt64 = 0x0101_0101_0101_0101
    @usableFromInline static let topBits: UInt64 = 0x8080_8080_8080_8080

    /// The eight bytes of a word.
    @inlinable @inline(__always)
    public init(_ word: UInt64) { self.word = word }

    /// Marks the bytes below a bound of at most 0x80.
    @inlinable @inline(__always)
    public func marks(below bound: UInt8) -> UInt64 {
        (word &- EightBytes.ones &* UInt64(bound)) & ~word & EightBytes.topBits
    }

    /// Marks the bytes equal to `byte`.
    @inlinable @inline(__always)
    public func marks(of byte: UInt8) -> UInt64 {
        let differences = word ^ EightBytes.ones &* UInt64(byte)
        return (differences &- EightBytes.ones) & ~differences & EightBytes.topBits
    }

    /// Marks the bytes outside ASCII.
    @inlinable @inline(__always)
    public var marksBeyondASCII: UInt64 { word & EightBytes.topBits }

    /// True if any byte of a text is marked.
    /// - Parameter marks: Must not mark blanks, which pad the last word.
    @inlinable @inline(__always)
    public static func areMarked(
        in text: UnsafeBufferPointer<UInt8>, _ marks: (EightBytes) -> UInt64
    ) -> Bool {
        let raw = UnsafeRawBufferPointer(text)
        var index = 0
        while index + 8 <= raw.count {
            if marks(EightBytes(raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))) != 0 { return true }
            index += 8
        }
        var rest = ones &* UInt64(UInt8(ascii: " "))
        while index < raw.count {
            rest = rest << 8 | UInt64(raw[index])
            index += 1
        }
        return marks(EightBytes(rest)) != 0
    }
}
