import Testing

@testable import RedisClient

@Suite struct ReplyCopyTests {
    @Test func aCopiedReplyIsShownAsItWas() {
        let values: [RedisValue] = [
            .null, .integer(-7), .bytes([]), .bytes([0, 255, 13]), .status("OK"), .array([]),
            .array([.integer(1), .array([.bytes([65]), .null, .array([.status("x")])]), .error("ERR inner")]),
        ]
        for value in values {
            var shown: RedisValue?
            RedisReplyView.withView(of: value) { shown = $0.copy() }
            #expect(shown == value)
        }
    }
}
