public import TimeCore

/// From when on a gateway may take the jobs of others that have been silent. While the store was away everybody was: so
/// whoever was cut off from a shard claims nothing there until the others have had the time to come back as well. What is
/// handed over has been silent for much longer than that, and is claimed at once.
public struct ClaimTimes: Sendable {
    private struct Times {
        var lastAnswer: MonotonicTime?
        var claimsFrom: MonotonicTime?
    }

    private var shards: [Int: Times] = [:]

    /// A store that has not answered for so long was away.
    static let absence = TimeInterval.seconds(2)
    /// As long as the others may take to come back: the longest pause between two attempts to connect, and a renewal.
    static let grace = TimeInterval.seconds(4)
    static let never = TimeInterval.seconds(3600)

    public init() {}

    /// How long a job must not have been renewed for this gateway to take it.
    public mutating func silence(_ shard: Int, now: MonotonicTime, usual: TimeInterval) -> TimeInterval {
        let times = shards[shard, default: Times()]
        if let last = times.lastAnswer, now - last > ClaimTimes.absence {
            shards[shard]?.claimsFrom = nil
            return ClaimTimes.never
        }
        // One that has just begun claims at once: it was not there when the others fell silent.
        guard times.lastAnswer != nil else { return usual }
        return times.claimsFrom.map { now >= $0 } == true ? usual : ClaimTimes.never
    }

    /// The store has answered for the shard.
    public mutating func answered(_ shard: Int, now: MonotonicTime) {
        if shards[shard] == nil {
            shards[shard] = Times(lastAnswer: now, claimsFrom: now)
        } else {
            shards[shard]?.lastAnswer = now
            if shards[shard]?.claimsFrom == nil { shards[shard]?.claimsFrom = now + ClaimTimes.grace }
        }
    }
}
