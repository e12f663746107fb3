import BroadcastCore
import GatewayStore
import TimeCore

/// Jobs with content that this gateway cannot open, because another signing key protects it.
extension JobWorker {
    /// The time for which content without an expiration waits for a gateway that can open it.
    static let patience = TimeInterval.seconds(3600)
    /// The minimum time for which a late end is fresh.
    private static let lateEndLife = TimeInterval.seconds(600)

    /// True while a gateway that can open the content may still appear.
    func waitsForReader(_ job: JobTicket, _ order: BroadcastOrder) -> Bool {
        var end = order.expiration > 0 ? WallTime(seconds: order.expiration) : job.recordedAt + JobWorker.patience
        if case .lateEnd = job.part { end = max(end, job.recordedAt + JobWorker.lateEndLife) }
        return store.wallClock() < end
    }

    /// Leaves a job to gateways that can open it. Any gateway may take it at once. If this gateway gets it again, the
    /// job waits for its lease to expire, so it does not circulate.
    func leaveUnread(_ job: JobTicket) {
        if unreadable.remove(job) != nil {
            leases.ended(job)
            return
        }
        if unreadable.count >= JobWorker.rememberedUnreadable { unreadable = [] }
        unreadable.insert(job)
        giveBack(job)
    }

    private static let rememberedUnreadable = 4096
}
