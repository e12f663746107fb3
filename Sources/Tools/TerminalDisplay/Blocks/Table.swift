/// Rows under a header, in aligned columns.
///
///     Broadcast    Pushes       Rate
///     ──────────────────────────────
///     start        20,000   12.3 k/s
public struct Table: Sendable {
    /// The alignment of a column's cells.
    public enum Alignment: Sendable {
        case left
        case right
    }

    /// A column's title and alignment.
    public struct Column: Sendable {
        /// The text in the header.
        public var title: String
        /// The alignment of the cells.
        public var alignment: Alignment

        public init(_ title: String, _ alignment: Alignment = .left) {
            self.title = title
            self.alignment = alignment
        }
    }

    /// The columns from left to right.
    public var columns: [Column]
    /// The rows. Missing cells are rendered empty; excess cells are dropped.
    public private(set) var rows: [[String]] = []

    public init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row at the end.
    public mutating func add(_ cells: String...) { rows.append(cells) }

    /// Adds a row at the end.
    public mutating func add(_ cells: [String]) { rows.append(cells) }

    /// Renders the lines with a newline after each. If they are too wide, cells in the widest columns are cut.
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

    /// Shrinks the widest columns until the sum fits, but none below four.
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
