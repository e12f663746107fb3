/// Bytes as lower-case hex digits.
public enum Hexadecimal {
    @inline(__always)
    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }

    /// The lowest `count` hex digits of `value`, highest first.
    public static func digits(of value: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { digit(UInt8(truncatingIfNeeded: value >> (UInt64(count - 1 - $0) * 4)) & 15) }
    }

    /// Writes two digits for each byte of `source`; `target` must have room for them.
    public static func write(_ source: UnsafeRawBufferPointer, to target: UnsafeMutablePointer<UInt8>) {
        var target = target
        for byte in source {
            target[0] = digit(byte >> 4)
            target[1] = digit(byte & 15)
            target += 2
        }
    }

    /// Writes the eight digits of `value`, highest first.
    public static func write(_ value: UInt32, to target: UnsafeMutablePointer<UInt8>) {
        for index in 0..<8 {
            target[index] = digit(UInt8(truncatingIfNeeded: value >> UInt32(28 - index * 4)) & 15)
        }
    }
}
