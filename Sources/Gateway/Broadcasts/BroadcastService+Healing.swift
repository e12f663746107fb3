import Delivery
import GatewayStore
import LiveActivity
import Reactor
import TimeCore

extension BroadcastService {
    /// The pause before the next part of a large roster.
    private static let partPause = TimeInterval.seconds(1)

    /// Checks an activity with healing, or a part of a large one, and restarts lost Live Activities. The next check
    /// follows after `JobSettings.healingPeriod`.
    func heal(_ id: UniqueID, _ item: DueItem) async throws(StoreError) {
        guard let record = try await store.activities.activity(id), record.activity.state == .started,
            let healing = record.healing, let kept = try await store.restarts.healingState(of: record)
        else { return try await store.due.drop(item) }
        let look = try await store.restarts.lookForHealing(healing, of: record, from: kept.page)
        var (page, pause) = (look.next, look.next == 0 ? jobs.settings.healingPeriod : BroadcastService.partPause)
        if !look.pages.isEmpty, try await !startAgain(look.pages, healing, kept, record) {
            (page, pause) = (kept.page, jobs.settings.healingPeriod)
        }
        try await store.restarts.postponeHealing(of: id, until: store.wallClock() + pause, from: page)
    }

    /// Begins a restart without a request. False if it is not possible now, for example during a start.
    private func startAgain(
        _ pages: [Int], _ healing: Healing, _ kept: HealingState, _ record: ActivityRecord
    ) async throws(StoreError) -> Bool {
        let activity = record.activity.id
        guard let payload = kept.payload, (try? checkRoom(record)) != nil else { return false }
        guard (try? check(payload, .start, for: record, isToAll: true)) != nil else {
            jobs.tell(.cannotHeal(activity, length: payload.length))
            return false
        }
        let id = activity.randomBroadcast()
        guard let lock = try await store.restarts.lockRestarts(of: activity, for: id) else { return false }
        let draft = BroadcastDraft(
            id: id, kind: .start, scope: .slots([]), payload: payload, priority: 10,
            expiration: (store.wallClock() + BroadcastService.startLife).seconds)
        switch try await store.restarts.begin(healing.wish, draft, of: record, lock, pages: pages) {
        case .begun(let order): jobs.begun(order)
        case .nobody: break
        case .contended: return false
        }
        return true
    }
}
