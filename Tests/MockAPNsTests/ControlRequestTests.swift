import TestSupport
import Testing

@testable import MockKit

@Suite("Requests to the control port")
struct ControlRequestTests {
    private static let put =
        "PUT /mock/script?x=1 HTTP/1.1\r\nHost: localhost\r\nContent-Length:\t 11 \r\nX: \u{e9}\r\n\r\n{\"a\": null}"
    private static let expected = ControlRequest(
        method: "PUT", path: "/mock/script", query: "x=1", body: Array(#"{"a": null}"#.utf8))

    @Test("A request is read wherever it is cut, and what follows it is left")
    func cuts() {
        let bytes = Array(Self.put.utf8)
        for cut in 1..<bytes.count {
            var reader = ControlRequestReader()
            #expect(reader.received(bytes[..<cut]) == .incomplete, "\(cut)")
            #expect(reader.received(bytes[cut...] + Array("GET".utf8)) == .complete(Self.expected), "\(cut)")
        }
    }

    @Test("A request without a body is whole with its head")
    func withoutBody() {
        var reader = ControlRequestReader()
        let request = ControlRequest(method: "GET", path: "/", query: "", body: [])
        #expect(reader.received("GET / HTTP/1.0\r\n\r\n".utf8) == .complete(request))
    }

    @Test("A client that waits with its body is told once to go on")
    func expectation() {
        var reader = ControlRequestReader()
        let head = "PUT / HTTP/1.1\r\ncontent-length: 2\r\nExpect: 100-Continue\r\n\r\n"
        #expect(reader.received(head.utf8) == .expectsContinue)
        #expect(reader.received("{".utf8) == .incomplete)
        #expect(
            reader.received("}".utf8)
                == .complete(ControlRequest(method: "PUT", path: "/", query: "", body: Array("{}".utf8))))
    }

    @Test(
        "What is no request, or one that is too large, is refused",
        arguments: Escaped.each([
            ("PRI * HTTP/2.0\r\n\r\n", 400), ("GET /\r\n\r\n", 400), ("GET  / HTTP/1.1\r\n\r\n", 400),
            ("\r\n\r\n", 400), ("GET / HTTP/1.1\r\nhost\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\ncontent-length: -1\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\ncontent-length: 99999999999999999999\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n", 411),
            ("PUT / HTTP/1.1\r\ncontent-length: 16777217\r\n\r\n", 413),
        ]))
    func refused(_ argument: Escaped<(String, Int)>) {
        let (text, status) = argument.value
        var reader = ControlRequestReader()
        guard case .refused(let found, let words) = reader.received(text.utf8) else {
            Issue.record("not refused")
            return
        }
        #expect(found == status && !words.isEmpty)
    }

    @Test("A head of 8,192 bytes is taken, and none above")
    func longHead() {
        let line = "GET / HTTP/1.1\r\nx: "
        for (length, isTaken) in [(8_192, true), (8_193, false), (20_000, false)] {
            let head = line + String(repeating: "y", count: length - line.utf8.count - 4) + "\r\n\r\n"
            var reader = ControlRequestReader()
            var whole = false
            if case .complete = reader.received(head.utf8) { whole = true }
            #expect(whole == isTaken, "\(length)")
        }
        // One that never ends is not kept on and on.
        var endless = ControlRequestReader()
        #expect(endless.received(line.utf8) == .incomplete)
        let rest = String(repeating: "y", count: 8_192)
        #expect(endless.received(rest.utf8) == .refused(status: 431, "the head is too long"))
    }
}
