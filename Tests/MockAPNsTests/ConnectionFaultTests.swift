import MockAPNs
import Reactor
import TLS
import TestHTTP2Client
import Testing
import TimeCore

@Suite("Faults of connections")
struct ConnectionFaultTests {
    @Test("A push can end the connection, with a reset or in order after earlier answers", arguments: [true, false])
    func close(abruptly: Bool) async throws {
        let mock = try TestMock()
        var script = MockScript()
        script.rules = [MockRule(.init(skip: 2), .close(abruptly: abruptly), limit: 1)]
        mock.mock.setScript(script)
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let results = await client.send(try (0..<5).map { _ in try mock.push() })
        #expect(results[2...].allSatisfy { $0 == .connectionEnded })
        if abruptly {
            #expect(await client.wait { if case .socket = $0.end { true } else { false } })
        } else {
            #expect(results[..<2].map(\.status) == [200, 200])
            #expect(await client.wait { $0.end == .closedByPeer })
        }
        // The pushes after the fatal one were not read.
        #expect(mock.mock.counts().pushes == 3)
        #expect(await mock.mock.waitFor(timeout: deadline) { $0.connectionsOpen == 0 })
        let next = try await TestClient.connect(to: mock)
        defer { next.stop() }
        #expect(await next.send(try mock.push()).status == 200)
    }

    @Test("Connections are refused while the script says so, and accepted on the same port afterwards")
    func refuse() async throws {
        let mock = try TestMock()
        var script = MockScript()
        script.connections = .init(.refuse)
        mock.mock.setScript(script)
        let refused = try await TestClient.connect(to: mock)
        defer { refused.stop() }
        #expect(refused.observations.end == .socket(.init(call: "connect", number: 111)))
        script.connections = .init(.refuse, for: .milliseconds(100))
        mock.mock.setScript(script)
        var isAccepted = false
        let began = MonotonicTime.now()
        while !isAccepted, MonotonicTime.now() - began < deadline {
            let client = try await TestClient.connect(to: mock)
            isAccepted = client.observations.isEstablished
            client.stop()
        }
        #expect(isAccepted)
        #expect(MonotonicTime.now() - began >= .milliseconds(90))
    }

    @Test("Connections are reset while the script says so")
    func reset() async throws {
        let mock = try TestMock()
        var script = MockScript()
        script.connections = .init(.reset)
        mock.mock.setScript(script)
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        #expect(!client.observations.isEstablished)
        #expect(client.observations.end != nil)
        #expect(mock.mock.counts().connectionsAccepted == 1)
        #expect(mock.mock.counts().connectionsOpened == 0)
    }

    @Test("A stalled handshake never ends, until the script changes")
    func stall() async throws {
        let mock = try TestMock()
        var script = MockScript()
        script.connections = .init(.stallHandshake)
        mock.mock.setScript(script)
        let client = try await TestClient.connect(to: mock, establish: false)
        defer { client.stop() }
        #expect(await mock.mock.waitFor(timeout: deadline) { $0.connectionsAccepted == 1 })
        #expect(!client.observations.isEstablished)
        mock.mock.setScript(MockScript())
        #expect(await client.wait { $0.end != nil })
        #expect(!client.observations.isEstablished)
    }

    @Test("PING is answered, or not when the script says so")
    func pings() async throws {
        let mock = try TestMock()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        client.ping()
        #expect(await client.wait { $0.pongs == 1 })
        var script = MockScript()
        script.answersPings = false
        mock.mock.setScript(script)
        client.ping()
        #expect(await mock.mock.waitFor(timeout: deadline) { $0.pingsReceived == 2 })
        // A later answer shows that none to the PING is on its way.
        #expect(await client.send(try mock.push()).status == 200)
        #expect(client.observations.pongs == 1)
    }

    @Test("SETTINGS come late, and everything else after them")
    func lateSettings() async throws {
        let mock = try TestMock()
        var script = MockScript()
        script.settings = .after(.milliseconds(200))
        mock.mock.setScript(script)
        let began = MonotonicTime.now()
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        #expect(await client.send(try mock.push()).status == 200)
        #expect(MonotonicTime.now() - began >= .milliseconds(200))
        #expect(client.observations.streamLimits == [1_000])
    }

    @Test("SETTINGS that never come mean silence")
    func noSettings() async throws {
        let mock = try TestMock()
        var script = MockScript()
        script.settings = .never
        mock.mock.setScript(script)
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        #expect(await client.send(try mock.push(), timeout: .milliseconds(300)) == .timedOut)
        #expect(await mock.mock.waitFor(pushes: 1, timeout: deadline))
        #expect(client.observations.settings.isEmpty)
        #expect(mock.mock.counts().settingsSent == 0)
    }

    @Test("Tiny windows, other frame and table sizes are announced, and pushes get through")
    func sizes() async throws {
        let mock = try TestMock { $0.connectionWindowSize = 65_535 }
        var script = MockScript()
        script.initialWindowSize = 7
        script.maxFrameSize = 20_000
        script.headerTableSize = 0
        mock.mock.setScript(script)
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        let results = await client.send(try (0..<50).map { _ in try mock.push() })
        #expect(results.allSatisfy { $0.status == 200 })
        #expect(client.observations.settings.first == [1: 0, 3: 1_000, 4: 7, 5: 20_000])
    }

    @Test("More connections than the maximum are turned away")
    func maximum() async throws {
        let mock = try TestMock { $0.maximumConnections = 2 }
        let clients = [try await TestClient.connect(to: mock), try await TestClient.connect(to: mock)]
        let third = try await TestClient.connect(to: mock)
        #expect(!third.observations.isEstablished)
        #expect(mock.mock.counts().connectionsOverMaximum == 1)
        // A client finishes the handshake before the mock counts the connection.
        #expect(await mock.mock.waitFor(timeout: deadline) { $0.connectionsOpen == 2 })
        clients[0].stop()
        #expect(await mock.mock.waitFor(timeout: deadline) { $0.connectionsOpen == 1 })
        let fourth = try await TestClient.connect(to: mock)
        #expect(await fourth.send(try mock.push()).status == 200)
        for client in [clients[1], third, fourth] { client.stop() }
    }

    @Test("A handshake that takes too long is ended")
    func handshakeDeadline() async throws {
        let mock = try TestMock { $0.handshakeTimeout = .milliseconds(100) }
        let silent = try RawSocket(port: mock.mock.port)
        #expect(await mock.mock.waitFor(timeout: deadline) { $0.handshakesFailed == 1 })
        silent.close()
    }
}
