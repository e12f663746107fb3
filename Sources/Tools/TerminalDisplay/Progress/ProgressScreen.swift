/// The lines of a progress display, and the output that shows them. Pure: time is an argument and text a result.
///
/// 1. The line of an ended step is written once, above the running steps.
/// 2. On a terminal, running steps are drawn at most once in `interval`. An end is drawn at once.
/// 3. Elsewhere, only ends and notes write a line each.
struct ProgressScreen {
    static let interval = Duration.milliseconds(100)
    /// The maximum number of drawn lines. Further ones are only counted, because scrolled lines cannot be redrawn.
    static let visibleLines = 12

    struct Line {
        let identifier: Int
        let label: String
        let total: Int?
        let begin: Duration
        var done = 0
    }

    var style: TerminalStyle
    let labelWidth: Int
    private var lines: [Line] = []
    private var nextIdentifier = 0
    private var drawnLines = 0
    private var lastDrawing: Duration?

    init(style: TerminalStyle, labelWidth: Int) {
        self.style = style
        self.labelWidth = labelWidth
    }

    mutating func began(_ label: String, total: Int?, now: Duration) -> (identifier: Int, output: String) {
        nextIdentifier += 1
        lines.append(Line(identifier: nextIdentifier, label: label, total: total, begin: now))
        return (nextIdentifier, drawing(now))
    }

    /// Ignores reports after the end of a line.
    mutating func advanced(_ identifier: Int, to done: Int, now: Duration) -> String {
        guard let index = lines.firstIndex(where: { $0.identifier == identifier }) else { return "" }
        lines[index].done = done
        return drawing(now)
    }

    mutating func advanced(_ identifier: Int, by count: Int, now: Duration) -> String {
        guard let line = lines.first(where: { $0.identifier == identifier }) else { return "" }
        return advanced(identifier, to: line.done.addingReportingOverflow(count).partialValue, now: now)
    }

    mutating func ended(_ identifier: Int, _ mark: Mark, remark: String?, now: Duration) -> String {
        guard let index = lines.firstIndex(where: { $0.identifier == identifier }) else { return "" }
        let line = lines.remove(at: index)
        return written(endLine(line, mark, remark, now), now)
    }

    mutating func noted(_ text: String, now: Duration) -> String {
        written(Columns.line(text, unicode: style.usesUnicode), now)
    }

    mutating func drawing(_ now: Duration) -> String {
        if let lastDrawing, now - lastDrawing < Self.interval { return "" }
        guard style.isInteractive else { return "" }
        return erasure() + drawn(now)
    }

    /// Writes a permanent line, and redraws the running steps below it.
    private mutating func written(_ text: String, _ now: Duration) -> String {
        guard style.isInteractive else { return text + "\n" }
        return erasure() + text + "\n" + drawn(now)
    }
}

extension ProgressScreen {
    /// Moves to the first drawn line and erases everything from there on (ECMA-48, CUU and ED).
    private mutating func erasure() -> String {
        defer { drawnLines = 0 }
        return drawnLines > 0 ? "\u{1B}[\(drawnLines)A\r\u{1B}[J" : ""
    }

    private mutating func drawn(_ now: Duration) -> String {
        lastDrawing = now
        let indentation = String(repeating: " ", count: Mark.width(style))
        var texts = lines.prefix(Self.visibleLines).map { line in
            let bar = ProgressBar(label: line.label, labelWidth: labelWidth, style: style)
            // The last column stays empty, because some terminals wrap after writing it.
            let width = style.width - indentation.count - 1
            return indentation
                + bar.render(done: line.done, total: line.total, elapsed: now - line.begin, width: width)
        }
        if lines.count > Self.visibleLines {
            texts.append("\(indentation)and \(Format.count(lines.count - Self.visibleLines)) more")
        }
        drawnLines = texts.count
        return texts.map { $0 + "\n" }.joined()
    }

    private func endLine(_ line: Line, _ mark: Mark, _ remark: String?, _ now: Duration) -> String {
        let unicode = style.usesUnicode
        let elapsed = now - line.begin
        let label = Columns.cut(Columns.line(line.label, unicode: unicode), to: labelWidth, unicode: unicode)
        var facts: [String] = []
        switch mark {
        case .passed: facts.append("\(Format.count(line.done)) in \(Format.duration(elapsed))")
        case .failed:
            let whole = line.total.map { " / \(Format.count($0))" } ?? ""
            facts.append("\(Format.count(line.done))\(whole) after \(Format.duration(elapsed))")
        }
        if line.total == 0 || line.done == 0, mark == .passed { facts = [Format.duration(elapsed)] }
        let seconds = elapsed / .seconds(1)
        if mark == .passed, line.done > 1, seconds > 0.001 { facts.append(Format.rate(Double(line.done) / seconds)) }
        if let remark { facts.append(remark) }
        let text = facts.map { Columns.line($0, unicode: unicode) }.joined(separator: "   ")
        let room = style.width - Mark.width(style) - labelWidth - 2
        // A long reason is kept where it cannot break the drawing.
        let fitting = style.isInteractive ? Columns.cut(text, to: room, unicode: unicode) : text
        return "\(mark.painted(style)) \(Columns.padded(label, to: labelWidth)) \(fitting)"
    }
}
