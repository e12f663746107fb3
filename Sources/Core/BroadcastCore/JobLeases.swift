public import TimeCore

/// The jobs that a gateway has taken: how many more it can take, and for how long it may go on without a word from the
/// store. Pure: the driver takes, renews and ends jobs and reports it here.
///
/// Invariants:
/// 1. A job is held once, from when it is taken until it has ended, been handed over or lost.
/// 2. Jobs that wait for their turn take no room, so that they cannot keep those out for which they wait; nor do jobs
///    that rest: of which only retries are left, until one is due, or whose provider takes nothing.
/// 3. `mayWork` is false before the store gives the oldest job to somebody else.
public struct JobLeases<Job: Hashable & Sendable>: Sendable {
    /// How many jobs a gateway may have, and how often it renews them. Lanes are numbered from 0 on.
    public struct Limits: Sendable {
        /// Jobs at work at once, by lane.
        public var perLane: [Int]
        /// Jobs that may wait for their turn.
        public var waiting = 1024
        /// Jobs of each lane that may rest until a retry is due.
        public var restingPerLane: [Int]
        /// After so long without renewal the store gives a job to another gateway.
        public var silence = TimeInterval.seconds(6)
        /// After so long without renewal this gateway holds still: less than `silence` by what a message may take.
        public var caution = TimeInterval.seconds(4)
        /// After so long all jobs are renewed.
        public var renewal = TimeInterval.milliseconds(1500)

        /// The usual limits, with so many jobs at work in each lane; of a lane of at most 16 jobs only 64 may rest.
        public init(perLane: [Int]) {
            self.perLane = perLane
            // A job of a large lane holds more memory.
            restingPerLane = perLane.map { $0 > 16 ? 1024 : 64 }
        }
    }

    private enum State {
        case atWork, waiting, resting
    }

    /// As they were given to `init`.
    public let limits: Limits
    private var jobs: [Job: (lane: Int, state: State)] = [:]
    /// Since when all jobs are renewed; nil without jobs.
    private var renewedAt: MonotonicTime?
    private var waitingCount = 0
    private var atWork: [Int]
    private var resting: [Int]

    /// Without any job.
    public init(_ limits: Limits) {
        self.limits = limits
        atWork = Array(repeating: 0, count: limits.perLane.count)
        resting = atWork
    }

    /// Whether there is no job, at work, waiting or resting.
    public var isEmpty: Bool { jobs.isEmpty }

    /// All jobs, at work, waiting and resting, in no particular order.
    public var all: [Job] { Array(jobs.keys) }

    /// Whether the job was taken and has not ended.
    public func contains(_ job: Job) -> Bool { jobs[job] != nil }

    /// How many more jobs of a lane can be at work.
    public func room(_ lane: Int) -> Int { max(0, limits.perLane[lane] - atWork[lane]) }

    /// Whether one more job may wait for its turn. One that may not is forgotten, and given out again by the store when
    /// it has not been renewed for a while; to take nothing more would keep those out for which it waits.
    public var canWait: Bool { waitingCount < limits.waiting }

    /// A job was taken by a call that was sent at this time. False when it is held already: the store has given it
    /// once more, which renews it.
    public mutating func taken(_ job: Job, lane: Int, sentAt: MonotonicTime) -> Bool {
        guard jobs[job] == nil else { return false }
        // A renewal that was sent before the job was there says nothing of it.
        renewedAt = min(renewedAt ?? sentAt, sentAt)
        jobs[job] = (lane, .atWork)
        atWork[lane] += 1
        return true
    }

    /// The job's turn has not come.
    public mutating func mustWait(_ job: Job) {
        guard let entry = jobs[job], entry.state == .atWork else { return }
        jobs[job]?.state = .waiting
        atWork[entry.lane] -= 1
        waitingCount += 1
    }

    /// Nothing is left of the job but retries, and none is due; or its provider takes nothing. False when too many rest
    /// already: it stays at work.
    public mutating func rests(_ job: Job) -> Bool {
        guard let entry = jobs[job], entry.state == .atWork, resting[entry.lane] < limits.restingPerLane[entry.lane]
        else { return false }
        jobs[job]?.state = .resting
        atWork[entry.lane] -= 1
        resting[entry.lane] += 1
        return true
    }

    /// The job's turn has come, or a retry of it. It is at work from here on, whether there is room or not.
    public mutating func isDue(_ job: Job) {
        guard let entry = jobs[job], entry.state != .atWork else { return }
        leave(entry.state, entry.lane)
        jobs[job]?.state = .atWork
        atWork[entry.lane] += 1
    }

    private mutating func leave(_ state: State, _ lane: Int) {
        switch state {
        case .atWork: atWork[lane] -= 1
        case .waiting: waitingCount -= 1
        case .resting: resting[lane] -= 1
        }
    }

    /// The job has ended, been handed over or lost.
    public mutating func ended(_ job: Job) {
        guard let entry = jobs.removeValue(forKey: job) else { return }
        leave(entry.state, entry.lane)
        if jobs.isEmpty { renewedAt = nil }
    }

    /// All jobs that were held when it was sent have been renewed by a call that was sent at this time.
    public mutating func renewed(sentAt: MonotonicTime) {
        guard let renewedAt else { return }
        self.renewedAt = max(renewedAt, sentAt)
    }

    /// Whether the jobs are due to be renewed; false without jobs.
    public func needsRenewal(_ now: MonotonicTime) -> Bool {
        renewedAt.map { now - $0 >= limits.renewal } ?? false
    }

    /// Whether all jobs are certainly still this gateway's.
    public func mayWork(_ now: MonotonicTime) -> Bool {
        renewedAt.map { now - $0 < limits.caution } ?? true
    }
}
