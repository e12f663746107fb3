/// The text form of durations: `20`, `0.5`, `500ms`, `30s`, `2m`, `1h`.
public enum DurationText {
    /// Returns the duration in a text; nil if it is malformed. Never negative; precise to a nanosecond.
    public static func parse(_ text: String) -> Duration? {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let nanosecondsOfUnit: Int64
        switch text[number.endIndex...].drop(while: { $0 == " " }) {
        case "ms": nanosecondsOfUnit = 1_000_000
        case "", "s": nanosecondsOfUnit = 1_000_000_000
        case "m": nanosecondsOfUnit = 60_000_000_000
        case "h": nanosecondsOfUnit = 3_600_000_000_000
        default: return nil
        }
        let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, (1...6).contains(first.count), let whole = Int64(first) else { return nil }
        var nanoseconds = whole * nanosecondsOfUnit
        if parts.count == 2 {
            guard (1...9).contains(parts[1].count), let fraction = Int64(parts[1]) else { return nil }
            var divisor: Int64 = 1
            for _ in 0..<parts[1].count { divisor *= 10 }
            // Split, because the product with the whole unit could overflow.
            nanoseconds += nanosecondsOfUnit / divisor * fraction + nanosecondsOfUnit % divisor * fraction / divisor
        }
        return .nanoseconds(nanoseconds)
    }

    /// Returns the shortest form that `parse` accepts. Fractions of a microsecond are dropped.
    static func show(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let microseconds = attoseconds / 1_000_000_000_000
        if microseconds == 0 {
            if seconds > 0, seconds % 3600 == 0 { return "\(seconds / 3600)h" }
            if seconds > 0, seconds % 60 == 0 { return "\(seconds / 60)m" }
            return "\(seconds)s"
        }
        if seconds == 0, microseconds % 1000 == 0 { return "\(microseconds / 1000)ms" }
        var fraction = String(String(1_000_000 + microseconds).dropFirst())
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return "\(seconds).\(fraction)s"
    }
}
