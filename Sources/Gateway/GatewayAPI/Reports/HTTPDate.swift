import Glibc
import TimeCore

/// The value of a Date field (RFC 9110, section 5.6.7), made once a second.
struct HTTPDate {
    private var second = Int64.min
    private var text: [UInt8] = []

    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    mutating func append(to bytes: inout [UInt8], at time: WallTime) {
        if time.seconds != second {
            second = time.seconds
            text = Array(HTTPDate.format(second).utf8)
        }
        bytes += text
    }

    private static func format(_ second: Int64) -> String {
        var time = time_t(second)
        var parts = tm()
        gmtime_r(&time, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let day = days[Int(parts.tm_wday) % 7]
        let month = months[Int(parts.tm_mon) % 12]
        return """
            \(day), \(two(parts.tm_mday)) \(month) \(parts.tm_year + 1900) \
            \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT
            """
    }
}
