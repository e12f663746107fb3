import Broadcasts
import Delivery
import GatewayStore
import LiveActivity
import Logging
import TimeCore

/// Writes what becomes of broadcasts into the log. Every line names the broadcast, its activity and tenant, and the request
/// that began it, whichever gateway writes it.
struct BroadcastLog: Sendable {
    let logger: Logger

    func write(_ event: JobEvent) {
        switch event {
        case .recorded(let order):
            log(.info, "broadcast recorded", order) { $0["superseded"] = count(order.superseded.count) }
        case .begun(let job, let order, let isResumed):
            // A takeover is worth a line; that jobs begin is not.
            log(isResumed ? .notice : .debug, isResumed ? "job taken over from another gateway" : "job begun", order) {
                $0["part"] = "\(job.part)"
            }
        case .ended(let job, let order, let end):
            log(end == .complete ? .debug : .notice, "job ended", order) {
                $0["part"] = "\(job.part)"
                $0["end"] = "\(end.rawValue)"
            }
        case .stopped(let order, let reason):
            log(.error, "broadcast stopped: every further push would fare alike", order) { $0["reason"] = "\(reason)" }
        case .rejected(let order, let reason):
            log(.warning, "the provider rejected nearly all pushes", order) { $0["reason"] = "\(reason)" }
        case .wrongEnvironment(let order, let cohort, let reason):
            log(.warning, "many tokens are of another environment or app", order) {
                $0["cohort"] = "\(cohort.rawValue)"
                $0["reason"] = "\(reason)"
            }
        case .letGo(let provider, let reason):
            var metadata = provider.account.metadata
            metadata["reason"] = "\(reason)"
            logger.error("this gateway cannot push while others can: its jobs are left to them", metadata: metadata)
        case .tookUp(let provider):
            logger.notice(
                "this gateway takes jobs again: it can push, or nobody else can", metadata: provider.account.metadata)
        case .vanished(let job):
            logger.error(
                "a broadcast has vanished from Redis before it ended",
                metadata: ["broadcast_id": "\(job.broadcastID)", "activity_id": "\(job.activityID)"])
        case .cannotHeal(let activity, let length):
            logger.warning(
                "Live Activities cannot be healed: the start with the newest content is too long a push",
                metadata: ["activity_id": "\(activity)", "bytes": "\(length)"])
        case .finished(let record, let order):
            // A large one pauses before it comes to this, which is an error in the log as well.
            let isLost = record.counts.accepted == 0 && record.counts.unknown > 0
            log(isLost ? .error : .info, "broadcast finished", order) { metadata in
                metadata["state"] = .string(record.state.rawValue)
                metadata["accepted"] = .string(String(record.counts.accepted))
                metadata["failed"] = .string(String(record.counts.failed.values.reduce(0, +)))
                metadata["unknown"] = count(record.counts.unknown)
                if let finishedAt = record.finishedAt {
                    metadata["duration_ms"] = .string(
                        String(finishedAt.milliseconds - record.createdAt.milliseconds))
                }
            }
        }
    }

    private func count(_ number: Int) -> Logger.MetadataValue? { number > 0 ? .string(String(number)) : nil }

    private func log(
        _ level: Logger.Level, _ message: Logger.Message, _ order: BroadcastOrder,
        _ add: (inout Logger.Metadata) -> Void
    ) {
        guard logger.logLevel <= level else { return }
        // Of as many fields as a line has at most: to grow costs as much as to fill it.
        var metadata = Logger.Metadata(minimumCapacity: 10)
        metadata["broadcast_id"] = .string(order.id.description)
        metadata["activity_id"] = .string(order.activity.id.description)
        metadata["kind"] = .string(order.kind.rawValue)
        metadata["tenant"] = .string(order.activity.tenantID)
        if !order.origin.requestID.isEmpty { metadata["request_id"] = .string(order.origin.requestID) }
        add(&metadata)
        logger.log(level: level, message, metadata: metadata)
    }
}
