import MockKit

/// The keys of `rules[]`.
enum MessageRuleKey: String, AnsweringRuleKey {
    case tokens
    case tokenPrefix = "token_prefix"
    case tokenSuffix = "token_suffix"
    case event
    case after = "after_ms"
    case until = "until_ms"
    case skip, every, share
    case connectionEvery = "connection_every"
    case error, about, details
    case page
    case retryAfter = "retry_after"
    case retryDate = "retry_date"
    case action
    case errorCode = "error_code"
    case latency, limit

    static let place = "rules[]"
}

/// The keys of `token_rules[]`.
enum TokenRuleKey: String, AnsweringRuleKey {
    case after = "after_ms"
    case until = "until_ms"
    case skip, every, share
    case connectionEvery = "connection_every"
    case error, page
    case retryAfter = "retry_after"
    case retryDate = "retry_date"
    case action
    case errorCode = "error_code"
    case latency, limit

    static let place = "token_rules[]"
}

/// The common keys of `rules[]` and `token_rules[]`.
protocol AnsweringRuleKey: RuleKey {
    static var after: Self { get }
    static var until: Self { get }
    static var error: Self { get }
    static var page: Self { get }
    static var retryAfter: Self { get }
    static var retryDate: Self { get }
}

extension MockFCM.Rule where Fault == MockFCM.MessageFault {
    init(_ rule: ScriptObject<MessageRuleKey>) throws(MockError) {
        var match = try MockFCM.Match(rule)
        let form = "a registration token of at most 1024 bytes"
        let isToken = { (text: String) in (1...1_024).contains(text.utf8.count) }
        match.tokens = try rule.strings(.tokens, each: form, isToken).map { Set($0) }
        match.tokenPrefix = try rule.string(.tokenPrefix)
        match.tokenSuffix = try rule.string(.tokenSuffix)
        match.event = try rule.word(.event, MockFCM.Event.self)
        let code = try rule.word(.error, MockFCM.ErrorCode.self)
        if code == nil { try rule.refuse(.about, .details, because: "is not allowed without error") }
        let subject = try Self.subject(rule, of: code)
        let hasDetails = try rule.bool(.details) ?? true
        let fault = code.map { MockFCM.MessageFault($0, about: subject, hasDetails: hasDetails) }
        try self.init(rule, match, fault)
    }

    private static func subject(
        _ rule: ScriptObject<MessageRuleKey>, of code: MockFCM.ErrorCode?
    ) throws(MockError) -> MockFCM.MessageFault.Subject? {
        guard let subject = try rule.word(.about, MockFCM.MessageFault.Subject.self) else { return nil }
        switch (code, subject) {
        case (.invalidArgument, .token), (.invalidArgument, .message), (.quotaExceeded, .project),
            (.quotaExceeded, .device):
            return subject
        default: throw rule.error(.about, "is not allowed with this error")
        }
    }
}

extension MockFCM.Rule where Fault == MockFCM.TokenError {
    init(_ rule: ScriptObject<TokenRuleKey>) throws(MockError) {
        try self.init(rule, try MockFCM.Match(rule), try rule.word(.error, MockFCM.TokenError.self))
    }
}

extension MockFCM.Rule {
    fileprivate init<Key: AnsweringRuleKey>(
        _ rule: ScriptObject<Key>, _ match: MockFCM.Match, _ fault: Fault?
    ) throws(MockError) {
        let form = try rule.onlyOne(of: [.error, .page, .action])
        if form == .action { try rule.refuse(.retryAfter, .retryDate, because: "is not allowed with action") }
        if form != .action {
            try rule.refuse(.errorCode, because: "is not allowed with \(form?.rawValue ?? "nothing")")
        }
        let retryAfter = try MockFCM.RetryAfter(rule)
        let action: Action
        switch form {
        case .error:
            action = .fault(try rule.required(.error, fault), retryAfter: retryAfter)
        case .page:
            let status = try rule.required(.page, rule.int(.page, in: 400...599))
            action = .page(status: status, retryAfter: retryAfter)
        case .action: action = Self.action(try RuleAction(rule))
        default: throw rule.error("an error, a page or an action is required")
        }
        let limit = try Sampling(rule).limit
        self.init(match, action, latency: try rule.latency(.latency), limit: limit)
    }

    private static func action(_ action: RuleAction) -> Action {
        switch action {
        case .accept: .accept
        case .silence: .silence
        case .reset(let code): .reset(code: code)
        case .close(let abruptly): .close(abruptly: abruptly)
        }
    }
}

extension MockFCM.Match {
    fileprivate init<Key: AnsweringRuleKey>(_ rule: ScriptObject<Key>) throws(MockError) {
        let sampling = try Sampling(rule)
        self.init(
            after: try rule.milliseconds(.after), until: try rule.milliseconds(.until), skip: sampling.skip,
            every: sampling.every, share: sampling.share, connectionEvery: sampling.connectionEvery)
        if let after, let until, until <= after { throw rule.error(.until, "must be above after_ms") }
    }
}

extension MockFCM.RetryAfter {
    fileprivate init?<Key: AnsweringRuleKey>(_ rule: ScriptObject<Key>) throws(MockError) {
        _ = try rule.onlyOne(of: [.retryAfter, .retryDate])
        if let seconds = try rule.int(.retryAfter) {
            self = .seconds(seconds)
        } else if let seconds = try rule.int(.retryDate) {
            self = .date(seconds)
        } else {
            return nil
        }
    }
}
