public import TimeCore

/// The times from which a gateway may claim the jobs of silent gateways. During an outage of the store all gateways are
/// silent. So a gateway that was cut off from a shard claims nothing there until the others can have reconnected. Jobs
/// that were handed over are claimed at once.
public struct ClaimTimes: Sendable {
    private struct Times {
        var lastAnswer: MonotonicTime?
        var claimsFrom: MonotonicTime?
        var lastClaim: MonotonicTime?
    }

    private var shards: [Int: Times] = [:]

    /// The time without answers after which the store counts as having been away.
    static let absence = TimeInterval.seconds(2)
    /// The time in which other gateways reconnect: the longest pause between two attempts, and a renewal.
    static let grace = TimeInterval.seconds(4)
    /// Longer than any running gateway is silent. Jobs that were handed over count as silent for longer.
    static let never = TimeInterval.seconds(3600)
    /// The least time between two claims in a shard, because a claim reads all jobs that gateways hold there.
    static let pause = TimeInterval.milliseconds(200)

    public init() {}

    /// The time without a renewal after which this gateway takes a job; nil to claim none this time.
    public mutating func silence(_ shard: Int, now: MonotonicTime, usual: TimeInterval) -> TimeInterval? {
        let times = shards[shard, default: Times()]
        let wasAway = times.lastAnswer.map { now - $0 > ClaimTimes.absence } == true
        if wasAway { shards[shard]?.claimsFrom = nil }
        if let last = times.lastClaim, now - last < ClaimTimes.pause { return nil }
        shards[shard, default: Times()].lastClaim = now
        // A gateway that has just started claims at once, because it has seen no outage.
        guard times.lastAnswer != nil else { return usual }
        return !wasAway && times.claimsFrom.map { now >= $0 } == true ? usual : ClaimTimes.never
    }

    /// Records that the store has answered for the shard.
    public mutating func answered(_ shard: Int, now: MonotonicTime) {
        var times = shards[shard, default: Times()]
        if times.claimsFrom == nil { times.claimsFrom = times.lastAnswer == nil ? now : now + ClaimTimes.grace }
        times.lastAnswer = now
        shards[shard] = times
    }
}
