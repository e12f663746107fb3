import BroadcastCore
public import Delivery
public import GatewayStore
import LiveActivity
import MetricsCore
import TimeCore

/// What a gateway counts of jobs and broadcasts. On the reactor.
final class JobMetrics {
    /// From when a job was recorded until it was begun here.
    let waits = JobLane.allCases.map { _ in LatencyRecorder(bounds: JobMetrics.bounds) }
    /// From when a broadcast was recorded until its last job was done.
    let durations = PushEvent.allCases.map { _ in LatencyRecorder(bounds: JobMetrics.bounds) }
    /// How long broadcasts took to come from one stage to the next, where it is known.
    let stages = BroadcastStage.allCases.map { _ in LatencyRecorder(bounds: JobMetrics.bounds) }
    var counts = JobCounts()

    /// Up to 1,049 s.
    private static let bounds = 25

    /// - Parameter reasons: those that the providers of each kind of destination document. All that can be counted is
    ///   there from the start, at zero: of what is born at one nobody sees the increase.
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

    /// A page has been written down: what became of its devices.
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

    /// Whatever the provider says, the reasons told apart are these.
    private let reasons: Set<String>
    private static let otherReason = "other"
}

/// Totals since the gateway was started.
public struct JobCounts: Sendable {
    /// How it came out for the device; the raw values are labels of metrics.
    public enum Outcome: String, Sendable {
        case accepted, failed, skipped
    }

    /// What became of a device in a broadcast.
    public struct Device: Hashable, Sendable {
        /// What the broadcast was.
        public let kind: PushEvent
        /// How it is reached.
        public let cohort: Cohort
        /// How it came out.
        public let outcome: Outcome
        /// Why, from a list that is bounded; empty with `accepted`.
        public let reason: String
    }

    /// Broadcasts that this gateway has recorded.
    public internal(set) var recorded: [PushEvent: UInt64] = [:]
    /// Broadcasts whose last job was done here.
    public internal(set) var finished: [PushEvent: [BroadcastState: UInt64]] = [:]
    /// Broadcasts that were stopped because every further push would have fared alike.
    public internal(set) var stops: [String: UInt64] = [:]
    /// Jobs, too small to be stopped, of which the provider has rejected nearly all pushes.
    public internal(set) var rejections: [String: UInt64] = [:]
    /// Jobs of which many addresses are of another environment or app.
    public internal(set) var wrongEnvironments: [Cohort: UInt64] = [:]
    /// Devices whose outcome was written down.
    public internal(set) var devices: [Device: UInt64] = [:]
    /// Jobs that were taken, by lane.
    public internal(set) var taken = [UInt64](repeating: 0, count: JobLane.allCases.count)
    /// Jobs on which another gateway had worked before.
    public internal(set) var resumed: UInt64 = 0
    /// Jobs that another gateway has taken over.
    public internal(set) var lost: UInt64 = 0
    /// How often this gateway could not push while others could, and left its jobs to them.
    public internal(set) var lettingsGo: UInt64 = 0
    /// Jobs that were given back.
    public internal(set) var handedOver: UInt64 = 0
}

extension WallTime {
    fileprivate func nanoseconds(since earlier: WallTime) -> UInt64 {
        UInt64(max(0, milliseconds - earlier.milliseconds)) &* 1_000_000
    }
}
