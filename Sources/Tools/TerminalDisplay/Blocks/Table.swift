/// Rows under a header, in aligned columns.
///
///     Broadcast    Pushes       Rate
///     ──────────────────────────────
///     start        20,000   12.3 k/s
public struct Table: Sendable {
    /// Where a column's cells begin.
    public enum Alignment: Sendable {
        case left
        /// For numbers.
        case right
    }

    /// A column's head, and how its cells stand.
    public struct Column: Sendable {
        /// What stands in the header.
        public var title: String
        /// How its cells stand.
        public var alignment: Alignment

        public init(_ title: String, _ alignment: Alignment = .left) {
            self.title = title
            self.alignment = alignment
        }
    }

    /// From the left.
    public var columns: [Column]
    /// A cell that is missing is empty, one too many is dropped.
    public private(set) var rows: [[String]] = []

    public init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row at the end.
    public mutating func add(_ cells: String...) { rows.append(cells) }

    /// Likewise.
    public mutating func add(_ cells: [String]) { rows.append(cells) }

    /// The lines, each with its newline. What doesn't fit is cut in the widest columns.
    public func render(_ style: TerminalStyle) -> String {
        guard !columns.isEmpty else { return "" }
        let unicode = style.usesUnicode
        let titles = columns.map { Columns.line($0.title, unicode: unicode) }
        let cells = rows.map { row in
            columns.indices.map { $0 < row.count ? Columns.line(row[$0], unicode: unicode) : "" }
        }
        let wanted = columns.indices.map { index in
            cells.reduce(Columns.width(titles[index])) { max($0, Columns.width($1[index])) }
        }
        let widths = Self.shrunk(wanted, to: style.width - Self.gap * (columns.count - 1))
        let rule = String(
            repeating: unicode ? "─" : "-", count: widths.reduce(Self.gap * (columns.count - 1), +))
        let header = Paint.bold.apply(line(titles, widths, unicode), style)
        let lines = [header, Paint.dim.apply(rule, style)] + cells.map { line($0, widths, unicode) }
        return lines.map { $0 + "\n" }.joined()
    }

    private static let gap = 3

    private func line(_ cells: [String], _ widths: [Int], _ unicode: Bool) -> String {
        var text = columns.indices.map { index in
            Columns.padded(
                Columns.cut(cells[index], to: widths[index], unicode: unicode), to: widths[index],
                right: columns[index].alignment == .right)
        }.joined(separator: String(repeating: " ", count: Self.gap))
        while text.hasSuffix(" ") { text.removeLast() }
        return text
    }

    /// Takes columns from the widest until the sum fits, but leaves each four.
    private static func shrunk(_ wanted: [Int], to limit: Int) -> [Int] {
        var widths = wanted
        while widths.reduce(0, +) > limit, let widest = widths.max(), widest > 4,
            let index = widths.firstIndex(of: widest)
        {
            widths[index] -= 1
        }
        return widths
    }
}
