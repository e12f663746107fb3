import Delivery
import GatewayStore
import LiveActivity
import TimeCore

extension BroadcastService {
    /// The pause between two attempts of a restart.
    private static let restartPause = TimeInterval.milliseconds(100)

    /// Starts devices again that have no Live Activity. A restart waits for starts and restarts of its activity, and
    /// for ends of the devices that it names. So it sees the outcome of those broadcasts. It skips devices of restarts
    /// that were recorded while it waited.
    func restart(_ request: BroadcastRequest, _ wish: RestartWish) async throws -> BroadcastResult {
        let end = MonotonicTime.now() + Tries.patience
        var request = request
        request.arrived = request.arrived ?? store.clockBounds().latest
        var mark: RestartMark?
        var ends: EndsUnderWay?
        while true {
            let isLast = MonotonicTime.now() + BroadcastService.restartPause >= end
            let record = try await activity(request)
            if mark == nil { mark = try await store.restarts.markRestart(of: record.activity.id) }
            let payload = try payload(request, record)
            try checkRoom(record)
            if let lock = try await store.restarts.lockRestarts(of: record.activity.id, for: request.id) {
                do {
                    let activity = record.activity
                    ends =
                        if let ends {
                            try await store.restarts.unfinished(ends, in: activity)
                        } else {
                            try await store.restarts.endsUnderWay(wish, of: record)
                        }
                } catch {
                    await store.restarts.unlock(lock)
                    throw error
                }
                // The last attempt skips devices that are still ending, and starts the others.
                if isLast || ends?.isEmpty == true {
                    return .recorded(try await restart(request, wish, payload, record, lock, since: mark))
                }
                await store.restarts.unlock(lock)
            }
            guard !isLast else { break }
            try await Task.sleep(for: .nanoseconds(BroadcastService.restartPause.nanoseconds))
        }
        _ = try await activity(request)
        throw BroadcastRefusal.starting
    }

    private func restart(
        _ request: BroadcastRequest, _ wish: RestartWish, _ payload: Payload, _ record: ActivityRecord,
        _ lock: RestartLock, since mark: RestartMark?
    ) async throws -> BroadcastOrder {
        var draft = BroadcastDraft(
            id: request.id, kind: .start, scope: .slots([]), payload: payload, priority: request.priority,
            expiration: request.expiration ?? expiration(request, record.activity))
        draft.origin = request.origin
        draft.arrived = request.arrived
        switch try await store.restarts.begin(wish, draft, of: record, lock, since: mark) {
        case .begun(let order):
            jobs.begun(order)
            return order
        case .nobody(let skipped): throw BroadcastRefusal.nobodyEligible(skipped)
        case .contended:
            // The activity has ended meanwhile, or another restart has come first.
            _ = try await activity(request)
            throw BroadcastRefusal.contended
        }
    }
}
