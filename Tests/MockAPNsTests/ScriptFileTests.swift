import MockAPNs
import Testing
import TimeCore

@Suite("Script files")
struct ScriptFileTests {
    private func script(_ json: String) throws -> MockScript {
        try MockScript(json: Array(json.utf8))
    }

    @Test("An empty script is a provider on a good day")
    func empty() throws {
        #expect(try script("{}") == MockScript())
    }

    @Test("Every member is read")
    func everything() throws {
        let read = try script(
            """
            {
              "latency": {"percentiles": [{"share": 0.99, "ms": 80}, {"share": 0.5, "ms": 10}]},
              "rules": [
                {"tokens": ["ab01"], "status": 410, "reason": "Unregistered", "timestamp": 1700000000000},
                {"event": "start", "every": 10, "status": 429, "reason": "TooManyRequests", "retry_after": 2},
                {"share": 0.01, "action": "silence"},
                {"connection_every": 4, "status": 500, "reason": "InternalServerError"},
                {"skip": 100, "limit": 1, "action": "reset"},
                {"action": "close", "latency": {"fixed_ms": 50}},
                {"action": "close_abruptly", "latency": {"min_ms": 1, "max_ms": 2.5}}, {"action": "accept"}
              ],
              "goaway": {"after_streams": 1000, "minus": 3, "reason": "Shutdown", "limit": 1, "error_code": 2,
                         "linger_ms": 20},
              "stream_limit": {"usual": 500, "before_first_valid_push": 1, "after_rejection": 2,
                               "changes": [{"after_pushes": 100, "limit": 1}]},
              "connections": {"mode": "refuse", "for_ms": 1000},
              "settings": {"delay_ms": 200},
              "provider_tokens": {"lifetime_ms": 5000, "skew_ms": 1000, "renewal_interval_ms": 1200000},
              "answers_pings": false, "omits_error_bodies": true,
              "initial_window_size": 16, "max_frame_size": 16384, "header_table_size": 0
            }
            """)
        var expected = MockScript()
        expected.latency = .percentiles([
            .init(share: 0.5, latency: .milliseconds(10)), .init(share: 0.99, latency: .milliseconds(80)),
        ])
        expected.rules = [
            MockRule(
                .init(tokens: ["ab01"]), .answer(status: 410, reason: "Unregistered", timestamp: 1_700_000_000_000)),
            MockRule(
                .init(event: .start, every: 10), .answer(status: 429, reason: "TooManyRequests", retryAfter: 2)),
            MockRule(.init(share: 0.01), .silence),
            MockRule(.init(connectionEvery: 4), .answer(status: 500, reason: "InternalServerError")),
            MockRule(.init(skip: 100), .reset(code: 7), limit: 1),
            MockRule(.all, .close(abruptly: false), latency: .fixed(.milliseconds(50))),
            MockRule(
                .all, .close(abruptly: true), latency: .uniform(.milliseconds(1), .microseconds(2_500))),
            MockRule(.all, .accept),
        ]
        expected.goAway = .init(
            afterStreams: 1_000, lastStream: .minus(3), reason: "Shutdown", errorCode: 2, limit: 1,
            linger: .milliseconds(20))
        expected.streamLimit = .init(
            usual: 500, beforeFirstValidPush: 1, afterRejection: 2, changes: [.init(afterPushes: 100, limit: 1)])
        expected.connections = .init(.refuse, for: .seconds(1))
        expected.settings = .after(.milliseconds(200))
        expected.providerTokens.lifetime = .seconds(5)
        expected.providerTokens.allowedSkew = .seconds(1)
        expected.providerTokens.renewalInterval = .seconds(1_200)
        expected.answersPings = false
        expected.omitsErrorBodies = true
        expected.initialWindowSize = 16
        expected.maxFrameSize = 16_384
        expected.headerTableSize = 0
        #expect(read == expected)
    }

    @Test(
        "What is wrong is named",
        arguments: [
            ("", "not JSON"), ("[]", "script must be an object"), (#"{"rules": {}}"#, "script.rules"),
            (#"{"rules": [{}]}"#, "script.rules[0].action"), (#"{"rules": [{"status": 400}]}"#, "rules[0].reason"),
            (#"{"rules": [{"status": 99, "reason": "x"}]}"#, "rules[0].status"),
            (#"{"rules": [{"event": "begin", "action": "silence"}]}"#, "rules[0].event"),
            (#"{"rules": [{"share": 2, "action": "silence"}]}"#, "rules[0].share"),
            (#"{"rules": [{"every": 0, "action": "silence"}]}"#, "rules[0].every"),
            (#"{"rules": [{"tokens": [1], "action": "silence"}]}"#, "rules[0].tokens"),
            (#"{"latency": {}}"#, "script.latency"), (#"{"latency": {"fixed_ms": -1}}"#, "latency.fixed_ms"),
            (#"{"latency": {"percentiles": [{"share": 1}]}}"#, "percentiles[0].ms"),
            (#"{"goaway": {}}"#, "goaway.after_streams"), (#"{"goaway": {"after_streams": 0}}"#, "after_streams"),
            (#"{"goaway": {"after_streams": 1, "last_stream": "x"}}"#, "goaway.last_stream"),
            (#"{"connections": {"mode": "x"}}"#, "connections.mode"), (#"{"answers_pings": 1}"#, "answers_pings"),
            (#"{"stream_limit": {"changes": [{"limit": 1}]}}"#, "changes[0].after_pushes"),
            (#"{"max_frame_size": 1}"#, "max_frame_size"), (#"{"answers_pings":true,"answers_pings":true}"#, "twice"),
        ])
    func wrong(_ json: String, _ place: String) {
        let error = #expect(throws: MockAPNsError.self) { try script(json) }
        #expect(error?.description.contains(place) == true, "\(error?.description ?? "")")
    }

    @Test("A script's file is read, and one that is not there is named")
    func file() throws {
        #expect(throws: MockAPNsError("cannot read /nowhere/script.json: No such file or directory")) {
            try MockScript(file: "/nowhere/script.json")
        }
    }
}
