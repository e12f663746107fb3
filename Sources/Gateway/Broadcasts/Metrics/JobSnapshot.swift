import BroadcastCore
import Delivery
import GatewayStore
public import MetricsCore
import Reactor
public import TimeCore

/// What a gateway is doing with jobs, and has done.
public struct JobSnapshot: Sendable {
    /// Jobs at work, by lane.
    public var running = [Int](repeating: 0, count: JobLane.allCases.count)
    /// Jobs of which only retries are left, by lane.
    public var resting = [Int](repeating: 0, count: JobLane.allCases.count)
    /// Jobs whose turn has not come, by lane.
    public var waiting = [Int](repeating: 0, count: JobLane.allCases.count)
    /// Broadcasts of all gateways that have not ended, as of a moment ago.
    public var unfinished = 0
    /// How many there may be.
    public var maximumUnfinished = 0
    /// How often this gateway has refused one more.
    public var refusedUnfinished: UInt64 = 0
    /// How long the oldest job that this gateway has taken and not begun has waited since it was recorded; zero when
    /// there is none.
    public var lag = TimeInterval.zero
    /// For how long the job at work that has heard nothing from the provider for longest has not; zero when none is at
    /// work.
    public var silence = TimeInterval.zero
    /// Totals since the gateway was started.
    public var counts = JobCounts()
    /// From when a job was recorded until it was begun here, by lane.
    public var waits: [HistogramSnapshot] = []
    /// From when a broadcast was recorded until it had ended, by `PushEvent.allCases`.
    public var durations: [HistogramSnapshot] = []
    /// What broadcasts took from one stage to the next, by `BroadcastStage.allCases`.
    public var stages: [HistogramSnapshot] = []

    public init() {}
}

extension JobWorker {
    /// Taken on the reactor; may be called from anywhere. All zero when the reactor has stopped.
    public func snapshot() async -> JobSnapshot {
        await reactor.call(stopped: JobSnapshot()) { [self] done in done(currentSnapshot()) }
    }

    /// Times up to 16 ms are not told apart.
    private static let droppedBuckets = 8

    private func currentSnapshot() -> JobSnapshot {
        var snapshot = JobSnapshot()
        for (job, run) in runs {
            let lane = job.lane.rawValue
            if run.isResting {
                snapshot.resting[lane] += 1
            } else {
                snapshot.running[lane] += 1
                snapshot.silence = max(snapshot.silence, MonotonicTime.now() - run.answeredAt)
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
        snapshot.unfinished = waitingBroadcasts.count
        snapshot.maximumUnfinished = waitingBroadcasts.capacity
        snapshot.refusedUnfinished = waitingBroadcasts.refusals
        snapshot.counts = metrics.counts
        snapshot.waits = metrics.waits.map { $0.snapshot(droppingFirst: JobWorker.droppedBuckets) }
        snapshot.durations = metrics.durations.map { $0.snapshot(droppingFirst: JobWorker.droppedBuckets) }
        snapshot.stages = metrics.stages.map { $0.snapshot(droppingFirst: JobWorker.droppedBuckets) }
        return snapshot
    }
}
