import MockKit
import TimeCore

/// Executes a script: counts the matches of its rules and quotas, and draws from the seed. Pure: the same requests at
/// the same times with the same seed give the same decisions. Times are in milliseconds since 1970.
struct FCMRunner {
    let script: MockFCM.Script
    var quota: MinuteBucket
    var devices: DeviceRates
    private var rules: [RunningRule<MockFCM.MessageFault>]
    private var tokenRules: [RunningRule<MockFCM.TokenError>]
    private var random: SplitMix64
    private let began: Int64

    init(script: MockFCM.Script, seed: UInt64, now: Int64) {
        self.script = script
        quota = MinuteBucket(capacity: script.quota.messagesPerMinute)
        devices = DeviceRates(script.devices)
        rules = script.rules.map { RunningRule($0) }
        tokenRules = script.tokenRules.map { RunningRule($0) }
        random = SplitMix64(state: seed)
        began = now
    }

    /// Returns the rule that takes a message; nil if none does.
    mutating func rule(
        token: [UInt8], event: MockFCM.Event?, connection: Int, now: Int64
    ) -> MockFCM.MessageRule? {
        let age = now - began
        for index in rules.indices
        where rules[index].takes(token: token, event: event, connection: connection, age: age, random: &random) {
            return rules[index].rule
        }
        return nil
    }

    /// Returns the rule that takes a request for an access token; nil if none does.
    mutating func tokenRule(connection: Int, now: Int64) -> MockFCM.TokenRule? {
        let age = now - began
        for index in tokenRules.indices
        where tokenRules[index].takes(token: [], event: nil, connection: connection, age: age, random: &random) {
            return tokenRules[index].rule
        }
        return nil
    }

    /// The first unlimited rule for every message; nil if there is none. Changes no counter and draws nothing.
    var ruleForAll: MockFCM.MessageRule? { rules.first { $0.takesAll }?.rule }

    mutating func draw(_ latency: MockLatency) -> TimeInterval { latency.draw(&random) }
}
