import MockFCM
import TestHTTP2Client
import Testing

@Suite("Connections of FCM's mock")
struct ConnectionTests {
    @Test("100 streams are announced, and two connections are served side by side")
    func streams() async throws {
        let stage = try TestFCM()
        let (first, second) = (try await stage.connect(), try await stage.connect())
        defer {
            first.stop()
            second.stop()
        }
        #expect(await first.wait { $0.streamLimits == [100] })
        let token = try await stage.accessToken(first)
        async let some = first.send([TestRequest](repeating: stage.message(token), count: 90))
        async let others = second.send([TestRequest](repeating: stage.message(token, event: "end"), count: 90))
        #expect(await (some + others).allSatisfy { $0.status == 200 })
        #expect(stage.mock.counts().messagesByEvent == [.update: 90, .end: 90])
        #expect(Set(stage.mock.messages().map(\.connection)) == [1, 2])
        #expect(Set(stage.mock.messages().compactMap(\.accessToken)) == [1])
    }

    @Test("A script takes the stream limit down and ends a connection with a GOAWAY")
    func goAway() async throws {
        let stage = try TestFCM()
        try stage.script(
            """
            {"stream_limit": {"usual": 50, "changes": [{"after_pushes": 1, "limit": 2}]},
             "goaway": {"after_streams": 3, "reason": "max_age"}}
            """)
        let client = try await stage.connect()
        defer { client.stop() }
        let token = try await stage.accessToken(client)
        #expect(await client.send(stage.message(token)).status == 200)
        #expect(await client.wait { $0.streamLimits == [50, 2] })
        #expect(await client.send(stage.message(token)).status == 200)
        #expect(await client.wait { $0.goAways.first?.text == "max_age" })
        #expect(client.observations.goAways.first?.lastStream == 5)
    }

    @Test("More streams than were announced end the connection with a GOAWAY")
    func violation() async throws {
        let stage = try TestFCM { $0.maxConcurrentStreams = 1 }
        let client = try await TestClient.connect(toPort: stage.mock.port, caFile: stage.mock.caFile, isRaw: true)
        defer { client.stop() }
        let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        let acknowledgement: [UInt8] = [0, 0, 0, 4, 1, 0, 0, 0, 0]
        client.sendRaw(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings + acknowledgement)
        for stream: UInt8 in [1, 3] {
            // POST, https, "/", authority "x": streams that stay open.
            client.sendRaw([0, 0, 6, 1, 4, 0, 0, 0, stream, 0x83, 0x87, 0x84, 0x01, 0x01, 0x78])
        }
        #expect(await stage.mock.waitFor(timeout: deadline) { $0.server.goAwaysSent == 1 })
    }

    @Test("Answers wait for their time")
    func latency() async throws {
        let stage = try TestFCM()
        let client = try await stage.connect()
        defer { client.stop() }
        let token = try await stage.accessToken(client)
        try stage.script(#"{"latency": {"fixed_ms": 900000}, "access_tokens": {"latency": {"fixed_ms": 900000}}}"#)
        async let message = client.send(stage.message(token))
        async let exchange = client.send(stage.tokenRequest(stage.assertion()))
        #expect(await stage.mock.waitFor(timeout: deadline) { $0.messages == 1 && $0.tokensIssued == 2 })
        #expect(stage.mock.messages().map(\.answerWasSent) == [false])
        stage.mock.stop()
        #expect(await message == .connectionEnded)
        #expect(try await exchange == .connectionEnded)
    }
}
