public import TimeCore

/// The due times of calls, independent of earlier answers.
public enum ArrivalPattern: Sendable, Equatable {
    /// One call each `1 / perSecond` seconds.
    case uniform(perSecond: Double)
    /// A Poisson process, like many independent callers: `perSecond` calls on average with exponential gaps.
    case poisson(perSecond: Double)
    /// A number of calls, each at a random time in its own slot of equal length.
    case spread(calls: Int, within: TimeInterval)
    /// A list of times in ascending order.
    case listed([TimeInterval])
}
