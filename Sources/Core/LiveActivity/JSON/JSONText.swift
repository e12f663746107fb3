import Encodings

/// The escapes of strings in JSON (RFC 8259, section 7), in both directions.
enum JSONText {
    /// The UTF-8 of a string that the scanner has accepted, without its quotes.
    static func unescaped(_ content: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(content.count)
        var rest = content
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                result.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "u"): result.append(contentsOf: UTF8.encode(popScalar(&rest)) ?? .init())
            default: result.append(escape)
            }
        }
        return result
    }

    /// Decodes a `\u` escape, or two that are a surrogate pair, from the first digit.
    private static func popScalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar {
        let unit = popUnit(&rest)
        guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) ?? "\u{FFFD}" }
        rest = rest.dropFirst(2)
        let trail = popUnit(&rest)
        let code = 0x1_0000 + (UInt32(unit) & 0x3FF) << 10 + UInt32(trail) & 0x3FF
        return Unicode.Scalar(code) ?? "\u{FFFD}"
    }

    private static func popUnit(_ rest: inout ArraySlice<UInt8>) -> UInt16 {
        let digits = rest.prefix(4)
        rest = rest.dropFirst(4)
        return digits.reduce(0) { $0 << 4 | UInt16(Hexadecimal.value(of: $1) ?? 0) }
    }

    /// Appends the string in quotes, with the minimum of escapes.
    static func appendQuoted(_ string: String, to output: inout [UInt8]) {
        var string = string
        output.append(UInt8(ascii: "\""))
        string.withUTF8 { appendEscaped($0, to: &output) }
        output.append(UInt8(ascii: "\""))
    }

    /// Escapes a text. Copies plain runs whole.
    private static func appendEscaped(_ text: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        guard hasEscapes(text) else { return output.append(contentsOf: text) }
        var start = 0
        for index in text.indices where mustBeEscaped(text[index]) {
            output.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
            start = index + 1
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                output.append(UInt8(ascii: "\\"))
                output.append(byte)
            case 0x08: output += "\\b".utf8
            case 0x0C: output += "\\f".utf8
            case 0x0A: output += "\\n".utf8
            case 0x0D: output += "\\r".utf8
            case 0x09: output += "\\t".utf8
            case 0..<0x10: output += "\\u000\(String(byte, radix: 16))".utf8
            default: output += "\\u00\(String(byte, radix: 16))".utf8
            }
        }
        output.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
    }

    private static func hasEscapes(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        EightBytes.areMarked(in: text) {
            $0.marks(below: 0x20) | $0.marks(of: UInt8(ascii: "\"")) | $0.marks(of: UInt8(ascii: "\\"))
        }
    }

    private static func mustBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }
}
