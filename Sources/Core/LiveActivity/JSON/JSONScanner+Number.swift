extension JSONScanner {
    /// Goes past a number (RFC 8259, section 6) that starts at the current position with a minus or a digit.
    mutating func skipNumber(_ text: Span<UInt8>) throws(JSONSyntaxError) {
        if text[position] == UInt8(ascii: "-") { position += 1 }
        let integer = position
        try skipDigits(text)
        if text[integer] == UInt8(ascii: "0"), position - integer > 1 { throw failure(.leadingZero, at: integer) }

        if position < text.count, text[position] == UInt8(ascii: ".") {
            position += 1
            try skipDigits(text)
        }
        if position < text.count, text[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            let sign = try byte(text)
            if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position += 1 }
            try skipDigits(text)
        }
    }

    /// At least one digit, and all that follow.
    private mutating func skipDigits(_ text: Span<UInt8>) throws(JSONSyntaxError) {
        guard Self.isDigit(try byte(text)) else { throw failure(.expectedDigit) }
        repeat { position += 1 } while position < text.count && Self.isDigit(text[position])
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }
}
