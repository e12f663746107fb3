/// Checks byte by byte that input in pieces is UTF-8 (RFC 3629).
struct UTF8Check {
    /// The number of bytes that the character still lacks.
    private var missing: UInt8 = 0
    /// The range of the next byte. The first byte restricts the second, against overlong forms, surrogates and code
    /// points above U+10FFFF.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// True if no character is incomplete.
    var isComplete: Bool { missing == 0 }

    /// Returns false if the bytes so far are not UTF-8.
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
