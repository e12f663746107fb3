import BroadcastCore
import Delivery
import GatewayStore
import LiveActivity

/// Jobs that keep no place from others: those of which nothing is left but retries in the future, so that nobody waits
/// because a single phone is told to come again, and those whose provider is in trouble.
extension JobWorker {
    /// False while the provider is in trouble, for then all wait alike, and when too many jobs rest already.
    func rest(_ run: BroadcastRun) -> Bool {
        guard let broadcaster = run.broadcaster, runs[run.ticket] === run, !broadcaster.provider.health.isPaused,
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

    func resume(_ run: BroadcastRun) {
        let broadcaster = run.broadcaster
        guard runs[run.ticket] === run else { return }
        leases.isDue(run.ticket)
        resting[run.ticket] = nil
        broadcaster?.add(run)
        publish()
        if broadcaster?.provider.health.isPaused == true { makeWay(run.ticket) }
    }

    /// Jobs whose provider is in trouble give their places to those of one that is not: else a phone or two of a
    /// developer, at a provider that refuses the key, would hold up everybody. While all providers are in trouble all
    /// wait alike.
    func makeWay() {
        guard apps.providers.contains(where: \.health.isPaused), canOthersPush else { return }
        var hasMade = false
        for (job, run) in runs where provider(of: run.order.activity.tenantID, job)?.health.isPaused == true {
            if leases.rests(job) { hasMade = true }
        }
        guard hasMade else { return }
        publish()
        checkWaiting(of: nil)
        poll()
    }

    /// The same for a job whose provider is in trouble.
    func makeWay(_ job: JobTicket) {
        if canOthersPush, leases.rests(job) { publish() }
    }

    /// Whether a provider that is not in trouble takes pushes.
    private var canOthersPush: Bool {
        apps.providers.contains { !$0.health.isPaused && $0.ability == .can }
    }

    /// The jobs of a provider that is well again take their places back, whether there is room or not.
    func takePlaces(of provider: any PushProvider) {
        for run in runs(of: provider.engine) where !run.isResting { leases.isDue(run.ticket) }
        publish()
    }
}
