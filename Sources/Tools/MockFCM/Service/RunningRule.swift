import MockKit
import TimeCore

/// A rule for messages or access tokens with its counters.
struct RunningRule<Fault: Sendable & Equatable> {
    let rule: MockFCM.Rule<Fault>
    private let tokens: Set<[UInt8]>?
    private let prefix: [UInt8]
    private let suffix: [UInt8]
    /// In milliseconds since the script was set.
    private let from: Int64
    private let until: Int64
    private var sampling: RunningSampling

    init(_ rule: MockFCM.Rule<Fault>) {
        let match = rule.match
        self.rule = rule
        tokens = match.tokens.map { Set($0.map { Array($0.utf8) }) }
        prefix = Array((match.tokenPrefix ?? "").utf8)
        suffix = Array((match.tokenSuffix ?? "").utf8)
        from = match.after.map { Int64($0.inSeconds * 1_000) } ?? .min
        until = match.until.map { Int64($0.inSeconds * 1_000) } ?? .max
        sampling = RunningSampling(
            Sampling(
                skip: match.skip, every: match.every, share: match.share, connectionEvery: match.connectionEvery,
                limit: rule.limit))
    }

    /// True if the rule takes every request at any time.
    var takesAll: Bool { rule.match == .all && rule.limit == nil }

    /// - Parameters:
    ///   - token: The registration token; empty for requests without one.
    ///   - age: The time since the script was set, in milliseconds.
    mutating func takes(
        token: [UInt8], event: MockFCM.Event?, connection: Int, age: Int64, random: inout SplitMix64
    ) -> Bool {
        guard from <= age, age < until, rule.match.event == nil || rule.match.event == event else { return false }
        if let tokens, !tokens.contains(token) { return false }
        guard token.starts(with: prefix), suffix.isEmpty || token.suffix(suffix.count).elementsEqual(suffix) else {
            return false
        }
        return sampling.takes(connection: connection, random: &random)
    }
}
