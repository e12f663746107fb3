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
                {"push_type": "liveactivity", "event": "start", "every": 10, "status": 429, "reason": "TooManyRequests", "retry_after": 2},
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
                .init(pushType: .liveActivity, event: .start, every: 10),
                .answer(status: 429, reason: "TooManyRequests", retryAfter: 2)),
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
        "What is wrong is named, with its path and what may have been meant",
        arguments: [
            ("", "the script is not JSON: byte 0: "), ("[]", "the script: must be an object"),
            (#"{"rule": []}"#, #"rule: unknown; did you mean "rules"?"#), (#"{"zebra": 1}"#, "zebra: unknown"),
            (
                #"{"rules": [{"action": "accept"}, {"status": 400, "reson": "x"}]}"#,
                #"rules[1].reson: unknown; did you mean "reason"?"#
            ),
            (#"{"latency": {"fixedMs": 1}}"#, #"latency.fixedMs: unknown; did you mean "fixed_ms"?"#),
            (#"{"goaway": {"after_stream": 1}}"#, #"goaway.after_stream: unknown; did you mean "after_streams"?"#),
            (
                #"{"rules": [{"action": "accept", "latency": {"percentiles": [{"share": 1, "mss": 1}]}}]}"#,
                #"rules[0].latency.percentiles[0].mss: unknown; did you mean "ms"?"#
            ),
            (#"{"answers_pings": true, "answers_pings": true}"#, "answers_pings: appears twice"),
            (#"{"rules": [{"skip": 1, "sk\u0069p": 2}]}"#, "rules[0].skip: appears twice"),
            (#"{"latency": null}"#, "latency: must be an object"), (#"{"rules": {}}"#, "rules: must be an array"),
            (#"{"rules": [1]}"#, "rules[0]: must be an object"), (#"{"answers_pings": 1}"#, "answers_pings: must be"),
            (#"{"answers_pings": null}"#, "answers_pings: must be true or false"),
            (#"{"max_frame_size": 1}"#, "max_frame_size: must be a whole number from 16384 to 16777215"),
            (#"{"initial_window_size": 1.5}"#, "initial_window_size: must be a whole number"),
            (#"{"latency": {}}"#, "latency: fixed_ms, min_ms"),
            (#"{"latency": {"fixed_ms": -1}}"#, "latency.fixed_ms: "),
            (#"{"latency": {"fixed_ms": "5"}}"#, "latency.fixed_ms: must be a number"),
            (#"{"latency": {"fixed_ms": 1, "min_ms": 1}}"#, "latency.min_ms: is not allowed with fixed_ms"),
            (#"{"latency": {"fixed_ms": 1, "max_ms": 1}}"#, "latency.max_ms: is not allowed without min_ms"),
            (#"{"latency": {"min_ms": 1}}"#, "latency.max_ms: is required"),
            (#"{"latency": {"min_ms": 2, "max_ms": 1}}"#, "latency.max_ms: must not be below min_ms"),
            (#"{"latency": {"percentiles": []}}"#, "latency.percentiles: must not be empty"),
            (#"{"latency": {"percentiles": [{"share": 1}]}}"#, "latency.percentiles[0].ms: is required"),
            (#"{"goaway": {}}"#, "goaway.after_streams: is required"),
            (#"{"goaway": {"after_streams": 0}}"#, "goaway.after_streams: must be a whole number"),
            (#"{"goaway": {"after_streams": 1, "last_stream": "maxmum"}}"#, #"did you mean "maximum"?"#),
            (
                #"{"goaway": {"after_streams": 1, "minus": 1, "last_stream": "maximum"}}"#,
                "goaway.last_stream: is not allowed with minus"
            ),
            (#"{"goaway": {"after_streams": 1, "reason": "Shutdwn"}}"#, #"goaway.reason: "Shutdwn" is none"#),
            (#"{"connections": {}}"#, "connections.mode: is required"),
            (#"{"connections": {"mode": "x"}}"#, "connections.mode: must be one of accept, refuse"),
            (#"{"connections": {"mode": "accept", "for_ms": 1}}"#, "connections.for_ms: is not allowed"),
            (#"{"settings": {}}"#, "settings: delay_ms or never is required"),
            (#"{"settings": {"delay_ms": 1, "never": true}}"#, "settings.never: is not allowed with delay_ms"),
            (#"{"stream_limit": {"changes": [{"limit": 1}]}}"#, "stream_limit.changes[0].after_pushes: is required"),
            (#"{"stream_limit": {"usual": -1}}"#, "stream_limit.usual: must be a whole number"),
            (#"{"provider_tokens": {"lifetime": 1}}"#, #"did you mean "lifetime_ms"?"#),
        ])
    func wrong(_ json: String, _ words: String) {
        let error = #expect(throws: MockError.self) { try script(json) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test(
        "So is what is wrong with a rule",
        arguments: [
            ("{}", ": a status or an action is required"), (#"{"status": 400}"#, ".reason: is required"),
            (#"{"status": 99, "reason": "Shutdown"}"#, ".status: must be a whole number from 300 to 599"),
            (
                #"{"status": 410, "reason": "Unregisterd"}"#,
                #".reason: "Unregisterd" is none of APNs's reasons; did you mean "Unregistered"?"#
            ),
            (#"{"status": 400, "reason": "BadPayload"}"#, ".reason: \"BadPayload\" is none of APNs's reasons"),
            (#"{"status": 400, "reason": 7}"#, ".reason: must be a string"),
            (#"{"status": 400, "reason": "BadTopic", "action": "silence"}"#, ".action: is not allowed with status"),
            (#"{"status": 400, "reason": "BadTopic", "error_code": 7}"#, ".error_code: is not allowed with status"),
            (#"{"status": 400, "reason": "BadTopic", "timestamp": 7}"#, ".timestamp: is not allowed with a status"),
            (#"{"status": 410, "reason": "ExpiredToken", "timestamp": -1}"#, ".timestamp: must be a whole number"),
            (
                #"{"action": "silent"}"#,
                ".action: must be one of accept, silence, reset, close, close_abruptly; did you"
            ),
            (#"{"action": "silence", "reason": "BadTopic"}"#, ".reason: is not allowed with action"),
            (#"{"action": "close", "retry_after": 1}"#, ".retry_after: is not allowed with action"),
            (#"{"action": "silence", "error_code": 1}"#, ".error_code: is not allowed with an action"),
            (#"{"action": "silence", "event": "begin"}"#, ".event: must be one of start, update, end"),
            (
                #"{"action": "silence", "push_type": "alerts"}"#,
                #".push_type: must be one of liveactivity, alert, background; did you mean "alert"?"#
            ),
            (#"{"action": "silence", "share": 2}"#, ".share: must be a number from 0 to 1"),
            (#"{"action": "silence", "every": 0}"#, ".every: must be a whole number"),
            (#"{"action": "silence", "limit": 0}"#, ".limit: must be a whole number"),
            (#"{"action": "silence", "tokens": "ab"}"#, ".tokens: must be an array"),
            (#"{"action": "silence", "tokens": ["ab", 1]}"#, ".tokens[1]: must be a device token"),
            (#"{"action": "silence", "tokens": ["abc"]}"#, ".tokens[0]: must be a device token"),
            (#"{"action": "silence", "tokens": ["zz"]}"#, ".tokens[0]: must be a device token"),
        ])
    func wrongRule(_ rule: String, _ words: String) {
        let error = #expect(throws: MockError.self) { try script(#"{"rules": [\#(rule)]}"#) }
        #expect(error?.description.contains("rules[0]" + words) == true, "\(error?.description ?? "")")
    }

    @Test("A script's file is read, and one that is not there is named")
    func file() throws {
        #expect(throws: MockError("cannot read /nowhere/script.json: No such file or directory")) {
            try MockScript(file: "/nowhere/script.json")
        }
    }
}
