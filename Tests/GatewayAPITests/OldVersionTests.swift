import NIOHTTP1
import Testing

@testable import GatewayAPI

@Suite("Answers to clients of HTTP/1.0")
struct OldVersionTests {
    private static func head(_ status: HTTPResponseStatus, length: Bool) -> HTTPResponseHead {
        let headers: HTTPHeaders = length ? ["Content-Length": "5"] : ["Connection": "keep-alive"]
        return HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    }

    @Test("Are in HTTP/1.0, and end with the connection where they have a body and no length")
    func heads() {
        for (status, length, ends) in [
            (.ok, true, false), (.ok, false, true), (.noContent, false, false), (.notModified, false, false),
        ] as [(HTTPResponseStatus, Bool, Bool)] {
            var old = OldVersion()
            let before = Self.head(status, length: length)
            #expect(old.head(before) == before && !old.endsWithBody)
            old.isAnswered = true
            let head = old.head(before)
            #expect(head.version == .http1_0 && head.status == status)
            #expect(old.endsWithBody == ends && head.headers["connection"].contains("close") == ends)
        }
    }
}
