import Encodings

/// The `apns-id` of a push: the first twelve bytes of its broadcast's UUID and the device's slot number, big-endian,
/// as lower-case UUID text. Who knows broadcast and slot can name the push; nothing has to be stored.
public struct PushIdentifier: Hashable, Sendable {
    /// Bytes 0 to 7 and 8 to 11 of the broadcast's UUID.
    let high: UInt64
    let middle: UInt32

    /// How many characters a rendered identifier has, and how many of them come from the broadcast.
    static let textLength = 36
    static let prefixLength = 28

    /// - Parameter broadcast: the broadcast's UUID in 16 bytes, of which the last four are not used.
    public init?(broadcast: [UInt8]) {
        guard broadcast.count == 16 else { return nil }
        (high, middle) = broadcast.withUnsafeBytes {
            (
                UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
                UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
            )
        }
    }

    /// The identifier of the push to the device in `slot`.
    public func text(slot: UInt32) -> String {
        String(decoding: prefix, as: UTF8.self) + Hexadecimal.encode(PushIdentifier.bytes(of: slot))
    }

    /// The 28 characters that all pushes of the broadcast share; eight hex digits of the slot follow.
    public var prefix: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(PushIdentifier.prefixLength)
        func append(_ number: UInt32, digits range: Range<Int>) {
            withUnsafeBytes(of: Hexadecimal.digits(number).littleEndian) { text.append(contentsOf: $0[range]) }
        }
        let (first, second) = (UInt32(truncatingIfNeeded: high >> 32), UInt32(truncatingIfNeeded: high))
        append(first, digits: 0..<8)
        text.append(UInt8(ascii: "-"))
        append(second, digits: 0..<4)
        text.append(UInt8(ascii: "-"))
        append(second, digits: 4..<8)
        text.append(UInt8(ascii: "-"))
        append(middle, digits: 0..<4)
        text.append(UInt8(ascii: "-"))
        append(middle, digits: 4..<8)
        return text
    }

    private static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
