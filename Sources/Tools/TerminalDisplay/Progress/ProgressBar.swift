/// A line with the progress of a step. A pure value: the same arguments give the same text.
///
///     register   ███████████▌          10,240 / 20,000   51%   12,300/s   0:01 left
public struct ProgressBar: Sendable {
    /// The name of the step, cut to the column's width.
    public var label: String
    /// The width of the label's column. Equal widths align bars in consecutive lines.
    public var labelWidth: Int
    /// The capabilities of the output.
    public var style: TerminalStyle

    /// - Parameters:
    ///   - label: The text before the bar.
    ///   - labelWidth: The width of the label's column.
    public init(label: String, labelWidth: Int = 10, style: TerminalStyle) {
        self.label = label
        self.labelWidth = max(1, labelWidth)
        self.style = style
    }

    /// Renders the line without a newline and at most `width` columns wide. In a narrow width it omits first the time
    /// left, then the rate, then the count.
    ///
    /// - Parameters:
    ///   - total: The expected number; nil if unknown. A moving block then replaces the bar.
    ///   - elapsed: The time since the beginning. The rate is the average over this time.
    public func render(done: Int, total: Int?, elapsed: Duration, width: Int) -> String {
        // Negative numbers are treated as zero.
        let (done, total) = (max(0, done), total.map { max(0, $0) })
        let name = Columns.cut(
            Columns.line(label, unicode: style.usesUnicode), to: labelWidth,
            unicode: style.usesUnicode)
        let head = Columns.padded(name, to: labelWidth) + " "
        let figures = figures(done: done, total: total, elapsed: elapsed)
        for kept in stride(from: figures.count, through: 0, by: -1) {
            let tail = figures.filter { $0.rank < kept }.map(\.text).joined()
            let room = width - Columns.width(head) - Columns.width(tail)
            guard room >= Self.narrowest else { continue }
            let bar = gauge(done: done, total: total, elapsed: elapsed, cells: min(room, Self.widest))
            return head + bar + Paint.dim.apply(tail, style)
        }
        return Columns.cut(head, to: max(0, width), unicode: style.usesUnicode)
    }
}

extension ProgressBar {
    private static let narrowest = 6
    private static let widest = 22

    /// Returns the columns after the bar in display order, each with a leading gap. Higher ranks are omitted first.
    private func figures(done: Int, total: Int?, elapsed: Duration) -> [(text: String, rank: Int)] {
        let perSecond = Self.rate(done, elapsed)
        let rate = "\(Format.count(perSecond.map { Int($0.rounded()) } ?? 0))/s"
        let rateColumn = Columns.padded(rate, to: 11, right: true)
        guard let total else {
            let count = Columns.padded(Format.count(done), to: 12, right: true)
            return [(count, 0), (rateColumn, 1), ("   \(Format.clock(elapsed))", 2)]
        }
        let whole = Format.count(total)
        let part = Columns.padded(Format.count(done), to: whole.count, right: true)
        let percent = Columns.padded(Format.percent(done, of: total), to: 6, right: true)
        let time = timeLeft(total - done, perSecond, elapsed)
        return [("   \(part) / \(whole)", 1), (percent, 0), (rateColumn, 2), ("   \(time)", 3)]
    }

    private func timeLeft(_ missing: Int, _ perSecond: Double?, _ elapsed: Duration) -> String {
        if missing <= 0 { return Format.clock(elapsed) }
        guard let perSecond, perSecond > 0 else { return "-:--" }
        let seconds = Double(missing) / perSecond
        return seconds < 360_000 ? "\(Format.clock(.seconds(seconds.rounded(.up)))) left" : "days left"
    }

    /// Returns nil if the elapsed time is too short for a rate.
    private static func rate(_ done: Int, _ elapsed: Duration) -> Double? {
        let seconds = elapsed / .seconds(1)
        return seconds > 0.001 ? min(Double(done) / seconds, 1e12) : nil
    }

    private func gauge(done: Int, total: Int?, elapsed: Duration, cells: Int) -> String {
        // The brackets of an ASCII bar take one column each.
        let inner = style.usesUnicode ? cells : cells - 2
        let (filled, rest): (String, String)
        if let total {
            let share = total > 0 ? min(1, Double(done) / Double(total)) : 1
            filled = blocks(share, inner)
            rest = String(repeating: " ", count: max(0, inner - filled.count))
        } else {
            return wandering(elapsed, inner)
        }
        let painted = Paint.cyan.apply(filled, style)
        return style.usesUnicode ? painted + rest : "[\(painted)\(rest)]"
    }

    private func blocks(_ share: Double, _ cells: Int) -> String {
        guard style.usesUnicode else { return String(repeating: "#", count: Int(share * Double(cells))) }
        let eighths = Int(share * Double(cells * 8))
        let partial = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        return String(repeating: "█", count: eighths / 8) + partial
    }

    /// Renders a block of three cells that moves back and forth by a cell each tenth of a second.
    private func wandering(_ elapsed: Duration, _ cells: Int) -> String {
        let span = cells - 3
        let step = Int(min(max(0, elapsed / .milliseconds(100)), 1e12)) % max(1, span * 2)
        let position = step <= span ? step : span * 2 - step
        let block = Paint.cyan.apply(String(repeating: style.usesUnicode ? "█" : "#", count: 3), style)
        let text = String(repeating: " ", count: position) + block + String(repeating: " ", count: span - position)
        return style.usesUnicode ? text : "[\(text)]"
    }
}
