import LiveActivity
import TimeCore

/// What becomes of one push, and when.
struct PushDecision {
    enum Outcome {
        case answer(Answer)
        case silence
        case reset(code: UInt32)
        case close(abruptly: Bool)
    }

    var outcome: Outcome
    var delay: TimeInterval

    static let accepted = PushDecision(outcome: .answer(.accepted), delay: .zero)
}

/// A script at work: it counts what its rules count, and draws from the seed. Pure; the same pushes in the same order
/// with the same seed give the same decisions.
struct ScriptRunner {
    let script: MockScript
    private var rules: [RunningRule]
    private var random: SplitMix64
    private let isQuiet: Bool
    private var bodylessRejections: [Answer] = []
    private var goAwaysLeft: Int

    init(script: MockScript, seed: UInt64) {
        self.script = script
        random = SplitMix64(state: seed)
        rules = script.rules.map { RunningRule($0, omitsBody: script.omitsErrorBodies) }
        isQuiet = script.rules.isEmpty && script.latency == .none
        goAwaysLeft = script.goAway?.limit ?? .max
        if script.omitsErrorBodies {
            bodylessRejections = Rejection.allCases.map {
                Answer(status: $0.status, reason: $0.reason, hasBody: false)
            }
        }
    }

    /// Whether the next connection that comes to it gets the GOAWAY; takes one of the script's limit.
    mutating func takeGoAway() -> Bool {
        guard goAwaysLeft > 0 else { return false }
        goAwaysLeft -= 1
        return true
    }

    var hasGoAwayLeft: Bool { goAwaysLeft > 0 }

    /// - Parameters:
    ///   - token: lower-case hexadecimal.
    ///   - connection: its number among all, from 1.
    ///   - rejection: what the checks found.
    mutating func decide(
        token: [UInt8], type: MockPushType?, event: MockPushEvent?, connection: Int, rejection: Rejection?
    ) -> PushDecision {
        if let rejection {
            let answer =
                bodylessRejections.isEmpty ? Answer.rejected(rejection) : bodylessRejections[rejection.rawValue]
            return PushDecision(outcome: .answer(answer), delay: draw(script.latency))
        }
        if isQuiet { return .accepted }
        for index in rules.indices
        where rules[index].takes(
            token: token, type: type, event: event, connection: connection, random: &random)
        {
            return PushDecision(
                outcome: rules[index].outcome, delay: draw(rules[index].latency ?? script.latency))
        }
        return PushDecision(outcome: .answer(.accepted), delay: draw(script.latency))
    }

    /// What becomes of a push to the token of 64 zeros: what every push gets, if there is such a rule, and otherwise
    /// `BadDeviceToken`. Counts and draws nothing.
    func decideForNobody(rejection: Rejection?) -> PushDecision.Outcome {
        if let rejection { return .answer(.rejected(rejection)) }
        guard let rule = script.rules.firstIndex(where: { $0.match == .all && $0.limit == nil }) else {
            return .answer(.rejected(.badDeviceToken))
        }
        if case .accept = script.rules[rule].action { return .answer(.rejected(.badDeviceToken)) }
        return rules[rule].outcome
    }

    private mutating func draw(_ latency: MockLatency) -> TimeInterval {
        switch latency {
        case .none: .zero
        case .fixed(let value): value
        case .uniform, .percentiles: latency.value(at: random.nextFraction())
        }
    }
}

/// One rule and its counts.
private struct RunningRule {
    let outcome: PushDecision.Outcome
    let latency: MockLatency?
    private let tokens: Set<[UInt8]>?
    private let match: MockRule.Match
    private var matched = 0
    private var left: Int

    init(_ rule: MockRule, omitsBody: Bool) {
        match = rule.match
        latency = rule.latency
        left = rule.limit ?? .max
        tokens = rule.match.tokens.map { Set($0.map { Array($0.lowercased().utf8) }) }
        switch rule.action {
        case .accept: outcome = .answer(.accepted)
        case .answer(let status, let reason, let timestamp, let retryAfter):
            outcome = .answer(
                Answer(
                    status: status, reason: reason, timestamp: timestamp, retryAfter: retryAfter, hasBody: !omitsBody))
        case .silence: outcome = .silence
        case .reset(let code): outcome = .reset(code: code)
        case .close(let abruptly): outcome = .close(abruptly: abruptly)
        }
    }

    mutating func takes(
        token: [UInt8], type: MockPushType?, event: MockPushEvent?, connection: Int, random: inout SplitMix64
    ) -> Bool {
        guard left > 0, match.pushType == nil || match.pushType == type, match.event == nil || match.event == event
        else { return false }
        if let tokens, !tokens.contains(token) { return false }
        if let every = match.connectionEvery, (connection - 1) % every != 0 { return false }
        matched += 1
        guard matched > match.skip else { return false }
        if let every = match.every, every > 1, (matched - match.skip) % every != 0 { return false }
        if let share = match.share, random.nextFraction() >= share { return false }
        left -= 1
        return true
    }
}

/// Steele, Lea and Flood's generator: small, fast, and good enough for drawing pushes.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// From 0 up to, not including, 1.
    mutating func nextFraction() -> Double {
        Double(next() >> 11) / 9_007_199_254_740_992
    }
}
