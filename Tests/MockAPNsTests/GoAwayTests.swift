import MockAPNs
import TLS
import TestHTTP2Client
import Testing
import TimeCore

@Suite("GOAWAY")
struct GoAwayTests {
    private func run(
        _ goAway: MockScript.GoAway, pushes: Int
    ) async throws -> (mock: TestMock, client: TestClient, results: [TestResult]) {
        let mock = try TestMock()
        var script = MockScript()
        script.goAway = goAway
        mock.mock.setScript(script)
        let client = try await TestClient.connect(to: mock)
        let requests = try (0..<pushes).map { try mock.push($0 < 16 ? "0\(String($0, radix: 16))" : "ff") }
        return (mock, client, await client.send(requests))
    }

    @Test("Streams above the last one are not processed and stand apart in the ledger")
    func minus() async throws {
        let (mock, client, results) = try await run(
            .init(afterStreams: 6, lastStream: .minus(2), reason: "Shutdown"), pushes: 9)
        defer { client.stop() }
        #expect(results[..<4].map(\.status) == [200, 200, 200, 200])
        // 7 is REFUSED_STREAM: nghttp2's client closes what is above the last stream with it.
        #expect(results[4...].allSatisfy { $0 == .reset(code: 7) })
        let goAway = try #require(client.observations.goAways.first)
        #expect(goAway.lastStream == 7)
        #expect(goAway.code == 0)
        #expect(goAway.text == #"{"reason":"Shutdown"}"#)
        #expect(await mock.mock.waitFor(timeout: deadline) { $0.unprocessed == 5 })
        #expect(mock.mock.ledgerEntries().map(\.token) == ["00", "01", "02", "03"])
        #expect(mock.mock.unprocessedEntries().allSatisfy { ["04", "05", "06", "07", "08"].contains($0.token) })
        #expect(mock.mock.counts().pushes == 4)
        #expect(mock.mock.counts().goAwaysSent == 1)
    }

    @Test("The newest stream as the last: all that came is processed and the connection ends")
    func current() async throws {
        let (mock, client, results) = try await run(.init(afterStreams: 3, errorCode: 11), pushes: 3)
        defer { client.stop() }
        #expect(results.map(\.status) == [200, 200, 200])
        #expect(await client.wait { $0.goAways.count == 1 })
        #expect(client.observations.goAways.first?.lastStream == 5)
        #expect(client.observations.goAways.first?.code == 11)
        #expect(client.observations.goAways.first?.text == "")
        #expect(await client.wait { $0.end == .closedByPeer })
        #expect(mock.mock.counts().unprocessed == 0)
        #expect(mock.mock.counts().protocolErrors == 0)
    }

    @Test("A shutdown notice names the highest stream id and refuses nothing")
    func maximum() async throws {
        let (mock, client, results) = try await run(.init(afterStreams: 2, lastStream: .maximum), pushes: 5)
        defer { client.stop() }
        #expect(results.map(\.status) == [200, 200, 200, 200, 200])
        #expect(client.observations.goAways.first?.lastStream == Int32.max)
        #expect(mock.mock.counts().pushes == 5)
    }

    @Test("Only so many connections get it")
    func limit() async throws {
        let mock = try TestMock()
        var script = MockScript()
        script.goAway = .init(afterStreams: 1, limit: 1)
        mock.mock.setScript(script)
        let first = try await TestClient.connect(to: mock)
        let second = try await TestClient.connect(to: mock)
        defer {
            first.stop()
            second.stop()
        }
        #expect(await first.send(try mock.push()).status == 200)
        #expect(await first.wait { $0.goAways.count == 1 })
        let results = [await second.send(try mock.push()), await second.send(try mock.push())]
        #expect(results.map(\.status) == [200, 200])
        #expect(second.observations.goAways.isEmpty)
    }

    @Test("Answers that are still to come after a GOAWAY come before the end")
    func answersAfter() async throws {
        let mock = try TestMock()
        var script = MockScript()
        script.goAway = .init(afterStreams: 3, lastStream: .minus(1), linger: .milliseconds(50))
        script.latency = .fixed(.milliseconds(200))
        mock.mock.setScript(script)
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let results = await client.send(try (0..<3).map { _ in try mock.push() })
        #expect(results[..<2].map(\.status) == [200, 200])
        #expect(results[2] == .reset(code: 7))
        #expect(await client.wait { $0.end == .closedByPeer })
        #expect(mock.mock.counts().undeliveredAnswers == 0)
    }
}
