import BroadcastCore
import Delivery
import GatewayStore
import LiveActivity

/// Jobs that occupy no place: those that wait only for a future retry, and those whose provider is paused. A single
/// device's retry thus delays no other broadcast.
extension JobWorker {
    /// Releases a job's place until its retry. False if too many jobs rest, or while the provider is paused, because
    /// then all its jobs wait.
    func rest(_ run: BroadcastRun) -> Bool {
        guard let broadcaster = run.broadcaster, runs[run.ticket] === run, !broadcaster.provider.health.isPaused,
            leases.rests(run.ticket)
        else {
            return false
        }
        broadcaster.remove(run)
        // The other jobs of a broadcast with several partitions are unknown here, so it keeps counting.
        if !run.ticket.part.isSingle, run.order.partitions.count <= 1 {
            context.unfinished.rests(run.ticket, broadcaster.provider.engine)
        }
        checkWaiting(of: nil)
        return true
    }

    func resume(_ run: BroadcastRun) {
        let broadcaster = run.broadcaster
        guard runs[run.ticket] === run else { return }
        leases.isDue(run.ticket)
        context.unfinished.resumed(run.ticket)
        broadcaster?.add(run)
        if broadcaster?.provider.health.isPaused == true { makeWay(run.ticket) }
    }

    /// Releases the places of jobs with a paused provider for jobs of other providers. Otherwise a few devices at a
    /// provider that refuses the key could block all broadcasts. While all providers are paused, places stay.
    func makeWay() {
        guard apps.providers.contains(where: \.health.isPaused), canOthersPush else { return }
        var hasMade = false
        for (job, run) in runs where provider(of: run.order.activity.tenantID, job)?.health.isPaused == true {
            if leases.rests(job) { hasMade = true }
        }
        guard hasMade else { return }
        checkWaiting(of: nil)
        poll()
    }

    /// Releases the place of a job whose provider is paused, if another provider accepts pushes.
    func makeWay(_ job: JobTicket) {
        if canOthersPush { _ = leases.rests(job) }
    }

    /// True if a provider that is not paused accepts pushes.
    private var canOthersPush: Bool {
        apps.providers.contains { !$0.health.isPaused && $0.ability == .can }
    }

    /// Takes places for the jobs of a recovered provider, even without room.
    func takePlaces(of provider: any PushProvider) {
        for run in runs(of: provider.engine) where !run.isResting { leases.isDue(run.ticket) }
    }
}
