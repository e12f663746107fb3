/// A digest of SHA-256 as four numbers of eight bytes each, in network order.
public struct SHA256Words: Hashable, Sendable {
    /// Bytes 0 to 7.
    public let first: UInt64
    /// Bytes 8 to 15.
    public let second: UInt64
    /// Bytes 16 to 23.
    public let third: UInt64
    /// Bytes 24 to 31.
    public let fourth: UInt64

    /// Nil for other than 32 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self = bytes.withUnsafeBytes { SHA256Words(reading: $0) }
    }

    init(reading bytes: UnsafeRawBufferPointer) {
        func word(_ place: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        }
        (first, second, third, fourth) = (word(0), word(8), word(16), word(24))
    }

    /// The 32 bytes.
    public var bytes: [UInt8] {
        withUnsafeBytes(of: (first.bigEndian, second.bigEndian, third.bigEndian, fourth.bigEndian)) { Array($0) }
    }
}
