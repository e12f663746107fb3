import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TimeCore

/// Devices to which a start that has ended sent nothing, as became known only after its end.
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

/// The outcome of starting left-out devices after all.
public enum LeftOutStart: Sendable {
    case begun(BroadcastOrder)
    /// No device is left, or nothing can be started any more.
    case pointless
    /// Another start is under way. Try again later.
    case busy
}

extension StoredRestarts {
    /// Starts the left-out devices that still count as sent nothing, while the content of their start is fresh. They
    /// get the state of the newest update if that is kept, because the update itself has an older timestamp than this
    /// start.
    public func start(_ leftOut: LeftOut) async throws(StoreError) -> LeftOutStart {
        let order = leftOut.order
        guard order.expiration == 0 || wallClock().seconds < order.expiration,
            let record = try await activities.activity(order.activity.id), record.activity.state == .started,
            let payload = try await newestPayload(of: order, record)
        else { return .pointless }
        let id = record.activity.id.randomBroadcast()
        guard let lock = try await lockRestarts(of: record.activity.id, for: id) else { return .busy }
        let wish = RestartWish(.leftOut(leftOut.slots), maximumStarts: .max)
        let draft = BroadcastDraft(
            id: id, kind: .start, scope: .slots([]), payload: payload, priority: order.priority,
            expiration: order.expiration)
        guard case .begun(let order) = try await begin(wish, draft, of: record, lock) else { return .pointless }
        return .begun(order)
    }

    private func newestPayload(
        of order: BroadcastOrder, _ record: ActivityRecord
    ) async throws(StoreError) -> Payload? {
        if let payload = try await healingState(of: record)?.payload { return payload }
        let kept = record.catchesUp ? try await run(MissedUpdate.newest(of: record.activity)) : nil
        guard let update = kept.flatMap(MissedUpdate.init), update.order > order.order,
            let newest = try await broadcasts.order(update.id, of: record)
        else { return Payload(order.payload) }
        return Payload.start(order.payload, withStateOf: newest.payload) ?? Payload(order.payload)
    }
}
