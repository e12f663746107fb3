import Encodings

extension JSONScanner {
    /// Skips a string (RFC 8259, section 7) that begins at the current position. Returns true if it has escapes.
    mutating func skipString(_ text: Span<UInt8>) throws(JSONSyntaxError) -> Bool {
        position += 1
        var hasEscapes = false
        while true {
            skipPlainBytes(text)
            switch try byte(text) {
            case UInt8(ascii: "\""):
                position += 1
                return hasEscapes
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try skipEscape(text)
            case 0x80...:
                try skipMultibyteCharacters(text)
            default:
                throw failure(.controlCharacter)
            }
        }
    }

    /// Skips to the next special byte: a quote, a backslash, a control character, or one outside ASCII. Processes eight
    /// bytes at a time while possible.
    private mutating func skipPlainBytes(_ text: Span<UInt8>) {
        let raw = text.bytes
        while position <= text.count - 8 {
            // In bounds by the loop's condition, and any eight bytes are a valid integer.
            let word = UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
            let marks = Self.marksOfSpecialBytes(in: EightBytes(word))
            if marks != 0 {
                position += marks.trailingZeroBitCount / 8
                return
            }
            position += 8
        }
        while position < text.count, Self.isPlain(text[position]) { position += 1 }
    }

    private static func marksOfSpecialBytes(in bytes: EightBytes) -> UInt64 {
        bytes.marks(below: 0x20) | bytes.marks(of: UInt8(ascii: "\"")) | bytes.marks(of: UInt8(ascii: "\\"))
            | bytes.marksBeyondASCII
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func skipEscape(_ text: Span<UInt8>) throws(JSONSyntaxError) {
        let backslash = position
        position += 1
        switch try byte(text) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            position += 1
            try skipUnicodeEscape(text, backslash: backslash)
        default:
            throw failure(.invalidEscape, at: backslash)
        }
    }

    /// Skips the digits of a `\u` escape, and the whole second escape of a surrogate pair.
    private mutating func skipUnicodeEscape(_ text: Span<UInt8>, backslash: Int) throws(JSONSyntaxError) {
        switch try skipHexDigits(text, backslash: backslash) {
        case 0xD800...0xDBFF:
            let second = position
            guard try byte(text) == UInt8(ascii: "\\") else { throw failure(.loneSurrogate, at: backslash) }
            position += 1
            guard try byte(text) == UInt8(ascii: "u") else { throw failure(.loneSurrogate, at: backslash) }
            position += 1
            let unit = try skipHexDigits(text, backslash: second)
            guard (0xDC00...0xDFFF).contains(unit) else { throw failure(.loneSurrogate, at: backslash) }
        case 0xDC00...0xDFFF:
            throw failure(.loneSurrogate, at: backslash)
        default:
            break
        }
    }

    private mutating func skipHexDigits(_ text: Span<UInt8>, backslash: Int) throws(JSONSyntaxError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Hexadecimal.value(of: try byte(text)) else {
                throw failure(.invalidUnicodeEscape, at: backslash)
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    /// Skips a run of non-ASCII characters.
    private mutating func skipMultibyteCharacters(_ text: Span<UInt8>) throws(JSONSyntaxError) {
        repeat {
            guard let length = Self.lengthOfMultibyteCharacter(text, at: position) else {
                throw failure(.invalidUTF8)
            }
            position += length
        } while position < text.count && text[position] >= 0x80
    }

    /// The length of a UTF-8 sequence in bytes (RFC 3629, section 4); nil if it is invalid. The second byte's range
    /// excludes overlong forms, surrogates, and all above U+10FFFF.
    private static func lengthOfMultibyteCharacter(_ text: Span<UInt8>, at start: Int) -> Int? {
        let length: Int
        let second: ClosedRange<UInt8>
        switch text[start] {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard start + length <= text.count, second.contains(text[start + 1]) else { return nil }
        for index in start + 2..<start + length where text[index] & 0xC0 != 0x80 { return nil }
        return length
    }
}
