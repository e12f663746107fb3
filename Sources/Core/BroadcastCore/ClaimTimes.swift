public import TimeCore

/// From when on a gateway may take the jobs of others that have been silent. While the store was away everybody was: so
/// whoever was cut off from a shard claims nothing there until the others have had the time to come back as well. What
/// is handed over has been silent for much longer than that, and is claimed at once.
public struct ClaimTimes: Sendable {
    private struct Times {
        var lastAnswer: MonotonicTime?
        var claimsFrom: MonotonicTime?
        var lastClaim: MonotonicTime?
    }

    private var shards: [Int: Times] = [:]

    /// A store that has not answered for so long was away.
    static let absence = TimeInterval.seconds(2)
    /// As long as the others may take to come back: the longest pause between two attempts to connect, and a renewal.
    static let grace = TimeInterval.seconds(4)
    /// No running gateway is silent for so long. A job that was handed over counts as silent for longer.
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
        // One that has just begun claims at once: it was not there when the others fell silent.
        guard times.lastAnswer != nil else { return usual }
        return !wasAway && times.claimsFrom.map { now >= $0 } == true ? usual : ClaimTimes.never
    }

    /// The store has answered for the shard.
    public mutating func answered(_ shard: Int, now: MonotonicTime) {
        var times = shards[shard, default: Times()]
        if times.claimsFrom == nil { times.claimsFrom = times.lastAnswer == nil ? now : now + ClaimTimes.grace }
        times.lastAnswer = now
        shards[shard] = times
    }
}
