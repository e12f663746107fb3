/// Checks that bytes which come in pieces are UTF-8 (RFC 3629), byte by byte.
struct UTF8Check {
    /// How many bytes the character still needs.
    private var missing: UInt8 = 0
    /// What the next byte may be: the second byte is bounded by the first, against overlong forms, surrogates and
    /// numbers above U+10FFFF.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// Whether no character is half read.
    var isComplete: Bool { missing == 0 }

    /// False when the bytes so far are no UTF-8.
    mutating func accepts(_ byte: UInt8) -> Bool {
        guard missing == 0 else {
            guard lowest <= byte, byte <= highest else { return false }
            missing -= 1
            (lowest, highest) = (0x80, 0xBF)
            return true
        }
        switch byte {
        case 0..<0x80: return true
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, lowest) = (2, 0xA0)
        case 0xED: (missing, highest) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, lowest) = (3, 0x90)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, highest) = (3, 0x8F)
        default: return false
        }
        return true
    }
}
