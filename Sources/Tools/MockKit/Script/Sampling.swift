/// The subset of matching requests that a rule takes.
package struct Sampling: Sendable, Equatable {
    /// The number of requests to pass over first.
    package var skip: Int
    /// Takes only each nth of the remaining requests.
    package var every: Int?
    /// The share (0 to 1) of the remaining requests, drawn at random.
    package var share: Double?
    /// Considers only each nth connection since the mock's start, beginning with the first. Applied before `skip`.
    package var connectionEvery: Int?
    /// The number of requests before the rule is used up; nil means any number.
    package var limit: Int?

    package init(skip: Int, every: Int?, share: Double?, connectionEvery: Int?, limit: Int?) {
        self.skip = skip
        self.every = every
        self.share = share
        self.connectionEvery = connectionEvery
        self.limit = limit
    }
}

/// The state of a sampling: its matched and remaining requests.
package struct RunningSampling: Sendable {
    private let sampling: Sampling
    private var matched = 0
    private var left: Int

    package init(_ sampling: Sampling) {
        self.sampling = sampling
        left = sampling.limit ?? .max
    }

    /// Returns true if the rule takes this matching request.
    /// - Parameter connection: The number of the connection, from 1.
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
