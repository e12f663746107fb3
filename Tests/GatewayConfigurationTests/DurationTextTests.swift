import Testing

@testable import GatewayConfiguration

@Suite("Durations")
struct DurationTextTests {
    @Test(
        "are read in each of their spellings and shown in the shortest",
        arguments: [
            ("20", .seconds(20), "20s"), ("0.5", .milliseconds(500), "500ms"), ("500ms", .milliseconds(500), "500ms"),
            ("30s", .seconds(30), "30s"), ("2m", .seconds(120), "2m"), ("1.5m", .seconds(90), "90s"),
            ("1h", .seconds(3600), "1h"), ("2 s", .seconds(2), "2s"), ("1.25", .milliseconds(1250), "1.25s"),
            ("0.001", .milliseconds(1), "1ms"), ("0.000000001h", .nanoseconds(3600), "0.000003s"), ("0", .zero, "0s"),
            ("999999h", .seconds(3_599_996_400), "999999h"), ("0.25ms", .microseconds(250), "0.00025s"),
        ] as [(String, Duration, String)])
    func spellings(text: String, duration: Duration, shown: String) {
        #expect(DurationText.parse(text) == duration)
        #expect(DurationText.show(duration) == shown)
    }

    @Test(
        "are refused in any other",
        arguments: ["", "s", "-1", "+1", "1e3", "1.", ".5", "1.5.5", "1d", "1:30", "inf", "nan", "٣", "1 0", "1234567"])
    func refused(text: String) {
        #expect(DurationText.parse(text) == nil)
    }
}
