/// Hexadecimal text to bytes and back.
public enum Hexadecimal {
    /// The value of one digit of either case.
    static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    static func append(_ byte: UInt8, to text: inout [UInt8]) {
        let digits: StaticString = "0123456789abcdef"
        text.append(digits.utf8Start[Int(byte >> 4)])
        text.append(digits.utf8Start[Int(byte & 15)])
    }

    /// The bytes of an even number of digits; nil when a character is no digit or one is left over.
    public static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var half: UInt8?
        for digit in text {
            guard let value = value(of: digit) else { return nil }
            if let first = half {
                bytes.append(first << 4 | value)
                half = nil
            } else {
                half = value
            }
        }
        return half == nil ? bytes : nil
    }

    /// In lower case.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes { append(byte, to: &text) }
        return String(decoding: text, as: UTF8.self)
    }
}
