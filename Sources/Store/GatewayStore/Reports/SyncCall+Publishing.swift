import LiveActivity
import Reactor
import RedisClient
import RosterCore

// The event of a sync. For a tenant without a stream or a webhook a sync reads a table in memory.
extension SyncCall {
    /// True for a new token of a Live Activity that goes on, of a tenant that may have events.
    func isNews(_ known: KnownActivity) -> Bool {
        guard !isPublished, written?.outcome == 1, token != nil, refusal == nil, endedBefore == nil else {
            return false
        }
        let switches = reports.events.switches[known.record.activity.tenantID, reports.redis.reactor.now]
        return switches?.areOn ?? true
    }

    /// Publishes a new token, and calls `done` when the event is recorded.
    func publish(_ known: KnownActivity, _ slot: UInt32, _ done: @escaping () -> Void) {
        isPublished = true
        let (events, activity) = (reports.events, known.record.activity)
        let cohort = known.record.cohort(ofPage: RosterGeometry.page(ofSlot: slot))
        let synced = SyncedDevice(key: device, sinceStart: sinceStart)
        reports.syncedDevices.ask(events, of: activity.tenantID) { [reports] areOn in
            guard areOn else { return done() }
            reports.syncedDevices.add(synced, in: activity, cohort, to: events, published: done)
        }
    }
}
