public import LiveActivity
import RedisClient
import TimeCore

extension GatewayStore {
    /// Why a broadcast was not recorded: the activity has moved on since it was read.
    public struct StateChanged: Error, Equatable, Sendable {}

    /// Records a broadcast and changes the activity's state, in one atomic step. Of any number of concurrent starts
    /// exactly one gets an order.
    /// - Parameter record: the activity as it was read; the step fails when its state is another by now.
    public func begin(
        _ draft: BroadcastDraft, for record: ActivityRecord
    ) async throws(StoreError) -> Result<BroadcastOrder, StateChanged> {
        let activity = record.activity
        let id = UniqueID.random()
        let now = wallClock()
        let ends = draft.kind == .end && draft.scope == .wholeSegment
        let next: Activity.State = ends ? .dead : .started
        let keptUntil = activity.keptUntil.milliseconds
        let keys = [Keys.activity(activity.id), Keys.startLock(activity.id), Keys.broadcast(activity.id, id)]
        var arguments: [any RedisArgumentConvertible] = [
            draft.kind.rawValue, Int(activity.state.rawValue), Int(next.rawValue), id.description, now.milliseconds,
            draft.payload.beforeTimestamp, draft.payload.afterTimestamp, keptUntil, draft.scope == .wholeSegment ? "whole" : "slots",
            "priority", draft.priority, "expiration", draft.expiration, "activity", activity.id.description,
        ]
        if case .slots(let slots) = draft.scope { arguments += ["scope", SlotList.encode(slots)] }
        let reply = try await run(Scripts.beginBroadcast, keys, arguments).array ?? []
        guard reply.first?.int == 1, reply.count == 5, let timestamp = reply[1].int else {
            return .failure(StateChanged())
        }
        _ = try await value(
            RedisCommand("SET", Keys.broadcastPointer(id), activity.id.description, "PXAT", keptUntil))
        var changed = activity
        changed.state = next
        if draft.kind == .start { changed.startedAt = now }
        return .success(
            BroadcastOrder(
                id: id, activity: changed, kind: draft.kind, scope: draft.scope,
                slots: SlotRanges(reply[3].bytes ?? []), payload: draft.payload.bytes(timestamp: timestamp),
                priority: draft.priority, expiration: draft.expiration, order: Int(reply[2].int ?? 0),
                updatesThisHour: Int(reply[4].int ?? 0)))
    }

    /// Ends an activity that was never started. False when its state is another by now.
    public func cancel(_ activity: Activity) async throws(StoreError) -> Bool {
        let reply = try await run(
            Scripts.cancel, [Keys.activity(activity.id)], [wallClock().milliseconds])
        return reply.int == 1
    }

    /// Notes slots whose card must be ended by the broadcast as soon as they report an update token.
    public func remember(_ slots: [UInt32], endedBy broadcast: UniqueID, in activity: Activity) async throws(StoreError) {
        let commands = Dictionary(grouping: slots, by: RosterGeometry.partition(ofSlot:)).flatMap { partition, slots in
            let key = Keys.pendingEnds(activity.id, partition)
            return slots.map {
                // Within a partition a slot is told apart by its page as well; the whole number does.
                RedisCommand("HSET", key, Int($0), broadcast.description)
            } + [RedisCommand("PEXPIREAT", key, activity.keptUntil.milliseconds)]
        }
        if !commands.isEmpty { _ = try await values(commands) }
    }

    /// A recorded broadcast, to carry it out (again); nil when there is none.
    public func order(_ id: UniqueID, of record: ActivityRecord) async throws(StoreError) -> BroadcastOrder? {
        let reply = try await value(
            RedisCommand(
                "HMGET", Keys.broadcast(record.activity.id, id), "kind", "scope", "payload", "priority", "expiration",
                "order"))
        guard let parts = reply.array, parts.count == 6, let kind = parts[0].string.flatMap(BroadcastKind.init),
            let payload = parts[2].bytes
        else { return nil }
        return BroadcastOrder(
            id: id, activity: record.activity, kind: kind,
            scope: parts[1].bytes.map { .slots(SlotList.decode($0)) } ?? .wholeSegment, slots: record.slots,
            payload: payload, priority: Int(parts[3].int ?? 10), expiration: parts[4].int ?? 0,
            order: Int(parts[5].int ?? 0), updatesThisHour: 0)
    }
}

/// Slots packed into four bytes each, little-endian.
enum SlotList {
    static func encode(_ slots: [UInt32]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(slots.count * 4)
        for slot in slots { bytes.append(littleEndian: slot, bytes: 4) }
        return bytes
    }

    static func decode(_ bytes: [UInt8]) -> [UInt32] {
        var reader = ByteReader(bytes)
        var slots: [UInt32] = []
        while let slot = reader.integer(UInt32.self) { slots.append(slot) }
        return slots
    }
}
