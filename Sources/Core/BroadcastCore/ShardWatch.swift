public import TimeCore

/// Which shards a gateway looks at, tick by tick. Most are quiet: nothing was there when they were looked at last.
/// These are left alone until something is due there, until there is news of them, and for one sweep at the longest, as
/// news may be lost. All others are looked at all the time. Pure: the driver looks, hears news and reports both here.
///
/// Invariants:
/// 1. What is told of a shard while a look is under way is not lost by what that look finds: it is looked at once more.
/// 2. Of a shard that is swept the store answers once in each period at least, and of all shards some are swept at each
///    tick, not all at one.
/// 3. Without news all shards are looked at at each tick, as if none were quiet.
public struct ShardWatch: Sendable {
    /// How often what is looked at.
    public struct Rhythm: Sendable {
        /// In each such period a quiet shard is swept once: less than `ClaimTimes` takes for an absence of the store.
        public var sweep = TimeInterval.milliseconds(1500)
        /// So many sweeps of a shard come to one look; the others are glances, which cost a third of that and do not
        /// see what is due.
        public var sweepsForLook = 4
        /// Whoever has heard nothing for so long does not rely on news.
        public var deafness = TimeInterval.milliseconds(900)

        public init() {}

        /// The longest time between two looks at a quiet shard.
        public var longestBetweenLooks: TimeInterval {
            TimeInterval(nanoseconds: sweep.nanoseconds * UInt64(sweepsForLook + 1))
        }
    }

    /// What a look at a shard comes to.
    public enum Finding: Equatable, Sendable {
        /// Something is there, or was until the look took it.
        case busy
        /// Nothing is there before the next item is due; nil without any.
        case quiet(nextDue: WallTime?)
    }

    /// What is to be looked at now, by the shards' numbers.
    public struct Wanted: Equatable, Sendable {
        /// With a look, which takes what is there.
        public var looks: [Int] = []
        /// With a glance.
        public var glances: [Int] = []
    }

    private struct Shard {
        var isQuiet = false
        /// Of a quiet one.
        var nextDue: WallTime?
        /// The earliest that was told since the last look began.
        var toldDue: WallTime?
        /// Whether something was told since the last look began.
        var isStirred = false
        /// Whether that was news of others, who need not be told then.
        var isHeardOf = false
        /// Of a busy one: whether others know.
        var isTold = false
        var lastSweep: UInt64?
    }

    private let rhythm: Rhythm
    private var shards: [Shard]
    private var heardAt: MonotonicTime?

    /// With nothing known of any shard.
    public init(shards count: Int, _ rhythm: Rhythm = Rhythm()) {
        self.rhythm = rhythm
        shards = Array(repeating: Shard(), count: count)
    }

    /// What is to be looked at at a tick.
    /// - Parameter includesBusy: whether those that are not quiet are.
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

    /// The number of the present sweep, which begins at another time for each shard.
    private func sweep(of shard: Int, _ now: MonotonicTime) -> UInt64 {
        let period = rhythm.sweep.nanoseconds
        return (now.nanoseconds + period / UInt64(shards.count) * UInt64(shard)) / period
    }

    // MARK: What has happened

    /// The store is asked for what there is in a shard.
    public mutating func lookBegan(_ number: Int) {
        shards[number].isStirred = false
        shards[number].toldDue = nil
    }

    /// - Parameter isRegular: whether the shard was looked at because it was wanted at a tick. What others shall know
    ///   is told of then, so that nothing is told of what is done at once.
    /// - Returns: whether others are to be told that something is there.
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

    /// The store has not answered: nobody knows what is there.
    public mutating func lookFailed(_ number: Int) {
        shards[number].isQuiet = false
    }

    /// There is something in a shard now: this gateway has left it there, or a glance has seen it.
    public mutating func stirred(_ number: Int) {
        shards[number].isStirred = true
    }

    /// Something in a shard is due at a time.
    public mutating func isDue(_ number: Int, at time: WallTime) {
        shards[number].toldDue = min(shards[number].toldDue ?? time, time)
        shards[number].nextDue = min(shards[number].nextDue ?? time, time)
    }

    /// News were heard, of these shards.
    public mutating func heard(of numbers: [Int], _ now: MonotonicTime) {
        heardAt = now
        for number in numbers {
            shards[number].isStirred = true
            shards[number].isHeardOf = true
        }
    }
}
