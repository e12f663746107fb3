/// The header field `Retry-After`: seconds, or a date (RFC 9110, section 10.2.3).
public enum RetryAfter {
    /// The time to wait from now on; nil for what is neither seconds nor a date. Zero for a date that has passed.
    /// - Parameter sentAt: the `Date` of the answer. A date counts from it where it is one, because the clocks of two
    ///   machines differ.
    public static func parse(_ text: String, sentAt: String? = nil, now: WallTime) -> TimeInterval? {
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return .seconds(Int(text) ?? .max)
        }
        guard let date = date(text) else { return nil }
        let start = sentAt.flatMap { self.date($0) } ?? now
        return .milliseconds(Int(clamping: max(0, date.milliseconds - start.milliseconds)))
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The one form of dates that servers still send: `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func date(_ text: String) -> WallTime? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT", parts[1].count == 2, parts[3].count == 4,
            let month = months.firstIndex(of: String(parts[2]))
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return WallTime(rfc3339: "\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
    }
}
