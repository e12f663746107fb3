import BroadcastCore
import Delivery
import GatewayStore

/// Jobs of which nothing is left but retries in the future: as long as a single phone is told to come again, nobody else
/// waits for its job.
extension JobWorker {
    /// False while the provider is in trouble, for then all wait alike, and when too many jobs rest already.
    func rest(_ run: BroadcastRun, of broadcaster: Broadcaster?) -> Bool {
        guard let broadcaster, runs[run.ticket] === run, !broadcaster.provider.health.isPaused,
            leases.rests(run.ticket)
        else {
            return false
        }
        broadcaster.remove(run)
        // What is left of others, nobody knows here: they count on.
        if !run.ticket.part.isSingle, run.order.partitions.count <= 1 {
            resting[run.ticket] = broadcaster.provider.engine
        }
        publish()
        checkWaiting(of: nil)
        return true
    }

    func resume(_ run: BroadcastRun, of broadcaster: Broadcaster?) {
        guard runs[run.ticket] === run else { return }
        leases.isDue(run.ticket)
        resting[run.ticket] = nil
        broadcaster?.add(run)
        publish()
    }
}
