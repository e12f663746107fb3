public import TimeCore

/// How a gateway looks after its Redis.
public struct StoreSurveillance: Sendable {
    /// What follows when a check finds that a promise cannot be kept.
    public enum Rule: Sendable {
        /// It is shown.
        case warn
        /// The gateway does not start; one that runs is not ready.
        case strict
    }

    /// What follows when a check of Redis finds that a promise cannot be kept.
    public var rule = Rule.warn
    /// How far the machine's clock may be from Redis's.
    public var maximumClockSkew = TimeInterval.seconds(300)
    /// The machine's clock.
    public var machineClock: @Sendable () -> WallTime = WallTime.now
    /// How often Redis is asked for the time, and for rights that were missing.
    public var period = TimeInterval.seconds(5)
    /// After how many periods all checks are made again.
    public var periodsForChecks = 12
    /// How long a start with `strict` waits for Redis to answer.
    public var startDeadline = TimeInterval.seconds(5)

    public init() {}
}

/// Why a gateway with `redis.checks: strict` does not start.
public struct EndangeredStoreError: Error, CustomStringConvertible {
    /// What the checks found.
    public let findings: [(check: String, text: String)]

    public var description: String {
        let lines = findings.map { "\($0.check): \($0.text)" }.joined(separator: "\n")
        return "redis.checks is strict, and Redis fails these checks:\n\(lines)"
    }
}
