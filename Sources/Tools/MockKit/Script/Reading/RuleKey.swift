/// The keys that every kind of rule has: the requests that it takes, and its action without an answer.
package protocol RuleKey: ScriptKey {
    static var skip: Self { get }
    static var every: Self { get }
    static var share: Self { get }
    static var connectionEvery: Self { get }
    static var limit: Self { get }
    static var action: Self { get }
    static var errorCode: Self { get }
    static var latency: Self { get }
}

extension Sampling {
    package init<Key: RuleKey>(_ rule: ScriptObject<Key>) throws(MockError) {
        self.init(
            skip: try rule.int(.skip) ?? 0, every: try rule.int(.every, in: 1...1_000_000_000),
            share: try rule.share(.share), connectionEvery: try rule.int(.connectionEvery, in: 1...1_000_000_000),
            limit: try rule.int(.limit, in: 1...1_000_000_000))
    }
}

/// The action of a rule that gives no answer.
package enum RuleAction: Sendable, Equatable {
    /// Accepts the request. Placed before another rule, it makes an exception from that rule.
    case accept
    /// Never answers. The stream stays open.
    case silence
    /// Sends RST_STREAM with this code (RFC 9113, section 7); 7 is REFUSED_STREAM.
    case reset(code: UInt32)
    /// Closes the connection without this answer: with a TCP reset, or after the pending output.
    case close(abruptly: Bool)

    private enum Word: String, CaseIterable {
        case accept, silence, reset, close
        case closeAbruptly = "close_abruptly"
    }

    package init<Key: RuleKey>(_ rule: ScriptObject<Key>) throws(MockError) {
        let word = try rule.required(.action, rule.word(.action, Word.self))
        if word != .reset { try rule.refuse(.errorCode, because: "is not allowed with an action other than reset") }
        switch word {
        case .accept: self = .accept
        case .silence: self = .silence
        case .reset: self = .reset(code: try rule.uint32(.errorCode) ?? 7)
        case .close: self = .close(abruptly: false)
        case .closeAbruptly: self = .close(abruptly: true)
        }
    }
}
