import NIOHTTP1
import Testing

@testable import GatewayAPI

@Suite("Answers to clients of HTTP/1.0")
struct HTTP10Tests {
    private static func head(_ status: HTTPResponseStatus, length: Bool) -> HTTPResponseHead {
        let headers: HTTPHeaders = length ? ["Content-Length": "5"] : ["Connection": "keep-alive"]
        return HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    }

    @Test("Are in HTTP/1.0, and end with the connection where they have a body and no length")
    func heads() {
        for (status, length, ends) in [
            (.ok, true, false), (.ok, false, true), (.noContent, false, false), (.notModified, false, false),
        ] as [(HTTPResponseStatus, Bool, Bool)] {
            var old = HTTP10()
            let before = Self.head(status, length: length)
            #expect(old.head(before) == before && !old.endsWithBody)
            old.isAnswered = true
            let head = old.head(before)
            #expect(head.version == .http1_0 && head.status == status)
            #expect(old.endsWithBody == ends && head.headers["connection"].contains("close") == ends)
        }
    }

    @Test("Say that the connection is kept where the client asked for that and nothing ends it")
    func kept() {
        var old = HTTP10()
        (old.isAnswered, old.isKept) = (true, true)
        let plain = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Content-Length": "5"])
        #expect(old.head(plain).headers["connection"] == ["keep-alive"])
        var closing = plain
        closing.headers.add(name: "Connection", value: "close")
        #expect(old.head(closing).headers["connection"] == ["close"])
        let long = HTTPResponseHead(version: .http1_1, status: .ok)
        #expect(old.head(long).headers["connection"] == ["close"])
        let whole = Array("HTTP/1.1 200 OK\r\nA: b\r\n\r\n{}".utf8)
        func answer(_ closes: Bool) -> String {
            String(decoding: HTTP10.answer(whole, closes: closes), as: UTF8.self)
        }
        #expect(answer(false) == "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nA: b\r\n\r\n{}")
        #expect(answer(true) == "HTTP/1.0 200 OK\r\nA: b\r\n\r\n{}")
    }
}
