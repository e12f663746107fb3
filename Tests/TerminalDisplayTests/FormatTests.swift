import TerminalDisplay
import Testing

@Suite("Numbers")
struct FormatTests {
    @Test(
        "have separators between thousands",
        arguments: [
            (0, "0"), (999, "999"), (1000, "1,000"), (10_240, "10,240"), (1_234_567, "1,234,567"), (-1000, "-1,000"),
            (Int.min, "-9,223,372,036,854,775,808"),
        ])
    func counts(value: Int, text: String) {
        #expect(Format.count(value) == text)
    }

    @Test(
        "of things a second have three digits and a unit",
        arguments: [
            (0, "0 /s"), (850, "850 /s"), (0.5, "0.50 /s"), (999.4, "999 /s"), (999.6, "1.00 k/s"),
            (12_345, "12.3 k/s"), (99_960, "100 k/s"), (1_250_000, "1.25 M/s"), (5e12, "5,000 G/s"),
            (.infinity, "-"), (.nan, "-"), (-1, "-"),
        ] as [(Double, String)])
    func rates(value: Double, text: String) {
        #expect(Format.rate(value) == text)
    }

    @Test(
        "of durations choose the unit that is read most easily",
        arguments: [
            (.zero, "0 s"), (.nanoseconds(850), "850 ns"), (.microseconds(850), "850 µs"),
            (.nanoseconds(999_700), "1.00 ms"), (.microseconds(12_300), "12.3 ms"), (.milliseconds(1250), "1.25 s"),
            (.milliseconds(9996), "10.0 s"), (.milliseconds(59_940), "59.9 s"), (.milliseconds(59_960), "1:00 min"),
            (.seconds(125), "2:05 min"), (.seconds(3725), "1:02:05 h"), (.seconds(-5), "0 s"),
        ] as [(Duration, String)])
    func durations(value: Duration, text: String) {
        #expect(Format.duration(value) == text)
    }

    @Test(
        "of clocks are rounded to seconds",
        arguments: [
            (.zero, "0:00"), (.milliseconds(499), "0:00"), (.milliseconds(500), "0:01"), (.seconds(61), "1:01"),
            (.milliseconds(3_599_500), "1:00:00"), (.seconds(360_000), "100:00:00"),
        ] as [(Duration, String)])
    func clocks(value: Duration, text: String) {
        #expect(Format.clock(value) == text)
    }

    @Test(
        "of bytes count in powers of two",
        arguments: [
            (0, "0 B"), (1023, "1,023 B"), (1024, "1.00 KiB"), (2_097_152, "2.00 MiB"), (-2048, "-2.00 KiB"),
            (1_048_575, "1.00 MiB"), (123_456_789, "118 MiB"),
        ])
    func bytes(value: Int, text: String) {
        #expect(Format.bytes(value) == text)
    }

    @Test(
        "of percent are 100 only when all is done",
        arguments: [(0, 7, "0%"), (1, 3, "33%"), (9999, 10_000, "99%"), (7, 7, "100%"), (8, 7, "100%"), (1, 0, "-")])
    func percents(part: Int, whole: Int, text: String) {
        #expect(Format.percent(part, of: whole) == text)
    }
}
