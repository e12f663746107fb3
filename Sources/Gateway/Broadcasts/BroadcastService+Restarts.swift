import Delivery
import GatewayStore
import LiveActivity
import TimeCore

extension BroadcastService {
    /// How often it is looked whether a restart's turn has come.
    private static let restartPause = Duration.milliseconds(100)

    /// Starts those again whom the activity's start has left out, and nobody else. Restarts of an activity come one
    /// after the other, and after its start: so each finds what became of the one before. Whoever is in one that was
    /// recorded while this one waited is not in this one.
    func restart(_ request: BroadcastRequest, _ wish: RestartWish) async throws -> BroadcastResult {
        let end = MonotonicTime.now() + BroadcastService.patience
        var request = request
        request.arrived = request.arrived ?? store.clockBounds().latest
        var mark: RestartMark?
        repeat {
            let record = try await activity(request)
            if mark == nil { mark = try await store.restarts.markRestart(of: record.activity.id) }
            let payload = try payload(request, record)
            try checkRoom(record)
            if let lock = try await store.restarts.lockRestarts(of: record.activity.id, for: request.id) {
                do {
                    return .recorded(try await restart(request, wish, payload, record, lock, since: mark))
                } catch {
                    await store.restarts.unlock(lock)
                    throw error
                }
            }
            try await Task.sleep(for: BroadcastService.restartPause)
        } while MonotonicTime.now() < end
        _ = try await activity(request)
        throw BroadcastRefusal.starting
    }

    private func restart(
        _ request: BroadcastRequest, _ wish: RestartWish, _ payload: Payload, _ record: ActivityRecord,
        _ lock: RestartLock, since mark: RestartMark?
    ) async throws -> BroadcastOrder {
        guard let preparation = try await store.restarts.prepareRestart(wish, of: record, lock, since: mark)
        else {
            throw BroadcastRefusal.contended
        }
        guard !preparation.slots.isEmpty else { throw BroadcastRefusal.nobodyEligible(preparation.skipped) }
        var draft = BroadcastDraft(
            id: request.id, kind: .start, scope: .slots(preparation.slots), payload: payload,
            priority: request.priority, expiration: request.expiration ?? expiration(request, record.activity))
        draft.skipped = preparation.skipped
        draft.origin = request.origin
        draft.arrived = request.arrived
        draft.restartLock = lock
        switch try await store.broadcasts.begin(draft, for: record) {
        case .success(let order):
            jobs.begun(order)
            return order
        case .failure:
            // It has ended meanwhile, or somebody else's restart has come first.
            _ = try await activity(request)
            throw BroadcastRefusal.contended
        }
    }
}
