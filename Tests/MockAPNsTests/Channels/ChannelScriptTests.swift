import MockAPNs
import TestHTTP2Client
import Testing
import TimeCore

@Suite("Scripted faults of channels")
struct ChannelScriptTests {
    private func mock(_ script: String) throws -> TestMock {
        let mock = try TestMock()
        try mock.mock.setScript(json: Array(script.utf8))
        return mock
    }

    @Test("A rule for a call is for that call alone, and for no push")
    func calls() async throws {
        let script =
            #"{"rules": [{"event": "create_channel", "status": 500, "reason": "InternalServerError", "limit": 1}]}"#
        let mock = try mock(script)
        let manager = try await mock.manager()
        defer { manager.stop() }
        #expect(await manager.send(try mock.call("GET", "all-channels")).status == 200)
        let refused = await manager.send(try mock.creation())
        #expect(refused.status == 500 && refused.reason == "InternalServerError")
        #expect(mock.mock.channels().isEmpty && mock.mock.counts().channelCallsCarriedOut == [.list: 1])
        #expect(await manager.send(try mock.creation()).status == 201)
    }

    @Test("A rule without an event is for pushes, to devices and to channels, and for no call")
    func pushes() async throws {
        let mock = try TestMock()
        let channel = try await mock.createChannel()
        try mock.mock.setScript(json: Array(#"{"rules": [{"status": 503, "reason": "ServiceUnavailable"}]}"#.utf8))
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        #expect(await client.send([try mock.push(), try mock.publish(channel)]).map(\.status) == [503, 503])
        #expect(mock.mock.publishes(to: channel).isEmpty)
        let manager = try await mock.manager()
        defer { manager.stop() }
        #expect(await manager.send(try mock.call("GET", channel: channel)).status == 200)
    }

    @Test("A rule for pushes to channels passes over those to devices")
    func publishes() async throws {
        let mock = try TestMock()
        let channel = try await mock.createChannel()
        let script = #"{"rules": [{"event": "publish", "status": 429, "reason": "TooManyRequests", "retry_after": 3}]}"#
        try mock.mock.setScript(json: Array(script.utf8))
        let client = try await TestClient.connect(to: mock)
        defer { client.stop() }
        #expect(await client.send(try mock.push()).status == 200)
        let refused = await client.send(try mock.publish(channel))
        #expect(refused.status == 429 && refused.response?.headers["retry-after"] == "3")
        try mock.mock.setScript(
            json: Array(#"{"rules": [{"event": "update", "status": 400, "reason": "BadTopic"}]}"#.utf8))
        #expect(await client.send(try mock.publish(channel)).status == 200)
    }

    @Test("A call whose answer is lost is carried out, and one that is reset is not")
    func lostAnswers() async throws {
        let mock = try mock(
            """
            {"rules": [{"event": "create_channel", "action": "close", "limit": 1},
                       {"event": "create_channel", "action": "reset"}]}
            """)
        let first = try await mock.manager()
        defer { first.stop() }
        #expect(await first.send(try mock.creation()) == .connectionEnded)
        #expect(mock.mock.channels().count == 1 && mock.mock.counts().channelsCreated == 1)
        let second = try await mock.manager()
        defer { second.stop() }
        #expect(await second.send(try mock.creation()) == .reset(code: 7))
        #expect(mock.mock.channels().count == 1)
        #expect(await mock.mock.waitFor(timeout: deadline) { $0.channelCalls == [.create: 2] })
    }

    @Test(
        "What would change nothing is refused",
        arguments: [
            (
                #"{"rules": [{"event": "publish", "tokens": ["ab"], "action": "silence"}]}"#,
                "rules[0].tokens: is not allowed with the event publish"
            ),
            (
                #"{"rules": [{"event": "list_channels", "push_type": "alert", "action": "silence"}]}"#,
                "rules[0].push_type: is not allowed with the event list_channels"
            ),
            (
                #"{"channels": {"publish_interval_ms": 0, "publish_burst": 2}}"#,
                "channels.publish_burst: is not allowed with a publish_interval_ms of 0"
            ),
            (#"{"channels": {"limits": 3}}"#, #"channels.limits: unknown; did you mean "limit"?"#),
        ])
    func wrong(_ script: String, _ words: String) {
        let error = #expect(throws: MockError.self) { try MockScript(json: Array(script.utf8)) }
        #expect(error?.description == words)
    }

    @Test("What a script says of channels is read")
    func read() throws {
        let script = try MockScript(
            json: Array(
                #"{"channels": {"enabled": false, "limit": 7, "publish_interval_ms": 250, "publish_burst": 2}}"#.utf8))
        var expected = MockScript()
        expected.channels.isEnabled = false
        expected.channels.limit = 7
        expected.channels.publishInterval = .milliseconds(250)
        expected.channels.publishBurst = 2
        #expect(script == expected)
    }
}
