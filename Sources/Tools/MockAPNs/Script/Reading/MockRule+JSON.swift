import MockKit

extension MockRule {
    enum Key: String, RuleKey {
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

    init(_ rule: ScriptObject<Key>) throws(MockError) {
        self.init(try Match(rule), try Action(rule))
        latency = try rule.latency(.latency)
        limit = try Sampling(rule).limit
    }
}

extension MockRule.Match {
    init(_ rule: ScriptObject<MockRule.Key>) throws(MockError) {
        self.init()
        let tokens = try rule.strings(
            .tokens, each: "a device token: an even number of hexadecimal digits, at most 400",
            RequestRouter.isDeviceToken)
        self.tokens = tokens.map { Set($0) }
        pushType = try rule.word(.pushType, MockPushType.self)
        event = try rule.word(.event, MockRule.Event.self)
        if let event, event == .publish || event.isChannelCall {
            try rule.refuse(.tokens, .pushType, because: "is not allowed with the event \(event.rawValue)")
        }
        let sampling = try Sampling(rule)
        skip = sampling.skip
        every = sampling.every
        share = sampling.share
        connectionEvery = sampling.connectionEvery
    }
}

extension MockRule.Action {
    init(_ rule: ScriptObject<MockRule.Key>) throws(MockError) {
        switch try rule.onlyOne(of: [.status, .action]) {
        case .status: self = try Self.answer(rule)
        case .action: self = try Self.word(rule)
        default: throw rule.error("a status or an action is required")
        }
    }

    private static func answer(_ rule: ScriptObject<MockRule.Key>) throws(MockError) -> Self {
        let status = try rule.required(.status, rule.int(.status, in: 300...599))
        let reason = try rule.required(.reason, rule.reason(.reason, APNsReasons.self))
        try rule.refuse(.errorCode, because: "is not allowed with status")
        if status != 410 { try rule.refuse(.timestamp, because: "is not allowed with a status other than 410") }
        return .answer(
            status: status, reason: reason, timestamp: try rule.int64(.timestamp, in: 0...(.max)),
            retryAfter: try rule.int(.retryAfter))
    }

    private static func word(_ rule: ScriptObject<MockRule.Key>) throws(MockError) -> Self {
        try rule.refuse(.reason, .timestamp, .retryAfter, because: "is not allowed with action")
        switch try RuleAction(rule) {
        case .accept: return .accept
        case .silence: return .silence
        case .reset(let code): return .reset(code: code)
        case .close(let abruptly): return .close(abruptly: abruptly)
        }
    }
}
