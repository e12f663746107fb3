/// The colors and styles of text (ECMA-48, SGR).
enum Paint: String {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case cyan = "36"

    func apply(_ text: String, _ style: TerminalStyle) -> String {
        style.usesColor && !text.isEmpty ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}

/// The mark before a line.
enum Mark {
    case passed, failed

    func text(_ style: TerminalStyle) -> String {
        switch (self, style.usesUnicode) {
        case (.passed, true): "✓"
        case (.failed, true): "✗"
        case (.passed, false): "ok"
        case (.failed, false): "!!"
        }
    }

    func painted(_ style: TerminalStyle) -> String {
        (self == .passed ? Paint.green : Paint.red).apply(text(style), style)
    }

    /// The width of a mark with its space. Lines without a mark are indented by it.
    static func width(_ style: TerminalStyle) -> Int { style.usesUnicode ? 2 : 3 }
}
