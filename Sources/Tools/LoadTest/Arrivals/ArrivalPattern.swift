public import TimeCore

/// When calls are due, whatever becomes of those before.
public enum ArrivalPattern: Sendable, Equatable {
    /// Evenly: one each `1 / perSecond` seconds.
    case uniform(perSecond: Double)
    /// As from many callers who know nothing of each other: the gaps are exponential, `perSecond` on average.
    case poisson(perSecond: Double)
    /// So many over a time, each at a random moment of a slot of its own.
    case spread(calls: Int, within: TimeInterval)
    /// At these times, the earliest first.
    case listed([TimeInterval])
}
