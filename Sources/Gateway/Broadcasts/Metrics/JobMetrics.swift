import BroadcastCore
public import Delivery
public import GatewayStore
import LiveActivity
import MetricsCore
import TimeCore

/// The counters of a gateway's jobs and broadcasts. On the reactor.
final class JobMetrics {
    /// The times from a job's record to its start here.
    let waits = JobLane.allCases.map { _ in LatencyRecorder(bounds: JobMetrics.bounds) }
    /// The times from a broadcast's record to the end of its last job.
    let durations = PushEvent.allCases.map { _ in LatencyRecorder(bounds: JobMetrics.bounds) }
    /// The durations of broadcasts' stages, where known.
    let stages = BroadcastStage.allCases.map { _ in LatencyRecorder(bounds: JobMetrics.bounds) }
    var counts = JobCounts()

    /// The number of buckets, up to 1,049 s.
    private static let bounds = 25

    /// - Parameter reasons: The documented reasons of the providers of each kind of destination. All counters start at
    ///   zero, because the first increase of a new counter would be invisible.
    init(reasons: [Cohort: [String]]) {
        let own = BroadcastTally.OwnReason.allCases.map(\.rawValue)
        self.reasons = Set(reasons.values.joined() + own)
        for reason in self.reasons.union([JobMetrics.otherReason]) {
            counts.stops[reason] = 0
            counts.rejections[reason] = 0
        }
        for kind in PushEvent.allCases {
            for state in BroadcastState.allCases where state.isFinal { counts.finished[kind, default: [:]][state] = 0 }
            for (cohort, reasons) in reasons {
                count(0, JobCounts.Device(kind: kind, cohort: cohort, outcome: .accepted, reason: ""))
                for reason in reasons + own + [JobMetrics.otherReason] {
                    count(0, JobCounts.Device(kind: kind, cohort: cohort, outcome: .failed, reason: reason))
                }
                for reason in SkipReason.allCases {
                    count(0, JobCounts.Device(kind: kind, cohort: cohort, outcome: .skipped, reason: reason.name))
                }
            }
        }
    }

    private func count(_ added: Int, _ device: JobCounts.Device) {
        counts.devices[device, default: 0] += UInt64(added)
    }

    func ended(_ record: BroadcastRecord) {
        counts.finished[record.kind, default: [:]][record.state, default: 0] += 1
        guard let finishedAt = record.finishedAt else { return }
        durations[record.kind.index].record(nanoseconds: finishedAt.nanoseconds(since: record.createdAt))
        for stage in BroadcastStage.allCases {
            guard let (from, to) = stage.times(of: record) else { continue }
            stages[stage.index].record(nanoseconds: to.nanoseconds(since: from))
        }
    }

    func begun(_ job: JobTicket) {
        waits[job.lane.rawValue].record(nanoseconds: WallTime.now().nanoseconds(since: job.recordedAt))
    }

    /// Counts the devices' outcomes of a recorded page.
    func settled(_ outcome: PageOutcome, _ kind: PushEvent, _ cohort: Cohort) {
        func add(_ count: Int, _ outcome: JobCounts.Outcome, _ reason: String) {
            self.count(count, JobCounts.Device(kind: kind, cohort: cohort, outcome: outcome, reason: reason))
        }
        let counts = outcome.counts
        if counts.accepted > 0 { add(counts.accepted, .accepted, "") }
        for (reason, count) in counts.failed {
            add(count, .failed, reasons.contains(reason) ? reason : JobMetrics.otherReason)
        }
        for (reason, count) in counts.skipped.occurring { add(count, .skipped, reason.name) }
    }

    func stopped(_ reason: String) {
        counts.stops[reasons.contains(reason) ? reason : JobMetrics.otherReason, default: 0] += 1
    }

    func wrongEnvironment(_ cohort: Cohort) { counts.wrongEnvironments[cohort, default: 0] += 1 }

    func rejected(_ reason: String) {
        counts.rejections[reasons.contains(reason) ? reason : JobMetrics.otherReason, default: 0] += 1
    }

    /// The reasons with a counter each. All others share one.
    private let reasons: Set<String>
    private static let otherReason = "other"
}

/// Totals since the start of the gateway.
public struct JobCounts: Sendable {
    /// The outcome for a device. The raw values are metric labels.
    public enum Outcome: String, Sendable {
        case accepted, failed, skipped
    }

    /// The labels of a device's outcome in a broadcast.
    public struct Device: Hashable, Sendable {
        /// The kind of the broadcast.
        public let kind: PushEvent
        /// The kind of destination.
        public let cohort: Cohort
        /// The outcome.
        public let outcome: Outcome
        /// The reason, from a limited list; empty with `accepted`.
        public let reason: String
    }

    /// Broadcasts that this gateway recorded.
    public internal(set) var recorded: [PushEvent: UInt64] = [:]
    /// Broadcasts whose last job ended here.
    public internal(set) var finished: [PushEvent: [BroadcastState: UInt64]] = [:]
    /// Broadcasts that were stopped, because every further push would have failed alike.
    public internal(set) var stops: [String: UInt64] = [:]
    /// Jobs, too small to be stopped, of which the provider rejected nearly all pushes.
    public internal(set) var rejections: [String: UInt64] = [:]
    /// Jobs with many addresses of another environment or app.
    public internal(set) var wrongEnvironments: [Cohort: UInt64] = [:]
    /// Devices whose outcome was recorded.
    public internal(set) var devices: [Device: UInt64] = [:]
    /// Jobs that were taken, by lane.
    public internal(set) var taken = [UInt64](repeating: 0, count: JobLane.allCases.count)
    /// Jobs on which another gateway had worked before.
    public internal(set) var resumed: UInt64 = 0
    /// Jobs that another gateway took over.
    public internal(set) var lost: UInt64 = 0
    /// Times that this gateway could not push while others could, and left them its jobs.
    public internal(set) var lettingsGo: UInt64 = 0
    /// Jobs that were handed back.
    public internal(set) var handedOver: UInt64 = 0
}

extension WallTime {
    fileprivate func nanoseconds(since earlier: WallTime) -> UInt64 {
        UInt64(max(0, milliseconds - earlier.milliseconds)) &* 1_000_000
    }
}
