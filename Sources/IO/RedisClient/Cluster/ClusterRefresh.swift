import TimeCore

/// Decides when the topology is asked for, and whom. Owns no connection; reads no clock.
///
/// Invariants:
/// 1. At most one node is asked at a time.
/// 2. Between the beginnings of two rounds at least `shortest` passes, more after rounds that did not help.
/// 3. While not all is well a next round is always scheduled.
struct ClusterRefresh {
    enum State: Equatable {
        /// Nothing is to be done. Becomes `scheduled`.
        case idle
        /// Becomes `asking`.
        case scheduled(MonotonicTime)
        /// A round: the nodes that are still to be asked are `sources`. Becomes `idle` or `scheduled`.
        case asking(ClusterAddress?)
    }

    enum Action: Equatable {
        /// In place of any time scheduled before.
        case schedule(MonotonicTime)
        /// Ask this node, or with nil one of those that were configured.
        case ask(ClusterAddress?)
        /// Nobody answered.
        case roundFailed(reason: String)
    }

    static let shortest = TimeInterval.milliseconds(100)
    static let longest = TimeInterval.seconds(1)
    /// Whom a round asks at most.
    static let maximumSources = 16

    private(set) var state = State.idle
    /// Those of the round that come after the one that is being asked, the next one last.
    private var sources: [ClusterAddress?] = []
    private var begun: MonotonicTime?
    private var wasWantedMeanwhile = false
    /// Rounds in a row after which not all was well.
    private var vain = 0

    /// Something suggests that the topology has changed.
    mutating func wanted(_ now: MonotonicTime) -> [Action] {
        switch state {
        case .idle:
            return schedule(begun.map { max(now, $0 + ClusterRefresh.shortest) } ?? now)
        case .scheduled:
            // A round that waits longer because earlier ones were in vain is not hastened.
            return []
        case .asking:
            wasWantedMeanwhile = true
            return []
        }
    }

    /// The scheduled time has come. `sources`: whom to ask, the best first.
    mutating func due(_ now: MonotonicTime, sources: [ClusterAddress?]) -> [Action] {
        guard case .scheduled(let time) = state, now >= time else { return [] }
        begun = now
        wasWantedMeanwhile = false
        self.sources = sources.prefix(ClusterRefresh.maximumSources).reversed()
        return askNext(now, reason: "no node is known", random: 1)
    }

    /// A node has told the topology. `isSettled`: whether every slot has a master that is connected to.
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

    /// The node that was asked did not answer, or nothing of use.
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
