import Testing
import TimeCore

@testable import MockFCM

@Suite("Scripts of the mock of FCM")
struct ScriptTests {
    @Test("The page describes every key that is read, where it is read, and no other")
    func keys() throws {
        let (shared, own) = try Page.parts()
        var described = Page.keys(own)
        described["Counts"] = nil
        described[""] = described.removeValue(forKey: "The script")
        let sharedKeys = Page.keys(shared)
        for place in ConnectionScript.keys.map({ $0.place }) { described[place] = sharedKeys[place] }
        for (place, keys) in MockFCM.Script.keysByPlace { #expect(described[place] == keys, "\(place)") }
        #expect(Set(described.keys) == Set(MockFCM.Script.keysByPlace.keys))
    }

    @Test("The scripts on the page are read")
    func written() throws {
        let blocks = try Page.parts().own.matches(of: /```json\n(.*?)\n```/.dotMatchesNewlines()).map { String($0.1) }
        #expect(!blocks.isEmpty)
        for script in blocks { _ = try MockFCM.Script(json: Array(script.utf8)) }
    }

    @Test("All that a script can say is read")
    func whole() throws {
        let script = try MockFCM.Script(
            json: Array(
                """
                {"latency": {"fixed_ms": 5},
                 "rules": [{"tokens": ["a"], "token_prefix": "b", "token_suffix": "c", "event": "end", "after_ms": 1,
                            "until_ms": 2, "skip": 1, "every": 2, "share": 0.5, "connection_every": 3, "limit": 4,
                            "error": "QUOTA_EXCEEDED", "about": "device", "details": false, "retry_date": 9,
                            "latency": {"fixed_ms": 1}}, {"action": "reset", "error_code": 8}],
                 "token_rules": [{"page": 503, "retry_after": 2}],
                 "access_tokens": {"latency": {"fixed_ms": 2}, "lifetime_ms": 1000, "validity_ms": 500},
                 "quota": {"messages_per_minute": 7, "retry_after": "none"},
                 "devices": {"messages_per_minute": 1, "collapsible_burst": 2, "collapsible_interval_ms": 3000,
                             "collapse_keys": 3},
                 "malformed_tokens": {"minimum_length": 9, "prefixes": ["x"]}, "denied_projects": ["p"],
                 "goaway": {"after_streams": 1, "reason": "max_age"}, "omits_error_bodies": true}
                """.utf8))
        var expected = MockFCM.Script()
        expected.latency = .fixed(.milliseconds(5))
        let match = MockFCM.Match(
            tokens: ["a"], tokenPrefix: "b", tokenSuffix: "c", event: .end, after: .milliseconds(1),
            until: .milliseconds(2), skip: 1, every: 2, share: 0.5, connectionEvery: 3)
        let fault = MockFCM.MessageFault(.quotaExceeded, about: .device, hasDetails: false)
        expected.rules = [
            .init(match, .fault(fault, retryAfter: .date(9)), latency: .fixed(.milliseconds(1)), limit: 4),
            .init(.all, .reset(code: 8)),
        ]
        expected.tokenRules = [.init(.all, .page(status: 503, retryAfter: .seconds(2)))]
        expected.accessTokens.latency = .fixed(.milliseconds(2))
        expected.accessTokens.lifetime = .seconds(1)
        expected.accessTokens.validity = .milliseconds(500)
        expected.quota.messagesPerMinute = 7
        expected.quota.sendsRetryAfter = false
        expected.devices.messagesPerMinute = 1
        expected.devices.collapsibleBurst = 2
        expected.devices.collapsibleInterval = .seconds(3)
        expected.devices.collapseKeys = 3
        expected.malformedTokens.minimumLength = 9
        expected.malformedTokens.prefixes = ["x"]
        expected.deniedProjects = ["p"]
        expected.goAway = .init(afterStreams: 1, reason: "max_age")
        expected.omitsErrorBodies = true
        #expect(script == expected)
    }

    @Test(
        "What is wrong is named, with its path and what may have been meant",
        arguments: [
            (#"{"rule": []}"#, #"rule: unknown; did you mean "rules"?"#),
            (#"{"token_rules": [{"tokens": ["a"], "page": 502}]}"#, "token_rules[0].tokens: unknown"),
            (#"{"rules": [{}]}"#, "rules[0]: an error, a page or an action is required"),
            (#"{"rules": [{"error": "UNREGISTRED"}]}"#, #"did you mean "UNREGISTERED"?"#),
            (#"{"rules": [{"error": "INTERNAL", "page": 502}]}"#, "rules[0].page: is not allowed with error"),
            (#"{"rules": [{"error": "INTERNAL", "about": "token"}]}"#, "rules[0].about: is not allowed"),
            (#"{"rules": [{"error": "QUOTA_EXCEEDED", "about": "token"}]}"#, "rules[0].about: is not allowed"),
            (#"{"rules": [{"page": 502, "details": true}]}"#, "rules[0].details: is not allowed without error"),
            (#"{"rules": [{"page": 200}]}"#, "rules[0].page: must be a whole number from 400 to 599"),
            (#"{"rules": [{"page": 502, "error_code": 7}]}"#, "rules[0].error_code: is not allowed with page"),
            (#"{"rules": [{"action": "silence", "retry_after": 7}]}"#, "rules[0].retry_after: is not allowed"),
            (#"{"rules": [{"page": 502, "retry_after": 1, "retry_date": 1}]}"#, "retry_date: is not allowed with"),
            (#"{"rules": [{"page": 502, "after_ms": 2, "until_ms": 2}]}"#, "rules[0].until_ms: must be above"),
            (#"{"token_rules": [{"error": "invalid_grnt"}]}"#, #"did you mean "invalid_grant"?"#),
            (#"{"quota": {"retry_after": "never"}}"#, "quota.retry_after: must be one of seconds, date, none"),
            (#"{"access_tokens": {"lifetime": 1}}"#, #"did you mean "lifetime_ms"?"#),
            (#"{"malformed_tokens": {"prefixes": [""]}}"#, "malformed_tokens.prefixes[0]: must be"),
        ])
    func wrong(_ json: String, _ words: String) {
        let error = #expect(throws: MockError.self) { try MockFCM.Script(json: Array(json.utf8)) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }
}
