import TimeCore

/// Decides when the topology is queried, and from which node. Owns no connection; reads no clock.
///
/// Invariants:
/// 1. At most one node is queried at a time.
/// 2. At least `shortest` passes between the beginnings of two rounds, and more after unsuccessful rounds.
/// 3. Until the topology is settled a next round is always scheduled.
struct ClusterRefresh {
    enum State: Equatable {
        /// No round is needed. Becomes `scheduled`.
        case idle
        /// Becomes `asking`.
        case scheduled(MonotonicTime)
        /// A round; `sources` has the nodes to query next. Becomes `idle` or `scheduled`.
        case asking(ClusterAddress?)
    }

    enum Action: Equatable {
        /// Replaces any earlier time.
        case schedule(MonotonicTime)
        /// Query this node, or with nil one of the configured ones.
        case ask(ClusterAddress?)
        /// No node answered.
        case roundFailed(reason: String)
    }

    static let shortest = TimeInterval.milliseconds(100)
    static let longest = TimeInterval.seconds(1)
    /// The maximum number of nodes in a round.
    static let maximumSources = 16

    private(set) var state = State.idle
    /// The nodes that the round has not queried yet, the next one last.
    private var sources: [ClusterAddress?] = []
    private var begun: MonotonicTime?
    private var wasWantedMeanwhile = false
    /// The number of rounds in a row that did not settle the topology.
    private var vain = 0

    /// Requests a round after a sign that the topology has changed.
    mutating func wanted(_ now: MonotonicTime) -> [Action] {
        switch state {
        case .idle:
            return schedule(begun.map { max(now, $0 + ClusterRefresh.shortest) } ?? now)
        case .scheduled:
            // A round that is delayed after unsuccessful ones is not brought forward.
            return []
        case .asking:
            wasWantedMeanwhile = true
            return []
        }
    }

    /// Begins the scheduled round.
    /// - Parameter sources: The nodes to query, the best first.
    mutating func due(_ now: MonotonicTime, sources: [ClusterAddress?]) -> [Action] {
        guard case .scheduled(let time) = state, now >= time else { return [] }
        begun = now
        wasWantedMeanwhile = false
        self.sources = sources.prefix(ClusterRefresh.maximumSources).reversed()
        return askNext(now, reason: "no node is known", random: 1)
    }

    /// Records a topology from a node.
    /// - Parameter isSettled: True if every slot has a connected master.
    mutating func answered(_ now: MonotonicTime, isSettled: Bool, random: Double) -> [Action] {
        guard case .asking = state else { return [] }
        sources = []
        state = .idle
        guard isSettled, !wasWantedMeanwhile else {
            vain = isSettled ? 0 : vain + 1
            return again(now, random)
        }
        vain = 0
        return []
    }

    /// Records that the queried node failed to answer or had no usable topology.
    mutating func failed(_ reason: String, _ now: MonotonicTime, random: Double) -> [Action] {
        guard case .asking = state else { return [] }
        return askNext(now, reason: reason, random: random)
    }

    private mutating func askNext(_ now: MonotonicTime, reason: String, random: Double) -> [Action] {
        guard let next = sources.popLast() else {
            state = .idle
            vain += 1
            return [.roundFailed(reason: reason)] + again(now, random)
        }
        state = .asking(next)
        return [.ask(next)]
    }

    private mutating func again(_ now: MonotonicTime, _ random: Double) -> [Action] {
        let pause = ClusterRefresh.backoff.pause(after: vain, jitter: random)
        return schedule(max(now + pause, (begun ?? now) + ClusterRefresh.shortest))
    }

    private mutating func schedule(_ time: MonotonicTime) -> [Action] {
        state = .scheduled(time)
        return [.schedule(time)]
    }

    private static let backoff = Backoff(first: shortest, longest: longest)
}
