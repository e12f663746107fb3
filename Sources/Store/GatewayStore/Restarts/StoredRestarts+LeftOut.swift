import Delivery
import LiveActivity
import TimeCore

/// Devices of a start that has ended, of whom it became known too late that nothing was sent to them.
public struct LeftOut: Sendable {
    /// The start that has left them out.
    public let order: BroadcastOrder
    /// In ascending order.
    public let slots: [UInt32]

    init(_ run: NotedRun, of order: BroadcastOrder) {
        self.order = order
        slots = run.indexes.map { RosterGeometry.slot(page: run.page, index: Int($0)) }.sorted()
    }
}

/// What came of starting them after all.
public enum LeftOutStart: Sendable {
    case begun(BroadcastOrder)
    /// There is nobody left, or nothing to start any more.
    case pointless
    /// Another start is under way: it is to be tried again.
    case busy
}

extension StoredRestarts {
    /// Starts devices after all that a start has left out, with its content, as long as that is fresh. Nobody else: who
    /// is not counted as never sent anything is left alone.
    public func start(_ leftOut: LeftOut) async throws(StoreError) -> LeftOutStart {
        let order = leftOut.order
        guard order.expiration == 0 || wallClock().seconds < order.expiration,
            let record = try await activities.activity(order.activity.id), record.activity.state == .started,
            let payload = Payload(order.payload)
        else { return .pointless }
        let id = record.activity.id.randomBroadcast()
        guard let lock = try await lockRestarts(of: record.activity.id, for: id) else { return .busy }
        do throws(StoreError) {
            let wish = RestartWish(.leftOut(leftOut.slots), maximumStarts: .max)
            guard let preparation = try await prepareRestart(wish, of: record, lock), !preparation.slots.isEmpty else {
                await unlock(lock)
                return .pointless
            }
            var draft = BroadcastDraft(
                id: id, kind: .start, scope: .slots(preparation.slots), payload: payload, priority: order.priority,
                expiration: order.expiration)
            draft.restartLock = lock
            switch try await broadcasts.begin(draft, for: record) {
            case .success(let order): return .begun(order)
            case .failure:
                await unlock(lock)
                return .pointless
            }
        } catch {
            await unlock(lock)
            throw error
        }
    }
}
