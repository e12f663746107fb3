import MockAPNs
import TestHTTP2Client
import Testing
import TimeCore

@Suite("The stream limit")
struct StreamLimitTests {
    private func mock(_ limit: MockScript.StreamLimit) throws -> TestMock {
        let mock = try TestMock()
        var script = MockScript()
        script.streamLimit = limit
        mock.mock.setScript(script)
        return mock
    }

    @Test("It is 1 until a push with a valid provider token was answered")
    func firstValidPush() async throws {
        let mock = try mock(.init(usual: 500, beforeFirstValidPush: 1))
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let bad = try mock.push().with("authorization", "bearer x.y.z")
        #expect(await client.send(bad).status == 403)
        #expect(client.observations.streamLimits == [1])
        // Rejected for another reason, but the token was good.
        #expect(await client.send(try mock.push("zz")).status == 400)
        #expect(await client.wait { $0.streamLimits == [1, 500] })
    }

    @Test("It shrinks after a rejected push and grows back after an accepted one")
    func afterRejection() async throws {
        let mock = try mock(.init(usual: 100, afterRejection: 1))
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        #expect(await client.send(try mock.push("zz")).status == 400)
        #expect(await client.wait { $0.streamLimits == [100, 1] })
        #expect(await client.send(try mock.push()).status == 200)
        #expect(await client.wait { $0.streamLimits == [100, 1, 100] })
    }

    @Test("It changes at the counts of pushes asked for")
    func changes() async throws {
        let mock = try mock(
            .init(changes: [.init(afterPushes: 2, limit: 3), .init(afterPushes: 4, limit: 50)]))
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        for _ in 0..<3 { #expect(await client.send(try mock.push()).status == 200) }
        #expect(await client.wait { $0.streamLimits == [1_000, 3] })
        #expect(await client.send(try mock.push()).status == 200)
        #expect(await client.wait { $0.streamLimits == [1_000, 3, 50] })
    }

    @Test("Streams that meet a shrinking limit on their way are refused, and that is no fault")
    func refusedInFlight() async throws {
        let mock = try mock(.init(changes: [.init(afterPushes: 1, limit: 1)]))
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let results = await client.send(try (0..<4).map { _ in try mock.push() })
        #expect(results[0].status == 200)
        #expect(results[1...].allSatisfy { $0 == .reset(code: 7) })
        #expect(mock.mock.counts().streamsRefused == 3)
        #expect(mock.mock.counts().pushes == 1)
        #expect(mock.mock.counts().streamLimitViolations == 0)
        #expect(mock.mock.counts().protocolErrors == 0)
        #expect(await client.send(try mock.push()).status == 200)
    }

    @Test("A stream above an acknowledged limit ends the connection and is counted as the client's fault")
    func violation() async throws {
        let mock = try TestMock { $0.maxConcurrentStreams = 2 }
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        #expect(await client.wait { $0.streamLimits == [2] })
        client.sendRaw([1, 3, 5].flatMap { RawFrame.headers(stream: $0) })
        #expect(await mock.mock.waitFor(timeout: deadline) { $0.streamLimitViolations == 1 })
        #expect(await client.wait { $0.end != nil })
        #expect(client.observations.goAways.first?.code == 1)
        #expect(mock.mock.counts().protocolErrors == 0)
    }

    @Test("A client that obeys is never refused, whatever the limit does")
    func obedient() async throws {
        let mock = try mock(.init(usual: 20, beforeFirstValidPush: 1, afterRejection: 1))
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        #expect(await client.wait { $0.streamLimits == [1] })
        for _ in 0..<20 {
            #expect(await client.send(try mock.push("zz")).status == 400)
            let results = await client.send(try (0..<10).map { _ in try mock.push() })
            #expect(results.allSatisfy { $0.status == 200 || $0 == .reset(code: 7) })
        }
        #expect(mock.mock.counts().streamLimitViolations == 0)
    }
}
