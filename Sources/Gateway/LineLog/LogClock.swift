import Glibc
import Reactor
import TimeCore

/// The time as it stands in lines of the log. What is above a second is formatted once in a second.
enum LogClock {
    private struct Second {
        var number = Int64.min
        var text: [UInt8] = []
    }

    private static let local = Locked(Second())
    private static let utc = Locked(Second())

    /// The machine's own time with its offset, to the second: `2026-11-21T18:30:00+0100`.
    static func appendLocal(_ time: WallTime, to line: inout [UInt8]) {
        append(local, time, to: &line) { second in
            var (clock, parts) = (time_t(second), tm())
            localtime_r(&clock, &parts)
            var text = [CChar](repeating: 0, count: 64)
            let length = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S%z", &parts)
            return text.prefix(length).map { UInt8(bitPattern: $0) }
        }
    }

    /// As `WallTime.rfc3339` has it.
    static func appendUTC(_ time: WallTime, to line: inout [UInt8]) {
        append(utc, time, to: &line) { Array(WallTime(seconds: $0).rfc3339.utf8.dropLast()) }
        let fraction = Int(time.milliseconds - time.seconds * 1000)
        if fraction != 0 {
            line.append(UInt8(ascii: "."))
            for weight in [100, 10, 1] { line.append(UInt8(48 + fraction / weight % 10)) }
        }
        line.append(UInt8(ascii: "Z"))
    }

    private static func append(
        _ second: Locked<Second>, _ time: WallTime, to line: inout [UInt8], _ format: (Int64) -> [UInt8]
    ) {
        second.withLock { second in
            if second.number != time.seconds { second = Second(number: time.seconds, text: format(time.seconds)) }
            line += second.text
        }
    }
}
