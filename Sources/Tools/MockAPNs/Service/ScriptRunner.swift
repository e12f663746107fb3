import MockKit
import TimeCore

/// Executes a script: counts the matches of its rules and draws from the seed. Pure: the same requests in the same
/// order with the same seed give the same decisions.
struct ScriptRunner {
    let script: MockScript
    private var rules: [RunningRule]
    private var random: SplitMix64
    private let isQuiet: Bool
    private var bodylessRejections: [Answer] = []

    init(script: MockScript, seed: UInt64) {
        self.script = script
        random = SplitMix64(state: seed)
        rules = script.rules.map { RunningRule($0, omitsBody: script.omitsErrorBodies) }
        isQuiet = script.rules.isEmpty && script.latency == .none
        if script.omitsErrorBodies {
            bodylessRejections = Rejection.allCases.map {
                Answer(status: $0.status, reason: $0.reason, hasBody: false)
            }
        }
    }

    /// - Parameters:
    ///   - connection: The number of the connection, from 1.
    ///   - rejection: The result of the checks.
    mutating func decide(
        _ subject: RuleSubject, connection: Int, rejection: Rejection?
    ) -> MockDecision {
        if let rejection {
            let answer =
                bodylessRejections.isEmpty ? Answer.rejected(rejection) : bodylessRejections[rejection.rawValue]
            return MockDecision(.answer(answer), delay: script.latency.draw(&random))
        }
        if isQuiet { return MockDecision(.answer(.accepted)) }
        for index in rules.indices
        where rules[index].takes(subject, connection: connection, random: &random) {
            return MockDecision(
                rules[index].outcome, delay: (rules[index].latency ?? script.latency).draw(&random))
        }
        return MockDecision(.answer(.accepted), delay: script.latency.draw(&random))
    }

    /// Decides on a push to the token of 64 zeros: the outcome of the first unlimited rule for every push, otherwise
    /// `BadDeviceToken`. Changes no counter and draws nothing.
    func decideForNobody(rejection: Rejection?) -> MockDecision.Outcome {
        if let rejection { return .answer(.rejected(rejection)) }
        guard let rule = script.rules.firstIndex(where: { $0.match == .all && $0.limit == nil }) else {
            return .answer(.rejected(.badDeviceToken))
        }
        if case .accept = script.rules[rule].action { return .answer(.rejected(.badDeviceToken)) }
        return rules[rule].outcome
    }
}

/// A rule with its counters.
private struct RunningRule {
    let outcome: MockDecision.Outcome
    let latency: MockLatency?
    private let tokens: Set<[UInt8]>?
    private let match: MockRule.Match
    private var sampling: RunningSampling

    init(_ rule: MockRule, omitsBody: Bool) {
        match = rule.match
        latency = rule.latency
        sampling = RunningSampling(
            Sampling(
                skip: match.skip, every: match.every, share: match.share, connectionEvery: match.connectionEvery,
                limit: rule.limit))
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

    mutating func takes(_ subject: RuleSubject, connection: Int, random: inout SplitMix64) -> Bool {
        guard match.pushType == nil || match.pushType == subject.type,
            match.event == nil || match.event == subject.event
        else { return false }
        if let tokens, !tokens.contains(subject.token) { return false }
        return sampling.takes(connection: connection, random: &random)
    }
}
