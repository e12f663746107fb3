import Foundation

/// The header `Retry-After`.
enum RetryAfter {
    /// - Parameter now: what a date is compared with.
    /// - Returns: seconds, 0 at least; nil when the text is neither a number of seconds nor a date.
    static func seconds(_ text: String, now: Date) -> TimeInterval? {
        let text = text.trimmingCharacters(in: .whitespaces)
        if let seconds = UInt32(text) { return TimeInterval(seconds) }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return format.date(from: text).map { max(0, $0.timeIntervalSince(now)) }
    }
}
