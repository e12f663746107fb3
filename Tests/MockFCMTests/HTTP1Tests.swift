import LiveActivity
import MockFCM
import TestHTTP2Client
import Testing

@Suite("HTTP/1.1")
struct HTTP1Tests {
    /// Sends a request on a connection of its own, cut into two pieces; the answer until the connection's end.
    private func send(_ request: TestRequest, to stage: TestFCM, more: String = "") async throws -> String {
        let client = try await TestClient.connect(
            toPort: stage.mock.port, caFile: stage.mock.caFile, isRaw: true, applicationProtocol: "http/1.1")
        defer { client.stop() }
        var text = "\(request.method) \(request.path) HTTP/1.1\r\nHost: localhost\r\n\(more)"
        for (name, value) in request.headers { text += "\(name): \(value)\r\n" }
        let bytes = Array((text + "Content-Length: \(request.body.count)\r\n\r\n").utf8) + request.body
        client.sendRaw(Array(bytes.prefix(40)))
        client.sendRaw(Array(bytes.dropFirst(40)))
        #expect(await client.wait { $0.end != nil })
        return String(decoding: client.observations.plaintext, as: UTF8.self)
    }

    private func body(_ answer: String) throws -> JSONValue {
        let end = try #require(answer.firstRange(of: "\r\n\r\n"), "\(answer)")
        return try JSONDocument(parsing: Array(answer[end.upperBound...].utf8)).root
    }

    @Test("A token is given out and a message is accepted, as over HTTP/2")
    func exchange() async throws {
        let stage = try TestFCM()
        let answer = try await send(stage.tokenRequest(try stage.assertion()), to: stage)
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(answer)")
        let token = try #require(try body(answer).member("access_token")?.string)
        let accepted = try await send(stage.message(token), to: stage)
        #expect(accepted.hasPrefix("HTTP/1.1 200 OK\r\n") && accepted.contains("\r\nconnection: close\r\n"))
        #expect(try body(accepted).member("name")?.string?.hasPrefix("projects/") == true)
        #expect(stage.mock.messages().map(\.token) == [TestFCM.device])
        #expect(stage.mock.counts().tokensIssued == 1)
    }

    @Test("Refusals have their status and their body; a delayed answer comes, and a reset ends the connection")
    func refusals() async throws {
        let stage = try TestFCM()
        let refused = try await send(stage.message("nonsense"), to: stage)
        #expect(refused.hasPrefix("HTTP/1.1 401 Unauthorized\r\n"), "\(refused)")
        #expect(try body(refused).member("error")?.member("status")?.string == "UNAUTHENTICATED")
        let answer = try await send(stage.tokenRequest(try stage.assertion()), to: stage)
        let token = try #require(try body(answer).member("access_token")?.string)
        try stage.script(#"{"latency": {"fixed_ms": 30}, "rules": [{"action": "reset", "error_code": 2, "limit": 1}]}"#)
        #expect(try await send(stage.message(token), to: stage).isEmpty)
        #expect(try await send(stage.message(token), to: stage).hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test("A chunked body is refused")
    func chunked() async throws {
        let stage = try TestFCM()
        let chunked = try await send(stage.message("x"), to: stage, more: "Transfer-Encoding: chunked\r\n")
        #expect(chunked.hasPrefix("HTTP/1.1 411 Length Required\r\n"), "\(chunked)")
    }
}
