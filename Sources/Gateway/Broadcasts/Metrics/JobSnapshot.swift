import BroadcastCore
import Delivery
import GatewayStore
public import MetricsCore
import Reactor
public import TimeCore

/// The state of a gateway's jobs, with totals.
public struct JobSnapshot: Sendable {
    /// Running jobs, by lane.
    public var running = [Int](repeating: 0, count: JobLane.allCases.count)
    /// Jobs that wait only for retries, by lane.
    public var resting = [Int](repeating: 0, count: JobLane.allCases.count)
    /// Jobs that wait for their turn, by lane.
    public var waiting = [Int](repeating: 0, count: JobLane.allCases.count)
    /// Unfinished broadcasts of all gateways, as of a moment ago.
    public var unfinished = 0
    /// The maximum number of unfinished broadcasts.
    public var maximumUnfinished = 0
    /// The number of broadcasts that this gateway refused at the maximum.
    public var refusedUnfinished: UInt64 = 0
    /// The age of the oldest job that this gateway has taken and not begun; zero if there is none.
    public var lag = TimeInterval.zero
    /// The longest time without an answer of the provider among running jobs; zero if none is running.
    public var silence = TimeInterval.zero
    /// Totals since the start of the gateway.
    public var counts = JobCounts()
    /// The times from a job's record to its begin here, by lane.
    public var waits: [HistogramSnapshot] = []
    /// The times from a broadcast's record to its end, by `PushEvent.allCases`.
    public var durations: [HistogramSnapshot] = []
    /// The durations of broadcasts' stages, by `BroadcastStage.allCases`.
    public var stages: [HistogramSnapshot] = []

    public init() {}
}

extension JobTable {
    /// The number of the lowest buckets that are dropped, up to 16 ms.
    private static let droppedBuckets = 8

    /// Returns the current state.
    func snapshot(_ context: JobContext) -> JobSnapshot {
        var snapshot = JobSnapshot()
        for (job, run) in runs {
            let lane = job.lane.rawValue
            if run.state.isResting {
                snapshot.resting[lane] += 1
            } else {
                snapshot.running[lane] += 1
                snapshot.silence = max(snapshot.silence, MonotonicTime.now() - run.times.answeredAt)
            }
        }
        var oldest: WallTime?
        for job in leases.all where runs[job] == nil {
            if waiting[job] != nil { snapshot.waiting[job.lane.rawValue] += 1 }
            oldest = min(oldest ?? job.recordedAt, job.recordedAt)
        }
        if let oldest {
            snapshot.lag = .milliseconds(Int(max(0, WallTime.now().milliseconds - oldest.milliseconds)))
        }
        snapshot.unfinished = context.unfinished.shares.count
        snapshot.maximumUnfinished = context.unfinished.shares.capacity
        snapshot.refusedUnfinished = context.unfinished.shares.refusals
        snapshot.counts = context.metrics.counts
        snapshot.waits = context.metrics.waits.map { $0.snapshot(droppingFirst: JobTable.droppedBuckets) }
        snapshot.durations = context.metrics.durations.map { $0.snapshot(droppingFirst: JobTable.droppedBuckets) }
        snapshot.stages = context.metrics.stages.map { $0.snapshot(droppingFirst: JobTable.droppedBuckets) }
        return snapshot
    }
}
