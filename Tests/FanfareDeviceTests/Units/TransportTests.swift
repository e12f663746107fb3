import Foundation
import Testing

@testable import FanfareDevice

@Suite("Requests by URLSession")
struct TransportTests {
    private func call(_ server: DrippingServer, _ path: String, timeout: TimeInterval) throws -> HTTPCall {
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/\(path)"))
        return HTTPCall(url: url, method: "POST", headers: [:], body: Data("{}".utf8), timeout: timeout)
    }

    private func isServed(_ transport: URLSessionTransport, _ server: DrippingServer) async throws -> Bool {
        let call = try call(server, "other", timeout: 15)
        if case .answered(200, nil, let body) = await transport.send(call) {
            return body == Data(#"{"status":"success"}"#.utf8)
        }
        return false
    }

    @Test(
        "A reply that comes byte by byte is broken off at its time, and the next request is served",
        .timeLimit(.minutes(2)))
    func dripping() async throws {
        let server = try DrippingServer()
        defer { server.end() }
        let transport = URLSessionTransport()
        #expect(try await isServed(transport, server))
        guard case .unanswered = await transport.send(try call(server, "drip", timeout: 1)) else {
            Issue.record("it had an answer")
            return
        }
        #expect(try await isServed(transport, server))
    }

    @Test("A request whose task is cancelled is broken off, and the next one is served", .timeLimit(.minutes(2)))
    func cancelled() async throws {
        let server = try DrippingServer()
        defer { server.end() }
        let transport = URLSessionTransport()
        let call = try call(server, "drip", timeout: 600)
        let sending = Task { await transport.send(call) }
        try await Task.sleep(for: .milliseconds(300))
        sending.cancel()
        guard case .unanswered = await sending.value else {
            Issue.record("it had an answer")
            return
        }
        #expect(try await isServed(transport, server))
    }
}
