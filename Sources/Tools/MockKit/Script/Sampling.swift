/// Which of the requests that a rule is for it takes.
package struct Sampling: Sendable, Equatable {
    /// Passes over this many.
    package var skip: Int
    /// Of the rest, only each nth.
    package var every: Int?
    /// Of the rest, this share (0 to 1), drawn by lot.
    package var share: Double?
    /// Only what comes on each nth connection: the first, the one n later and so on, counted from the mock's start.
    package var connectionEvery: Int?
    /// How many it takes before it is used up; nil means any number.
    package var limit: Int?

    package init(skip: Int, every: Int?, share: Double?, connectionEvery: Int?, limit: Int?) {
        self.skip = skip
        self.every = every
        self.share = share
        self.connectionEvery = connectionEvery
        self.limit = limit
    }
}

/// A sampling at work: what it has seen and taken.
package struct RunningSampling: Sendable {
    private let sampling: Sampling
    private var matched = 0
    private var left: Int

    package init(_ sampling: Sampling) {
        self.sampling = sampling
        left = sampling.limit ?? .max
    }

    /// Whether it takes a request that the rule is for.
    /// - Parameter connection: its number among all, from 1.
    package mutating func takes(connection: Int, random: inout SplitMix64) -> Bool {
        guard left > 0 else { return false }
        if let every = sampling.connectionEvery, (connection - 1) % every != 0 { return false }
        matched += 1
        guard matched > sampling.skip else { return false }
        if let every = sampling.every, every > 1, (matched - sampling.skip) % every != 0 { return false }
        if let share = sampling.share, random.nextFraction() >= share { return false }
        left -= 1
        return true
    }
}
