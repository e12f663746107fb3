import BroadcastCore
import GatewayStore
import TimeCore

/// Jobs whose content this gateway cannot open, because it was recorded under another signing key.
extension JobWorker {
    /// How long content without an expiry waits for a gateway that can open it.
    static let patience = TimeInterval.seconds(3600)
    /// The least time for which a late end is fresh.
    private static let lateEndLife = TimeInterval.seconds(600)

    /// Whether a gateway that can open the content may still come.
    func waitsForReader(_ job: JobTicket, _ order: BroadcastOrder) -> Bool {
        var end = order.expiration > 0 ? WallTime(seconds: order.expiration) : job.recordedAt + JobWorker.patience
        if case .lateEnd = job.part { end = max(end, job.recordedAt + JobWorker.lateEndLife) }
        return store.wallClock() < end
    }

    /// Leaves a job to whoever can open it: at once to whoever comes first, and when that was this gateway again, for
    /// as long as a silent gateway's jobs wait, so that it is not taken round and round.
    func leaveUnread(_ job: JobTicket) {
        if unreadable.remove(job) != nil {
            leases.ended(job)
            return publish()
        }
        if unreadable.count >= JobWorker.rememberedUnreadable { unreadable = [] }
        unreadable.insert(job)
        giveBack(job)
    }

    private static let rememberedUnreadable = 4096
}
