import Glibc
import Reactor
import TimeCore

/// The time in lines of the log. The text up to the second is formatted once a second.
enum LogClock {
    private struct Second {
        var number = Int64.min
        var text: [UInt8] = []
        /// The offset, which follows the fraction.
        var zone: [UInt8] = []
    }

    private static let local = Locked(Second())
    private static let utc = Locked(Second())

    /// Appends the local time with its offset, to the millisecond: `2026-11-21T18:30:00.250+0100`.
    static func appendLocal(_ time: WallTime, to line: inout [UInt8]) {
        append(local, time, to: &line) { second in
            var (clock, parts) = (time_t(second), tm())
            localtime_r(&clock, &parts)
            func text(_ format: String) -> [UInt8] {
                var text = [CChar](repeating: 0, count: 64)
                let length = strftime(&text, text.count, format, &parts)
                return text.prefix(length).map { UInt8(bitPattern: $0) }
            }
            return (text("%Y-%m-%dT%H:%M:%S"), text("%z"))
        }
    }

    /// Appends the time in UTC, to the millisecond: `2026-11-21T17:30:00.250Z`.
    static func appendUTC(_ time: WallTime, to line: inout [UInt8]) {
        append(utc, time, to: &line) { (Array(WallTime(seconds: $0).rfc3339.utf8.dropLast()), [UInt8(ascii: "Z")]) }
    }

    private static func append(
        _ second: Locked<Second>, _ time: WallTime, to line: inout [UInt8],
        _ format: (Int64) -> (text: [UInt8], zone: [UInt8])
    ) {
        let fraction = Int(time.milliseconds - time.seconds * 1000)
        second.withLock { second in
            if second.number != time.seconds {
                let (text, zone) = format(time.seconds)
                second = Second(number: time.seconds, text: text, zone: zone)
            }
            line += second.text
            line.append(UInt8(ascii: "."))
            for weight in [100, 10, 1] { line.append(UInt8(48 + fraction / weight % 10)) }
            line += second.zone
        }
    }
}
