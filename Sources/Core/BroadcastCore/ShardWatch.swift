public import TimeCore

/// Selects the shards that a gateway polls at each tick. A quiet shard had nothing to do at its last poll. It is polled
/// again when an item is due, after news, and in regular sweeps because news may be lost. All other shards are polled
/// at each tick. A pure state machine: the driver polls, receives news and reports both.
///
/// A look polls a shard and takes its work. A peek (`glances`) only checks for work.
///
/// Invariants:
/// 1. A poll does not discard news that arrives during it. The shard is polled once more.
/// 2. Each quiet shard is swept at least once in each period. The sweeps of the shards are spread over the ticks.
/// 3. Without news all shards are polled at each tick, as if none were quiet.
public struct ShardWatch: Sendable {
    /// The intervals of sweeps.
    public struct Rhythm: Sendable {
        /// The period in which each quiet shard is swept once. It is shorter than an absence of the store by
        /// `ClaimTimes`.
        public var sweep = TimeInterval.milliseconds(1500)
        /// The number of sweeps of a shard per full look. The others are peeks, which cost a third and do not detect
        /// due items.
        public var sweepsForLook = 4
        /// The time without news after which a gateway no longer relies on news.
        public var deafness = TimeInterval.milliseconds(900)

        public init() {}
    }

    /// The result of a look.
    public enum Finding: Equatable, Sendable {
        /// The shard has work, or had some that the look took.
        case busy
        /// The shard has nothing to do before the next due item; nil without any.
        case quiet(nextDue: WallTime?)
    }

    /// The numbers of the shards to poll now.
    public struct Wanted: Equatable, Sendable {
        /// Shards for a look, which takes their work.
        public var looks: [Int] = []
        /// Shards for a peek.
        public var glances: [Int] = []
    }

    private struct Shard {
        var isQuiet = false
        /// The next due time of a quiet shard.
        var nextDue: WallTime?
        /// The earliest due time that was reported since the last look began.
        var toldDue: WallTime?
        /// True if work was reported since the last look began.
        var isStirred = false
        /// True if the report came from other gateways, which need no notification then.
        var isHeardOf = false
        /// True if the shard is busy and other gateways know it.
        var isTold = false
        var lastSweep: UInt64?
    }

    private let rhythm: Rhythm
    private var shards: [Shard]
    private var heardAt: MonotonicTime?

    /// Makes a watch that knows nothing of any shard.
    public init(shards count: Int, _ rhythm: Rhythm = Rhythm()) {
        self.rhythm = rhythm
        shards = Array(repeating: Shard(), count: count)
    }

    /// Returns the shards to poll at a tick.
    /// - Parameter includesBusy: True to include all shards that are not quiet.
    public mutating func wanted(_ now: MonotonicTime, wallClock: WallTime, includesBusy: Bool) -> Wanted {
        let isDeaf = heardAt.map { now - $0 > rhythm.deafness } ?? true
        var wanted = Wanted()
        for number in shards.indices {
            let shard = shards[number]
            let sweep = self.sweep(of: number, now)
            let isSwept = shard.isQuiet && sweep != shard.lastSweep
            if isSwept { shards[number].lastSweep = sweep }
            let isWanted = shard.isQuiet && !isDeaf ? false : includesBusy || !shard.isQuiet && !shard.isTold
            let isDue = shard.isQuiet && shard.nextDue.map { $0 <= wallClock } == true
            if isWanted || isDue || shard.isStirred
                || isSwept && (sweep + UInt64(number)) % UInt64(rhythm.sweepsForLook) == 0
            {
                wanted.looks.append(number)
            } else if isSwept {
                wanted.glances.append(number)
            }
        }
        return wanted
    }

    /// The number of the present sweep. The shards' sweeps begin at different times.
    private func sweep(of shard: Int, _ now: MonotonicTime) -> UInt64 {
        let period = rhythm.sweep.nanoseconds
        return (now.nanoseconds + period / UInt64(shards.count) * UInt64(shard)) / period
    }

    // MARK: Reports

    /// Records that a look has begun, which takes the shard's work.
    public mutating func lookBegan(_ number: Int) {
        shards[number].isStirred = false
        shards[number].toldDue = nil
    }

    /// Records the result of a look.
    /// - Parameter isRegular: True if the look was due at a tick. Only then others are notified, so that work done at
    ///   once is not announced.
    /// - Returns: True to notify other gateways of work in the shard.
    public mutating func looked(_ number: Int, _ finding: Finding, isRegular: Bool) -> Bool {
        switch finding {
        case .quiet(let nextDue):
            shards[number].isQuiet = true
            shards[number].isTold = false
            shards[number].isHeardOf = false
            shards[number].nextDue = [nextDue, shards[number].toldDue].compactMap { $0 }.min()
            return false
        case .busy:
            let wasQuiet = shards[number].isQuiet
            shards[number].isQuiet = false
            if shards[number].isHeardOf { shards[number].isTold = true }
            shards[number].isHeardOf = false
            guard isRegular, !wasQuiet, !shards[number].isTold else { return false }
            shards[number].isTold = true
            return true
        }
    }

    /// Records that a look failed, so that the shard's state is not known.
    public mutating func lookFailed(_ number: Int) {
        shards[number].isQuiet = false
    }

    /// Records that a shard has work now. This gateway has left it there, or a peek has found it.
    public mutating func stirred(_ number: Int) {
        shards[number].isStirred = true
    }

    /// Records that an item of a shard is due at a time.
    public mutating func isDue(_ number: Int, at time: WallTime) {
        shards[number].toldDue = min(shards[number].toldDue ?? time, time)
        shards[number].nextDue = min(shards[number].nextDue ?? time, time)
    }

    /// Records news about these shards.
    public mutating func heard(of numbers: [Int], _ now: MonotonicTime) {
        heardAt = now
        for number in numbers {
            shards[number].isStirred = true
            shards[number].isHeardOf = true
        }
    }
}
