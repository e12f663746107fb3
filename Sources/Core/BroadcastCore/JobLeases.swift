public import TimeCore

/// The jobs that a gateway has taken. Decides how many more it can take, and for how long it may go on without an
/// answer of the store. Pure: the driver takes, renews and ends jobs and reports it here. Jobs that one call renews
/// form a group, because a part of the store alone may be away.
///
/// Invariants:
/// 1. A job is held once, from when it is taken until it has ended, been handed over or lost.
/// 2. Jobs that wait for their turn take no room, so that they cannot keep those out for which they wait; nor do jobs
///    that rest: of which only retries are left, until one is due, or whose provider takes nothing.
/// 3. `mayWork(on:)` is false for a job before the store gives it to another gateway.
public struct JobLeases<Job: Hashable & Sendable>: Sendable {
    /// The number of jobs that a gateway may have, and the periods of renewal. Lanes are numbered from 0 on.
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

        /// The usual limits. Of a lane of at most 16 jobs only 64 may rest.
        /// - Parameter perLane: the number of jobs at work in each lane.
        public init(perLane: [Int]) {
            self.perLane = perLane
            // A job of a large lane holds more memory.
            restingPerLane = perLane.map { $0 > 16 ? 1024 : 64 }
        }
    }

    private enum State {
        case atWork, waiting, resting
    }

    /// The limits that were given to `init`.
    public let limits: Limits
    private var jobs: [Job: (lane: Int, group: Int, state: State)] = [:]
    /// The number of jobs in each group, and the time at which the last call that renewed all of them was sent.
    private var groups: [Int: (count: Int, renewedAt: MonotonicTime)] = [:]
    /// The time at which the last answered call that took or renewed jobs was sent; nil without jobs.
    private var answeredAt: MonotonicTime?
    private var waitingCount = 0
    private var atWork: [Int]
    private var resting: [Int]

    /// Without any job.
    public init(_ limits: Limits) {
        self.limits = limits
        atWork = Array(repeating: 0, count: limits.perLane.count)
        resting = atWork
    }

    /// True if there is no job, at work, waiting or resting.
    public var isEmpty: Bool { jobs.isEmpty }

    /// All jobs, at work, waiting and resting, in no particular order.
    public var all: [Job] { Array(jobs.keys) }

    /// True if the job was taken and has not ended.
    public func contains(_ job: Job) -> Bool { jobs[job] != nil }

    /// The number of further jobs of a lane that can be at work.
    public func room(_ lane: Int) -> Int { max(0, limits.perLane[lane] - atWork[lane]) }

    /// True if one more job may wait for its turn. Otherwise the job is forgotten, and the store gives it out again
    /// when it has not been renewed for a while. Taking no more jobs would keep out the jobs for which it waits.
    public var canWait: Bool { waitingCount < limits.waiting }

    /// A job was taken by a call that was sent at this time. False when it is held already: the store has given it
    /// once more, which renews it.
    public mutating func taken(_ job: Job, lane: Int, group: Int, sentAt: MonotonicTime) -> Bool {
        guard jobs[job] == nil else { return false }
        let present = groups[group] ?? (0, sentAt)
        // A renewal that was sent before the job was there did not include it.
        groups[group] = (present.count + 1, min(present.renewedAt, sentAt))
        answeredAt = max(answeredAt ?? sentAt, sentAt)
        jobs[job] = (lane, group, .atWork)
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
        if let group = groups[entry.group] {
            groups[entry.group] = group.count > 1 ? (group.count - 1, group.renewedAt) : nil
        }
        if jobs.isEmpty { answeredAt = nil }
    }

    /// A call that was sent at this time has renewed all jobs of the group that were held then.
    public mutating func renewed(_ group: Int, sentAt: MonotonicTime) {
        guard let present = groups[group] else { return }
        groups[group]?.renewedAt = max(present.renewedAt, sentAt)
        answeredAt = max(answeredAt ?? sentAt, sentAt)
    }

    /// True if jobs of a group are due to be renewed; false without jobs.
    public func needsRenewal(_ now: MonotonicTime) -> Bool {
        groups.values.contains { now - $0.renewedAt >= limits.renewal }
    }

    /// True if any part of the store has answered lately; true without jobs.
    public func mayWork(_ now: MonotonicTime) -> Bool {
        answeredAt.map { now - $0 < limits.caution } ?? true
    }

    /// True if the job is certainly still this gateway's.
    public func mayWork(on job: Job, _ now: MonotonicTime) -> Bool {
        guard let group = jobs[job]?.group, let renewedAt = groups[group]?.renewedAt else { return false }
        return now - renewedAt < limits.caution
    }
}
