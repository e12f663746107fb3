/// Writes families in Prometheus's text format, version 0.0.4: a line HELP, a line TYPE, and a line for each series.
struct PrometheusText {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ family: MetricFamily) {
        append("# HELP \(family.name) \(PrometheusText.escaped(family.help, quotes: false))\n")
        append("# TYPE \(family.name) \(family.kind.rawValue)\n")
        let all = family.series.map { (labels: PrometheusText.spelled($0.key), value: $0.value) }
        for (labels, value) in all.sorted(by: { $0.labels < $1.labels }) {
            switch value {
            case .number(let number): line(family.name, labels, PrometheusText.spelled(number))
            case .count(let count): line(family.name, labels, "\(count)")
            case .time(let nanoseconds): line(family.name, labels, PrometheusText.seconds(nanoseconds))
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
            line("\(name)_bucket", "\(before)le=\"\(PrometheusText.seconds(bucket.bound))\"", "\(sum)")
        }
        line("\(name)_bucket", "\(before)le=\"+Inf\"", "\(histogram.count)")
        line("\(name)_sum", labels, PrometheusText.seconds(histogram.sum))
        line("\(name)_count", labels, "\(histogram.count)")
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

    /// In help texts backslashes and line feeds are escaped, in values of labels double quotes as well.
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
