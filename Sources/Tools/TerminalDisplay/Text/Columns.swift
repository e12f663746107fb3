/// Measures and formats single lines of text in terminal columns.
enum Columns {
    /// Replaces control characters by spaces. Without `unicode`, similar ASCII text replaces other characters.
    static func line(_ text: String, unicode: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if isControl(scalar) {
                result.append(" ")
            } else if unicode || scalar.isASCII {
                result.unicodeScalars.append(scalar)
            } else {
                result.append(replacement(scalar))
            }
        }
        return result
    }

    static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    /// Returns a prefix that fits, with an ellipsis if the text was cut.
    static func cut(_ text: String, to limit: Int, unicode: Bool) -> String {
        guard width(text) > limit else { return text }
        let ellipsis = unicode ? "…" : "..."
        guard limit > ellipsis.count else { return String(ellipsis.prefix(max(0, limit))) }
        var result = ""
        var used = ellipsis.count
        for character in text {
            used += width(character)
            if used > limit { break }
            result.append(character)
        }
        return result + ellipsis
    }

    static func padded(_ text: String, to columns: Int, right: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, columns - width(text)))
        return right ? space + text : text + space
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Controls, line separators and marks that change the writing direction.
        case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private static func replacement(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "µ", "μ": "u"
        case "…": "..."
        case "–", "—", "─": "-"
        case "×": "x"
        case "→": "->"
        case "·": "."
        default: "?"
        }
    }

    /// Returns two columns for East Asian wide characters and emoji (Unicode Standard Annex 11).
    private static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default:
            return 1
        }
    }
}
