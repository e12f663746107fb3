import NIOCore
import NIOHTTP1
import Testing

@testable import GatewayAPI

@Suite("Heads of updates")
struct UpdateRequestTests {
    private func read(
        _ more: [(String, String)] = [], method: HTTPMethod = .POST, uri: String = UpdateRequest.path,
        version: HTTPVersion = .http1_1, leaving name: String = ""
    ) -> UpdateRequest? {
        let plain = [
            ("Host", "a"), ("X-Api-Key", "k"), ("Content-Type", "application/json"), ("Content-Length", "20"),
        ]
        let fields = plain.filter { $0.0 != name } + more
        return UpdateRequest(
            HTTPRequestHead(version: version, method: method, uri: uri, headers: HTTPHeaders(fields)))
    }

    @Test("Plain ones are read")
    func plain() {
        let request = read([("X-Request-Id", " r1\t"), ("User-Agent", "x"), ("Connection", "keep-alive")])
        #expect(request?.key == "k" && request?.contentType == "application/json" && request?.requestID == "r1")
        #expect(read([("X-Request-Id", "not sane")])?.requestID == nil)
        #expect(read([("authorization", "Bearer b")], leaving: "X-Api-Key")?.key == "b")
        #expect(read([("Authorization", "Bearer b")])?.key == "k")
    }

    @Test(
        "Whatever asks for something else is the router's",
        arguments: [
            "Idempotency-Key", "Prefer", "Expect", "Transfer-Encoding", "Upgrade", "Trailer", "X-Api-Key",
            "Content-Type", "X-Request-Id", "Authorization",
        ])
    func others(name: String) {
        let twice = name == "X-Request-Id" || name == "Authorization" ? [(name, "x"), (name, "y")] : [(name, "x")]
        #expect(read(twice) == nil)
    }

    @Test("So is one of another method, path, version or length, or without a key")
    func parts() {
        #expect(read(method: .PUT) == nil && read(uri: UpdateRequest.path + "?") == nil)
        #expect(read(uri: "/api/v1/live-activity/end") == nil && read(version: .http1_0) == nil)
        #expect(read([("Connection", "close")]) == nil)
        #expect(read(leaving: "X-Api-Key") == nil && read(leaving: "Content-Length") == nil)
        for length in ["0", "16385", "-1", "x"] {
            #expect(read([("Content-Length", length)], leaving: "Content-Length") == nil, "\(length)")
        }
        #expect(read([("Content-Length", "16384")], leaving: "Content-Length") != nil)
    }
}
