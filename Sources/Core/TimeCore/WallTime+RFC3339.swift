extension WallTime {
    /// Parses a date and time of RFC 3339, section 5.6, for example `2026-11-21T18:30:00.25+02:00`. Fractions below a
    /// millisecond are cut. A leap second becomes the second before it. Returns nil for other texts.
    public init?(rfc3339 text: String) {
        var reader = DigitReader(Array(text.utf8))
        guard let year = reader.digits(4), reader.take("-"), let month = reader.digits(2), reader.take("-"),
            let day = reader.digits(2), reader.take("T") || reader.take("t") || reader.take(" "),
            let hour = reader.digits(2), reader.take(":"), let minute = reader.digits(2), reader.take(":"),
            let second = reader.digits(2), (1...12).contains(month), hour < 24, minute < 60, second <= 60,
            day >= 1, day <= WallTime.daysIn(month, of: year), let fraction = reader.fractionInMilliseconds(),
            let offset = reader.offsetInMinutes(), reader.isAtEnd
        else { return nil }
        let days = WallTime.daysSinceEpoch(year, month, day)
        let seconds = Int64(days) * 86_400 + Int64(hour * 3600 + (minute - offset) * 60 + min(second, 59))
        self.init(milliseconds: seconds * 1000 + Int64(fraction))
    }

    /// The time in UTC, with milliseconds if they are not zero: `2026-11-21T18:30:00Z`.
    public var rfc3339: String {
        let total = seconds
        let days = Int(total >= 0 ? total / 86_400 : (total - 86_399) / 86_400)
        let rest = Int(total - Int64(days) * 86_400)
        let (year, month, day) = WallTime.civilDate(days)
        let fraction = Int(milliseconds - total * 1000)
        return String(unsafeUninitializedCapacity: 40) { text in
            var writer = DigitWriter(text)
            if year < 0 { writer.put("-") }
            writer.put(abs(year), year.magnitude < 10_000 ? 4 : year.magnitude.description.utf8.count)
            writer.put("-")
            writer.put(month, 2)
            writer.put("-")
            writer.put(day, 2)
            writer.put("T")
            writer.put(rest / 3600, 2)
            writer.put(":")
            writer.put(rest / 60 % 60, 2)
            writer.put(":")
            writer.put(rest % 60, 2)
            if fraction != 0 {
                writer.put(".")
                writer.put(fraction, 3)
            }
            writer.put("Z")
            return writer.count
        }
    }

    private static func daysIn(_ month: Int, of year: Int) -> Int {
        let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    // Both conversions count in 400-year eras of 146,097 days that begin on the first of March, so that the leap day is
    // a year's last.
    private static func daysSinceEpoch(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civilDate(_ daysSinceEpoch: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = daysSinceEpoch + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}

/// Writes a fixed text from left to right.
private struct DigitWriter {
    private let text: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    init(_ text: UnsafeMutableBufferPointer<UInt8>) {
        self.text = text
    }

    mutating func put(_ character: Unicode.Scalar) {
        text[count] = UInt8(ascii: character)
        count += 1
    }

    /// Writes `width` digits with leading zeros.
    mutating func put(_ value: Int, _ width: Int) {
        var rest = value
        for place in (count..<(count + width)).reversed() {
            text[place] = UInt8(48 + rest % 10)
            rest /= 10
        }
        count += width
    }
}

/// Parses a fixed text from left to right.
private struct DigitReader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { index == bytes.count }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    mutating func digits(_ count: Int) -> Int? {
        guard index + count <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[index..<(index + count)] {
            guard byte >= 48, byte <= 57 else { return nil }
            value = value * 10 + Int(byte - 48)
        }
        index += count
        return value
    }

    /// Zero without a fraction; nil if no digit follows the dot.
    mutating func fractionInMilliseconds() -> Int? {
        guard take(".") else { return 0 }
        var value = 0
        var weight = 100
        let start = index
        while let digit = digits(1) {
            value += digit * weight
            weight /= 10
        }
        return index > start ? value : nil
    }

    mutating func offsetInMinutes() -> Int? {
        if take("Z") || take("z") { return 0 }
        let sign = take("+") ? 1 : take("-") ? -1 : 0
        guard sign != 0, let hours = digits(2), take(":"), let minutes = digits(2), hours < 24, minutes < 60 else {
            return nil
        }
        return sign * (hours * 60 + minutes)
    }
}
