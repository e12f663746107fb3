/// Writes families: a line HELP, a line TYPE, and a line for each series. In OpenMetrics a counter's family has not the
/// ending `_total` that its series have, bounds of buckets are fractions, and the page has an end.
struct MetricText {
    private let format: MetricFormat
    private var bytes: [UInt8] = []

    init(_ format: MetricFormat) {
        self.format = format
    }

    /// The page, to which nothing is added any more.
    consuming func finish() -> [UInt8] {
        if format == .openMetrics { append("# EOF\n") }
        return bytes
    }

    mutating func write(_ family: MetricFamily) {
        let isShortened = format == .openMetrics && family.kind == .counter
        let name = isShortened ? MetricText.withoutTotal(family.name) : family.name
        append("# HELP \(name) \(MetricText.escaped(family.help, quotes: format == .openMetrics))\n")
        append("# TYPE \(name) \(family.kind.rawValue)\n")
        let all = family.series.map { (labels: MetricText.spelled($0.key), value: $0.value) }
        for (labels, value) in all.sorted(by: { $0.labels < $1.labels }) {
            switch value {
            case .number(let number): line(family.name, labels, MetricText.spelled(number))
            case .count(let count): line(family.name, labels, "\(count)")
            case .time(let nanoseconds): line(family.name, labels, MetricText.seconds(nanoseconds))
            case .histogram(let histogram): write(histogram, family.name, labels)
            }
        }
    }

    /// Buckets count all that is not longer than their bound.
    private mutating func write(_ histogram: HistogramSnapshot, _ name: String, _ labels: String) {
        let before = labels.isEmpty ? "" : "\(labels),"
        var sum: UInt64 = 0
        for bucket in histogram.buckets {
            sum &+= bucket.count
            line("\(name)_bucket", "\(before)le=\"\(bound(bucket.bound))\"", "\(sum)")
        }
        line("\(name)_bucket", "\(before)le=\"+Inf\"", "\(histogram.count)")
        line("\(name)_sum", labels, MetricText.seconds(histogram.sum))
        line("\(name)_count", labels, "\(histogram.count)")
    }

    private func bound(_ nanoseconds: UInt64) -> String {
        let text = MetricText.seconds(nanoseconds)
        return format == .openMetrics && !text.contains(".") ? "\(text).0" : text
    }

    private static func withoutTotal(_ name: String) -> String {
        name.hasSuffix("_total") ? String(name.dropLast("_total".count)) : name
    }

    private mutating func line(_ name: String, _ labels: String, _ value: String) {
        append(labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n")
    }

    private mutating func append(_ text: String) {
        bytes += text.utf8
    }

    private static func spelled(_ labels: [MetricFamily.Label]) -> String {
        labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }.joined(separator: ",")
    }

    private static func spelled(_ number: Double) -> String {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number < 0 ? "-Inf" : "+Inf" }
        return number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
    }

    /// Nanoseconds as seconds, to the last digit.
    static func seconds(_ nanoseconds: UInt64) -> String {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        guard rest > 0 else { return "\(whole)" }
        var digits = Array("\(1_000_000_000 + rest)".dropFirst())
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(String(digits))"
    }

    /// Backslashes and line feeds are escaped, in values of labels, and in OpenMetrics everywhere, double quotes as
    /// well.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
