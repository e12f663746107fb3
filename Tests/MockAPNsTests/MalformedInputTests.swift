import MockAPNs
import TestHTTP2Client
import TestSupport
import Testing
import TimeCore

@testable import struct MockAPNs.SplitMix64

@Suite("Bytes from outside")
struct MalformedInputTests {
    private func expectService(_ mock: TestMock) async throws {
        let client = try await TestClient.connect(to: mock)
        #expect(await client.send(try mock.push()).status == 200)
        client.stop()
    }

    @Test("What is not TLS is turned away")
    func noTLS() async throws {
        let mock = try TestMock()
        let socket = try RawSocket(port: mock.mock.port)
        socket.send(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        #expect(await mock.mock.waitFor(timeout: deadline) { $0.handshakesFailed == 1 })
        socket.close()
        try await expectService(mock)
    }

    @Test("What is not HTTP/2 ends its connection")
    func noHTTP2() async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock, isRaw: true)
        defer { client.stop() }
        client.sendRaw(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
        #expect(await client.wait { $0.end != nil })
        #expect(mock.mock.counts().protocolErrors == 1)
        try await expectService(mock)
    }

    @Test("A frame that breaks the protocol is counted and ends its connection")
    func brokenFrame() async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock, isRaw: true)
        defer { client.stop() }
        // HEADERS on stream 0.
        client.sendRaw(RawFrame.preface + RawFrame.settings() + RawFrame.headers(stream: 0))
        #expect(await client.wait { $0.end != nil })
        #expect(mock.mock.counts().protocolErrors == 1)
        try await expectService(mock)
    }

    @Test("A request given up before its end is counted, and leaves nothing in the ledger")
    func abandoned() async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock, isRaw: true)
        defer { client.stop() }
        let reset = RawFrame.frame(type: 3, stream: 1, [0, 0, 0, 8])
        client.sendRaw(
            RawFrame.preface + RawFrame.settings() + RawFrame.headers(stream: 1) + reset
                + RawFrame.headers(stream: 3, endsStream: true))
        #expect(await mock.mock.waitFor(pushes: 1, timeout: deadline))
        #expect(mock.mock.counts().abandonedRequests == 1)
        #expect(mock.mock.counts().clientResets == 1)
        #expect(mock.mock.ledgerEntries().map(\.stream) == [3])
        #expect(mock.mock.counts().answersByReason == ["MissingProviderToken": 1])
    }

    @Test("A body far above the limit is read to its end and refused, and the connection lives on")
    func hugeBody() async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let huge = try mock.push().with(body: String(repeating: "x", count: 3_000_000))
        #expect(await client.send(huge).reason == "PayloadTooLarge")
        #expect(mock.mock.ledgerEntries().first?.payload.count == 5_121)
        #expect(await client.send(try mock.push()).status == 200)
    }

    @Test("Damaged requests never hurt the mock")
    func damaged() async throws {
        let seed = TestSeed.current
        print("seed of the damaged requests: \(seed)")
        var random = SplitMix64(state: seed)
        let mock = try TestMock()
        let good =
            RawFrame.preface + RawFrame.settings() + RawFrame.headers(stream: 1)
            + RawFrame.data(stream: 1, TestRequest.payload("start"))
            + RawFrame.headers(stream: 3, endsStream: true) + RawFrame.frame(type: 6, [0, 1, 2, 3, 4, 5, 6, 7])
        for _ in 0..<60 {
            let client = try await TestClient.connect(to: mock, isRaw: true)
            var bytes = good
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: RawFrame.preface.count..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                }
            }
            client.sendRaw(bytes)
            client.stop(abruptly: false)
        }
        #expect(await mock.mock.waitFor(timeout: deadline) { $0.connectionsOpen == 0 })
        try await expectService(mock)
    }
}
