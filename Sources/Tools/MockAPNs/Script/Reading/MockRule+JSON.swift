extension MockRule {
    enum Key: String, ScriptKey {
        case tokens
        case pushType = "push_type"
        case event, skip, every, share
        case connectionEvery = "connection_every"
        case status, reason, timestamp
        case retryAfter = "retry_after"
        case action
        case errorCode = "error_code"
        case latency, limit

        static let place = "rules[]"
    }

    init(_ rule: ScriptObject<Key>) throws(MockAPNsError) {
        self.init(try Match(rule), try Action(rule))
        if let latency = try rule.object(.latency, MockLatency.Key.self) { self.latency = try MockLatency(latency) }
        limit = try rule.int(.limit, in: 1...1_000_000_000)
    }
}

extension MockRule.Match {
    init(_ rule: ScriptObject<MockRule.Key>) throws(MockAPNsError) {
        self.init()
        let tokens = try rule.strings(
            .tokens, each: "a device token: an even number of hexadecimal digits, at most 400",
            RequestRouter.isDeviceToken)
        self.tokens = tokens.map { Set($0) }
        pushType = try rule.word(.pushType, MockPushType.self)
        event = try rule.word(.event, MockPushEvent.self)
        skip = try rule.int(.skip) ?? 0
        every = try rule.int(.every, in: 1...1_000_000_000)
        share = try rule.share(.share)
        connectionEvery = try rule.int(.connectionEvery, in: 1...1_000_000_000)
    }
}

extension MockRule.Action {
    /// What a rule does when it gives no answer.
    private enum Word: String, CaseIterable {
        case accept, silence, reset, close
        case closeAbruptly = "close_abruptly"
    }

    init(_ rule: ScriptObject<MockRule.Key>) throws(MockAPNsError) {
        switch try rule.onlyOne(of: [.status, .action]) {
        case .status: self = try Self.answer(rule)
        case .action: self = try Self.word(rule)
        default: throw rule.error("a status or an action must be given")
        }
    }

    private static func answer(_ rule: ScriptObject<MockRule.Key>) throws(MockAPNsError) -> Self {
        let status = try rule.required(.status, rule.int(.status, in: 300...599))
        let reason = try rule.required(.reason, rule.reason(.reason))
        try rule.refuse(.errorCode, because: "has no place beside status")
        if status != 410 { try rule.refuse(.timestamp, because: "has no place beside a status other than 410") }
        return .answer(
            status: status, reason: reason, timestamp: try rule.int64(.timestamp, in: 0...(.max)),
            retryAfter: try rule.int(.retryAfter))
    }

    private static func word(_ rule: ScriptObject<MockRule.Key>) throws(MockAPNsError) -> Self {
        let word = try rule.required(.action, rule.word(.action, Word.self))
        try rule.refuse(.reason, .timestamp, .retryAfter, because: "has no place beside action")
        if word != .reset { try rule.refuse(.errorCode, because: "has no place beside an action other than reset") }
        switch word {
        case .accept: return .accept
        case .silence: return .silence
        // REFUSED_STREAM (RFC 9113, section 7).
        case .reset: return .reset(code: try rule.uint32(.errorCode) ?? 7)
        case .close: return .close(abruptly: false)
        case .closeAbruptly: return .close(abruptly: true)
        }
    }
}
