/// A titled box of results.
///
///     ╭─ Demo ────────────────────────╮
///     │   devices    20,000           │
///     │ ✓ start      20,000 accepted  │
///     ╰───────────────────────────────╯
public struct Summary: Sendable {
    private enum Line: Sendable {
        case value(label: String, value: String, mark: Mark?)
        case gap
    }

    private let title: String
    private var lines: [Line] = []
    /// True if every check passed, or there were none.
    public private(set) var allPassed = true

    public init(_ title: String) {
        self.title = title
    }

    /// Adds a line without a mark.
    public mutating func add(_ label: String, _ value: String) {
        lines.append(.value(label: label, value: value, mark: nil))
    }

    /// Adds a line with a mark for passed or failed.
    public mutating func check(_ label: String, _ value: String, passed: Bool) {
        allPassed = allPassed && passed
        lines.append(.value(label: label, value: value, mark: passed ? .passed : .failed))
    }

    /// Adds an empty line.
    public mutating func addGap() { lines.append(.gap) }

    /// Renders the box, one newline after each line. Its width is that of the content, at most that of the terminal.
    public func render(_ style: TerminalStyle) -> String {
        let unicode = style.usesUnicode
        let frame = Frame(unicode: unicode)
        // Frame and space on both sides.
        let limit = style.width - 4
        let indentation = Mark.width(style)
        let labels = min(labelWidth(unicode), max(4, (limit - indentation) / 2))
        let texts = lines.map { text($0, labels: labels, limit: limit, style) }
        let name = Columns.cut(Columns.line(title, unicode: unicode), to: limit - 2, unicode: unicode)
        let inner = texts.reduce(Columns.width(name) + 2) { max($0, $1.width) }
        let dashes = String(repeating: frame.horizontal, count: inner - Columns.width(name) - 1)
        func dim(_ text: String) -> String { Paint.dim.apply(text, style) }
        var result = dim(frame.topLeft + frame.horizontal) + " " + Paint.bold.apply(name, style) + " "
        result += dim(dashes + frame.topRight) + "\n"
        for text in texts {
            let space = String(repeating: " ", count: inner - text.width)
            result += dim(frame.vertical) + " \(text.painted)\(space) " + dim(frame.vertical) + "\n"
        }
        let bottom = String(repeating: frame.horizontal, count: inner + 2)
        return result + dim(frame.bottomLeft + bottom + frame.bottomRight) + "\n"
    }
}

extension Summary {
    private struct Frame {
        let horizontal, vertical, topLeft, topRight, bottomLeft, bottomRight: String

        init(unicode: Bool) {
            horizontal = unicode ? "─" : "-"
            vertical = unicode ? "│" : "|"
            topLeft = unicode ? "╭" : "+"
            topRight = unicode ? "╮" : "+"
            bottomLeft = unicode ? "╰" : "+"
            bottomRight = unicode ? "╯" : "+"
        }
    }

    private func labelWidth(_ unicode: Bool) -> Int {
        lines.reduce(0) { widest, line in
            guard case .value(let label, _, _) = line else { return widest }
            return max(widest, Columns.width(Columns.line(label, unicode: unicode)))
        }
    }

    /// Returns a line with colors, and its width without them.
    private func text(
        _ line: Line, labels: Int, limit: Int, _ style: TerminalStyle
    ) -> (painted: String, width: Int) {
        guard case .value(let label, let value, let mark) = line else { return ("", 0) }
        let unicode = style.usesUnicode
        let indentation = Mark.width(style)
        let name = Columns.cut(Columns.line(label, unicode: unicode), to: labels, unicode: unicode)
        let room = limit - indentation - labels - 3
        let content = Columns.cut(Columns.line(value, unicode: unicode), to: room, unicode: unicode)
        let plain = "\(Columns.padded(name, to: labels))   \(content)"
        let start = mark.map { $0.painted(style) + " " } ?? String(repeating: " ", count: indentation)
        return (start + plain, indentation + Columns.width(plain))
    }
}
