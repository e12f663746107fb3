public import TimeCore

/// The options of a gateway's checks of Redis.
public struct StoreSurveillance: Sendable {
    /// The reaction to a failed check.
    public enum Rule: Sendable {
        /// The failed check is reported.
        case warn
        /// A gateway does not start, and a running one reports not ready.
        case strict
    }

    /// The reaction to a check that finds a danger.
    public var rule = Rule.warn
    /// The maximum difference between the machine's clock and Redis's.
    public var maximumClockSkew = TimeInterval.seconds(300)
    /// The clock of this machine.
    public var machineClock: @Sendable () -> WallTime = WallTime.now
    /// The interval at which the gateway reads Redis's clock and checks missing rights again.
    public var period = TimeInterval.seconds(5)
    /// The number of periods between two runs of all checks.
    public var periodsForChecks = 12
    /// The time that a start with `strict` waits for Redis to answer.
    public var startDeadline = TimeInterval.seconds(5)

    public init() {}
}

/// The error with which a gateway with `redis.checks: strict` refuses to start.
public struct EndangeredStoreError: Error, CustomStringConvertible {
    /// The failed checks.
    public let findings: [(check: String, text: String)]

    public var description: String {
        let lines = findings.map { "\($0.check): \($0.text)" }.joined(separator: "\n")
        return "redis.checks is strict, and Redis fails these checks:\n\(lines)"
    }
}
