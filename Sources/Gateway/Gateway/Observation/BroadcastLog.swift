import Broadcasts
import Delivery
import GatewayStore
import LineLog
import LiveActivity
import Logging
import TimeCore

/// Logs the events of broadcasts. On every gateway each line names the broadcast, its activity and tenant, and the
/// request that began it.
struct BroadcastLog: Sendable {
    private let logger: Logger
    private let lines: LineLogger

    init(logger: Logger) {
        self.logger = logger
        lines = LineLogger(logger)
    }

    func write(_ event: JobEvent) {
        switch event {
        case .recorded(let order):
            log(.info, "broadcast recorded", order) { fields in
                if !order.superseded.isEmpty { fields.add("superseded", order.superseded.count) }
            }
        case .begun(let job, let order, let isResumed):
            // A takeover is worth a line; that jobs begin is not.
            log(isResumed ? .notice : .debug, isResumed ? "job taken over" : "job started", order) {
                $0.add("part", "\(job.part)")
            }
        case .ended(let job, let order, let end):
            log(end == .complete ? .debug : .notice, "job ended", order) {
                $0.add("part", "\(job.part)")
                $0.add("end", "\(end.rawValue)")
            }
        case .stopped(let order, let reason):
            log(.error, "broadcast stopped", order) {
                $0.add("reason", "\(reason)")
            }
        case .rejected(let order, let reason):
            log(.warning, "nearly all pushes rejected", order) {
                $0.add("reason", "\(reason)")
            }
        case .wrongEnvironment(let order, let cohort, let reason):
            log(.warning, "many tokens of another environment or app", order) {
                $0.add("cohort", "\(cohort.rawValue)")
                $0.add("reason", "\(reason)")
            }
        case .channelDeleted(let order, let channel):
            log(.warning, "broadcast channel deleted at Apple", order) {
                $0.add("channel", channel)
                $0.add("remedy", ChannelKeeper.remedyForDeletion)
            }
        case .finished(let record, let order): logEnd(record, order)
        case .letGo, .tookUp, .vanished, .cannotHeal: logOfGateway(event)
        }
    }

    /// Logs an event that concerns no present broadcast.
    private func logOfGateway(_ event: JobEvent) {
        switch event {
        case .letGo(let provider, let reason):
            var metadata = provider.account.metadata
            metadata["reason"] = "\(reason)"
            metadata["remedy"] = "run fanfare doctor here; correct this gateway's credential or its network"
            logger.error("gateway cannot push, jobs handed over", metadata: metadata)
        case .tookUp(let provider):
            logger.notice(
                "gateway takes jobs again", metadata: provider.account.metadata)
        case .vanished(let job):
            logger.error(
                "unfinished broadcast missing in Redis",
                metadata: ["broadcast_id": "\(job.broadcastID)", "activity_id": "\(job.activityID)"])
        case .cannotHeal(let activity, let length):
            logger.warning(
                "healing failed, start push too large",
                metadata: ["activity_id": "\(activity)", "bytes": .stringConvertible(length)])
        default: break
        }
    }

    private func logEnd(_ record: BroadcastRecord, _ order: BroadcastOrder) {
        // A large one pauses before it comes to this, which is an error in the log as well.
        let isLost = record.counts.accepted == 0 && record.counts.unknown > 0
        log(isLost ? .error : .info, "broadcast finished", order) { fields in
            fields.add("state", record.state.rawValue)
            fields.add("accepted", record.counts.accepted)
            fields.add("failed", record.counts.failed.values.reduce(0, +))
            fields.add("failed_reasons", BroadcastLog.mostFrequent(record.counts.failed))
            if record.counts.unknown > 0 { fields.add("unknown", record.counts.unknown) }
            if let finishedAt = record.finishedAt {
                let duration = finishedAt.milliseconds - record.createdAt.milliseconds
                fields.add("duration_ms", Int(duration))
            }
        }
    }

    private func log(
        _ level: Logger.Level, _ message: StaticString, _ order: BroadcastOrder, _ add: (inout LogLine) -> Void
    ) {
        lines.log(level, message) { line in
            if !order.origin.requestID.isEmpty { line.add("request_id", order.origin.requestID) }
            line.add("tenant", order.activity.tenantID)
            line.add("activity_id", order.activity.id)
            line.add("broadcast_id", order.id)
            line.add("kind", order.kind.rawValue)
            add(&line)
        }
    }

    /// The three most frequent reasons and their counts; nil if there are none.
    static func mostFrequent(_ reasons: [String: Int]) -> String? {
        let sorted = reasons.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return sorted.isEmpty ? nil : sorted.prefix(3).map { "\($0.key):\($0.value)" }.joined(separator: ",")
    }
}
