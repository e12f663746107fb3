import Glibc
import TestSupport
import Testing
import TimeCore

@Suite("Dates after RFC 3339")
struct RFC3339Tests {
    private func read(_ text: String) -> Int64? { WallTime(rfc3339: text)?.milliseconds }

    /// Returns the C library's spelling of a time.
    private func spelledByLibrary(_ seconds: Int) -> String {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        let text = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The library omits the leading zeros of early years.
        return String(repeating: "0", count: max(0, 20 - text.utf8.count)) + text
    }

    @Test("What is written is read back, and is what the C library writes, from the year 0 to 9999")
    func roundTrips() {
        let seed = TestSeed.current
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            let milliseconds = Int64.random(in: -62_167_219_200_000...253_402_300_799_999, using: &generator)
            let time = WallTime(milliseconds: milliseconds)
            #expect(read(time.rfc3339) == milliseconds, "seed \(seed)")
            let whole = WallTime(seconds: time.seconds)
            #expect(whole.rfc3339 == spelledByLibrary(Int(time.seconds)), "seed \(seed)")
        }
    }

    @Test("An offset moves the time by its hours and minutes, whatever the seed")
    func randomOffsets() {
        let seed = TestSeed.current
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let seconds = Int64.random(in: 0...4_000_000_000, using: &generator)
            let offset = Int64.random(in: -1439...1439, using: &generator)
            let local = WallTime(seconds: seconds + offset * 60).rfc3339.dropLast()
            let (hours, minutes) = (abs(offset) / 60, abs(offset) % 60)
            let sign = offset < 0 ? "-" : "+"
            let text = "\(local)\(sign)\(hours < 10 ? "0" : "")\(hours):\(minutes < 10 ? "0" : "")\(minutes)"
            #expect(read(text) == seconds * 1000, "\(text), seed \(seed)")
        }
    }

    @Test(
        "Known points in time are read",
        arguments: [
            ("1970-01-01T00:00:00Z", 0),
            ("1969-12-31T23:59:59.999Z", -1),
            ("2026-11-21T18:30:00.25+02:00", 1_795_278_600_250),
            ("2026-11-21t16:30:00z", 1_795_278_600_000),
            ("2026-11-21 16:30:00-00:00", 1_795_278_600_000),
            ("1985-04-12T23:20:50.52Z", 482_196_050_520),
            ("1996-12-19T16:39:57-08:00", 851_042_397_000),
            ("2000-02-29T00:00:00Z", 951_782_400_000),
            ("2024-02-29T12:00:00Z", 1_709_208_000_000),
            // A leap second counts as the second before it.
            ("1990-12-31T23:59:60Z", 662_687_999_000),
            ("1990-12-31T15:59:60-08:00", 662_687_999_000),
            ("2026-11-21T16:30:00.1239999999999999999999999999999999Z", 1_795_278_600_123),
            ("2026-11-21T16:30:00.0009Z", 1_795_278_600_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ])
    func known(text: String, milliseconds: Int64) {
        #expect(read(text) == milliseconds)
    }

    @Test(
        "Leap days exist in leap years only",
        arguments: [
            (2023, false), (2024, true), (1900, false), (2000, true), (2100, false), (2400, true),
        ])
    func leapYears(year: Int, isLeap: Bool) {
        #expect((read("\(year)-02-29T00:00:00Z") != nil) == isLeap)
        let days = (read("\(year)-03-01T00:00:00Z") ?? 0) - (read("\(year)-02-28T00:00:00Z") ?? 0)
        #expect(days == (isLeap ? 2 : 1) * 86_400_000)
    }

    @Test(
        "What is not a date and time after RFC 3339 is nil",
        arguments: Escaped.each([
            "", "2026", "2026-11-21", "2026-11-21T18:30Z", "2026-11-21T18:30:00", "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-04-31T00:00:00Z", "2026-11-21T24:00:00Z",
            "2026-11-21T23:60:00Z", "2026-11-21T23:59:61Z", "2026-11-21T18:30:00.Z", "2026-11-21T18:30:00,5Z",
            "2026-11-21T18:30:00+0200", "2026-11-21T18:30:00+24:00", "2026-11-21T18:30:00+02:60",
            "2026-11-21T18:30:00Z ", " 2026-11-21T18:30:00Z", "26-11-21T18:30:00Z", "+026-11-21T18:30:00Z",
            "2026-1-21T18:30:00Z", "2026-11-21_18:30:00Z", "12026-11-21T18:30:00Z", "2026-11-21T18:30:00ZZ",
            "2026-11-21T18:30:00+02:00Z", "２０２６-11-21T18:30:00Z", "2026-11-21T18:30:00\u{0}",
        ]))
    func bad(_ argument: Escaped<String>) {
        let text = argument.value
        #expect(WallTime(rfc3339: text) == nil)
    }

    @Test("A date with one byte changed is refused or is another date, and never a trap")
    func damaged() {
        let seed = TestSeed.current
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        let text = Array("2026-11-21T18:30:00.250+02:00".utf8)
        let original = read(String(decoding: text, as: UTF8.self))
        for _ in 0..<5000 {
            var bytes = text
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[index] = UInt8.random(in: 0x20...0x7E, using: &generator)
            let result = read(String(decoding: bytes, as: UTF8.self))
            // The letter between date and time has three equal spellings.
            if bytes != text, index != 10 { #expect(result == nil || result != original, "seed \(seed)") }
        }
    }
}
