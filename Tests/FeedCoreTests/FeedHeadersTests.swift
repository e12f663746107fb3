import FeedCore
import TestSupport
import Testing
import TimeCore

@Suite("Header fields of feeds")
struct FeedHeadersTests {
    @Test("Lines of names and values are read, comments and empty lines passed over; no description has a value")
    func reading() throws {
        let headers = try FeedHeaders(file: Array("# a\r\nAuthorization: Bearer a:b \n\nx-y:\tsecret, 2\n".utf8))
        #expect(headers.fields.map(\.name) == ["Authorization", "x-y"])
        #expect(headers.fields.map(\.value) == ["Bearer a:b", "secret, 2"])
        #expect("\(headers)" == "Authorization, x-y")
        #expect(try FeedHeaders(file: []).fields.isEmpty)
    }

    @Test(
        "What is no field is refused, and so is what HTTP says itself",
        arguments: Escaped.each([
            "a", ": b", "a b: c", "a:", "a: \u{1}", "a: ü", "Content-Length: 3", "if-none-match: x",
            "accept-encoding: gzip",
            String(repeating: "a: b\n", count: 33),
        ]))
    func refusing(_ argument: Escaped<String>) {
        let text = argument.value
        #expect(throws: FeedHeaders.Invalid.self) { try FeedHeaders(file: Array(text.utf8)) }
    }

    @Test("Retry-After has seconds, or a date")
    func retryAfter() {
        let now = WallTime(seconds: 784_111_777)
        #expect(RetryAfter.parse("120", now: now) == .seconds(120))
        #expect(RetryAfter.parse("0", now: now) == .zero)
        #expect(RetryAfter.parse("Sun, 06 Nov 1994 08:50:07 GMT", now: now) == .seconds(30))
        #expect(RetryAfter.parse("Sun, 06 Nov 1994 08:49:00 GMT", now: now) == .zero)
        #expect(RetryAfter.parse("99999999999999999999", now: now) != nil)
        for text in ["", "-1", "1.5", "soon", "Sun, 06 Nov 1994 08:50:07", "Sun, 32 Nov 1994 08:50:07 GMT", "06 Nov"] {
            #expect(RetryAfter.parse(text, now: now) == nil, "\(text)")
        }
    }
}
