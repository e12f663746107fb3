/// Formats numbers for people: three significant digits, a space before the unit, and no locale.
public enum Format {
    /// Returns untrusted text as a single line without terminal control sequences.
    public static func line(_ text: String) -> String { Columns.line(text, unicode: true) }

    /// Formats a count, for example `10,240`.
    public static func count(_ value: Int) -> String {
        let digits = Array(String(value.magnitude))
        var text = value < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// Formats a rate per second, for example `850 /s`, `12.3 k/s` or `1.25 M/s`. Returns `-` for invalid numbers.
    public static func rate(_ perSecond: Double) -> String {
        guard perSecond.isFinite, perSecond >= 0 else { return "-" }
        return scaled(perSecond, step: 1000, [" /s", " k/s", " M/s", " G/s"])
    }

    /// Formats a duration, for example `850 ns`, `12.3 ms`, `1.25 s`, `2:05 min` or `1:02:05 h`. Negative ones are
    /// zero.
    public static func duration(_ duration: Duration) -> String {
        let nanoseconds = max(0, nanoseconds(duration))
        if nanoseconds == 0 { return "0 s" }
        // Durations from 59.95 s on would be rounded to 60.0 s.
        if nanoseconds < 59.95e9 { return scaled(nanoseconds, step: 1000, [" ns", " µs", " ms", " s"]) }
        return clock(duration) + (seconds(duration) < 3600 ? " min" : " h")
    }

    /// Formats minutes and seconds, rounded to the nearest second: `0:01`, `2:05`, `1:02:05`.
    public static func clock(_ duration: Duration) -> String {
        let total = seconds(duration)
        let (hours, minutes, seconds) = (total / 3600, total / 60 % 60, total % 60)
        return hours > 0 ? "\(count(hours)):\(two(minutes)):\(two(seconds))" : "\(minutes):\(two(seconds))"
    }

    /// Formats a size, for example `512 B`, `1.50 KiB` or `2.00 MiB`.
    public static func bytes(_ value: Int) -> String {
        guard value > -1024, value < 1024 else {
            let sign = value < 0 ? "-" : ""
            return sign + scaled(Double(value.magnitude), step: 1024, [" B", " KiB", " MiB", " GiB", " TiB"])
        }
        return "\(count(value)) B"
    }

    /// Formats a whole percentage, for example `51%`. Rounds down so that only completion is 100%. Returns `-` for no
    /// whole.
    public static func percent(_ part: Int, of whole: Int) -> String {
        guard whole > 0 else { return "-" }
        let share = Double(max(0, min(part, whole))) / Double(whole)
        return part >= whole ? "100%" : "\(min(99, Int(share * 100)))%"
    }

    /// Scales to the largest unit that leaves at least one digit before the point.
    private static func scaled(_ value: Double, step: Double, _ units: [String]) -> String {
        var (value, unit) = (value, 0)
        // Values that would be rounded up to the next unit use that unit.
        while unit + 1 < units.count, value >= step - 0.5 {
            value /= step
            unit += 1
        }
        if unit == 0, value == value.rounded() { return count(Int(value)) + units[unit] }
        return threeDigits(value) + units[unit]
    }

    private static func threeDigits(_ value: Double) -> String {
        if value < 9.995 { return fixed(value, decimals: 2) }
        if value < 99.95 { return fixed(value, decimals: 1) }
        return value < 1e15 ? count(Int(value.rounded())) : "\(value)"
    }

    private static func fixed(_ value: Double, decimals: Int) -> String {
        let unit = decimals == 1 ? 10 : 100
        let rounded = Int((value * Double(unit)).rounded())
        let fraction = String(String(unit + rounded % unit).dropFirst())
        return "\(rounded / unit).\(fraction)"
    }

    private static func nanoseconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
    }

    private static func seconds(_ duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        return Int(max(0, min(seconds, 1 << 52) + (attoseconds >= 500_000_000_000_000_000 ? 1 : 0)))
    }

    private static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
