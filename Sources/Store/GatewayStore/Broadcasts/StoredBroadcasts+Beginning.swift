import Delivery
public import LiveActivity
import RedisClient
import RosterCore
import TimeCore

extension StoredBroadcasts {
    /// The reason why a broadcast was not recorded. The activity has changed since it was read.
    public struct StateChanged: Error, Equatable, Sendable {
        /// True if the schedule has been carried out or cancelled meanwhile.
        public var isScheduleGone = false
        /// True if the activity has too many unfinished broadcasts for another target list.
        public var isCrowded = false
        /// The updates of the running hour, if the update was skipped because it shows nothing new; otherwise nil.
        public var unchanged: Int?
        /// The rest of a late update, if newer content was recorded for others of its devices.
        var remainder: Remainder?
    }

    /// The part of a late update that is not superseded.
    struct Remainder: Equatable, Sendable {
        let slots: [UInt32]
        /// The number of devices for which newer content was recorded.
        let superseded: Int
    }

    /// Records a broadcast with its jobs and changes the activity's state, in one atomic step. Of concurrent starts,
    /// exactly one gets an order. If Redis reports its append-only file, a start waits until the file has it.
    /// - Parameter record: The activity as it was read. The step fails if its state has changed since.
    public func begin(
        _ draft: BroadcastDraft, for record: ActivityRecord
    ) async throws(StoreError) -> Result<BroadcastOrder, StateChanged> {
        var draft = draft
        var outcome = try await write(draft, for: record)
        while case .failure(let change) = outcome, let remainder = change.remainder {
            draft.scope = .slots(remainder.slots)
            draft.skipped[.superseded] += remainder.superseded
            outcome = try await write(draft, for: record)
        }
        // A lost start would be requested again, and phones would show it twice. Updates and ends may be repeated, and
        // must not wait.
        if draft.kind == .start, case .success = outcome { await context.commits.hold() }
        return outcome
    }

    private func write(
        _ draft: BroadcastDraft, for record: ActivityRecord
    ) async throws(StoreError) -> Result<BroadcastOrder, StateChanged> {
        // A broadcast must never lack its pointer, so the pointer is written first, perhaps on another node. An unused
        // pointer is harmless and expires.
        let pointer = Keys.pointer(to: record.activity.id, from: draft.id).map { key in
            RedisCommand("SET", key, record.activity.id.description, "PXAT", record.activity.keptUntil.milliseconds)
                .replicated(within: StoreContext.replication)
        }
        let prepared = try await values(
            [StoredEvents.eventSwitch(record.activity.tenantID)] + [pointer].compactMap { $0 })
        let recordsEvents = prepared[0].string == "1"
        let values = try BeginValues(
            draft, record.activity, recordsEvents: recordsEvents,
            payload: kept(draft.payload, of: draft.id, tenantID: record.activity.tenantID), by: self)
        let step: Begun
        switch try await send(values) {
        case .success(let result): step = result
        case .failure(let error): return .success(try await recorded(draft, in: record.activity, after: error))
        }
        guard case .recorded(let new) = step else { return try await unrecorded(step, draft, in: record.activity) }
        var order = order(of: new, draft, record, recordsEvents: recordsEvents)
        if case .slots(let slots) = draft.scope {
            // The step itself has superseded the lists that a short list covers. If this call fails, an older list is
            // sent as well, before the new one.
            let lists = UniqueID.list(new.lists)
            order.superseded +=
                (try? await supersede(lists, within: slots, record.activity.id, from: new.leaves)) ?? []
        }
        // If the gateway is killed here, the activity still counts as open. The count is corrected at its expiry or by
        // a search.
        if draft.kind == .end, order.activity.externalID != nil {
            switch draft.scope {
            case .wholeSegment:
                try? await activities.opened.close(order.activity.id, tenantID: order.activity.tenantID)
            case .slots(let slots): try? await activities.opened.left(order.activity, ending: slots)
            }
        }
        return .success(order)
    }

    /// Returns a broadcast that was recorded now.
    func order(
        of new: Begun.Recorded, _ draft: BroadcastDraft, _ record: ActivityRecord, recordsEvents: Bool
    ) -> BroadcastOrder {
        var order = BroadcastOrder(
            id: draft.id, activity: draft.changed(record.activity, at: wallClock()), kind: draft.kind,
            scope: draft.scope, slots: SlotRanges(new.slots),
            payload: draft.payload.bytes(timestamp: Int64(new.timestamp)),
            priority: new.priority, expiration: draft.expiration, order: new.order, updatesThisHour: new.updates)
        order.endReason = draft.endReason
        order.notesReading = record.catchesUp && draft.kind == .update && draft.scope == .wholeSegment
        order.superseded = UniqueID.list(new.superseded)
        order.channels = Channels(new.channels)
        order.follows = Channels(new.follows)
        order.isSentAfterStart = new.isAfterStart
        order.recordsEvents = recordsEvents
        order.origin = draft.origin
        return order
    }

    /// Returns the result of a step that recorded no new broadcast.
    private func unrecorded(
        _ step: Begun, _ draft: BroadcastDraft, in activity: Activity
    ) async throws(StoreError) -> Result<BroadcastOrder, StateChanged> {
        var change = StateChanged()
        switch step {
        case .doneBefore: if let order = try await recorded(draft, in: activity) { return .success(order) }
        case .notDue: change.isScheduleGone = true
        case .unchanged(let updates): change.unchanged = updates
        case .crowded: change.isCrowded = true
        case .late(let slots, let others):
            change.remainder = Remainder(slots: SlotList.decode(slots), superseded: others)
        case .refused(reason: "leaving"): try await activities.finishRemoval(from: activity.id)
        case .refused, .recorded: break
        }
        return .failure(change)
    }

    /// Runs the script of the broadcast's kind. The inner result is that of the command.
    private func send(_ values: BeginValues) async throws(StoreError) -> Result<Begun, RedisError> {
        switch values.draft.kind {
        case .start: try await send(values.start) { Begun($0, values.draft) }
        case .update: try await send(values.update) { Begun($0) }
        case .end: try await send(values.end) { Begun($0, values.draft, at: values.now) }
        }
    }

    private func send<Reply>(
        _ call: ScriptCall<Reply>, _ read: (Reply) -> Begun
    ) async throws(StoreError) -> Result<Begun, RedisError> {
        let call = call.replicated(within: StoreContext.replication)
        switch await redis.call(call.command) {
        case .success(let value): return .success(read(try call.reply(value)))
        case .failure(let error): return .failure(error)
        }
    }

    /// Marks those of the older updates to target lists as superseded from a time on whose devices are all addressed
    /// again. Returns them if that time has come.
    private func supersede(
        _ older: [UniqueID], within slots: [UInt32], _ activity: UniqueID, from time: WallTime
    ) async throws(StoreError) -> [UniqueID] {
        guard !older.isEmpty else { return [] }
        let scopes = try await values(older.map { RedisCommand("HGET", Keys.broadcast(activity, $0), "scope") })
        let addressed = Set(slots)
        let superseded = zip(older, scopes).compactMap { id, scope in
            scope.bytes.map { addressed.isSuperset(of: SlotList.decode($0)) } == true ? id : nil
        }
        if !superseded.isEmpty {
            _ = try await values(
                superseded.map {
                    Scripts.supersedeList(broadcast: Keys.broadcast(activity, $0), time: time.milliseconds).command
                })
        }
        return time <= wallClock() ? superseded : []
    }

    /// Searches for the broadcast after a lost reply. If the step ran, any gateway will send the broadcast. The search
    /// lasts until the store is back, or as long as a caller can wait.
    private func recorded(
        _ draft: BroadcastDraft, in activity: Activity, after error: RedisError
    ) async throws(StoreError) -> BroadcastOrder {
        guard error.mayHaveBeenExecuted else { throw StoreError(error) }
        for pause in StoredBroadcasts.recoveryPauses {
            // Sleeps even if the caller is cancelled, because the broadcast may be recorded.
            await Task { try? await Task.sleep(for: pause) }.value
            guard let found = try? await recorded(draft, in: activity) else { continue }
            return found
        }
        throw StoreError(error)
    }

    /// A broadcast recorded under the draft's id, perhaps one that has ended since; nil if there is none.
    private func recorded(
        _ draft: BroadcastDraft, in activity: Activity
    ) async throws(StoreError) -> BroadcastOrder? {
        guard let found = try await self.activities.activity(activity.id) else { return nil }
        if let order = try await order(draft.id, of: found) { return order }
        guard let ended = try await broadcast(draft.id, in: activity.id) else { return nil }
        return BroadcastOrder(
            id: draft.id, activity: found.activity, kind: draft.kind, scope: draft.scope, slots: found.slots,
            payload: [], priority: draft.priority ?? 10, expiration: draft.expiration, order: 0,
            updatesThisHour: ended.updatesThisHour)
    }

    private static let recoveryPauses: [Duration] = [.zero, .milliseconds(250), .seconds(1), .seconds(2), .seconds(4)]

    /// Ends an activity that was never started. Fails if its state has changed, or the schedule behind the call is no
    /// longer due.
    public func cancel(
        _ activity: Activity, reason: EndReason = .endedByAPI, schedule: Schedule? = nil
    ) async throws(StoreError) -> Result<Void, StateChanged> {
        let call = Scripts.cancel(
            activity: Keys.activity(activity.id), due: dueQueue(activity.id), now: wallClock().milliseconds,
            activityID: activity.id.description, item: DueItem.activity(activity.id).description,
            reason: Int(reason.rawValue), schedule: schedule?.id.description ?? "", version: schedule?.version ?? 0)
        switch try await run(call.replicated(within: StoreContext.replication)) {
        case .cancelled: return .success(())
        case .notRegistered: return .failure(StateChanged())
        case .notDue: return .failure(StateChanged(isScheduleGone: true))
        }
    }

    /// A recorded broadcast; nil if it does not exist, or if its content is gone after its end.
    public func order(_ id: UniqueID, of record: ActivityRecord) async throws(StoreError) -> BroadcastOrder? {
        order(id, of: record, try await value(BroadcastOrder.read(id, record.activity.id)))
    }

    /// The broadcast in a reply to `BroadcastOrder.read`.
    func order(_ id: UniqueID, of record: ActivityRecord, _ fields: RedisValue) -> BroadcastOrder? {
        BroadcastOrder(id, of: record, fields: fields) { opened($0, of: id, tenantID: record.activity.tenantID) }
    }
}

extension BroadcastOrder {
    private static let fields = [
        "kind", "scope", "payload", "priority", "expiration", "order", "updates", "reason", "request", "trace",
        "events", "timestamp", "channels", "follows", "after_start", "source",
    ]

    /// The field of a broadcast whose content a late device still needs after the end.
    static let keptForLateField = "late"

    /// The field of a slot for which a late job is recorded.
    static func metField(_ slot: UInt32) -> String { "met:\(slot)" }

    static func read(_ id: UniqueID, _ activity: UniqueID) -> RedisCommand {
        RedisCommand("HMGET", arguments: [Keys.broadcast(activity, id)] + fields)
    }

    /// - Parameter open: Opens a sealed payload.
    init?(_ id: UniqueID, of record: ActivityRecord, fields: RedisValue, open: ([UInt8]) -> Payload?) {
        guard let parts = fields.array, parts.count == BroadcastOrder.fields.count,
            let kind = parts[0].string.flatMap(PushEvent.init), let kept = parts[2].bytes
        else { return nil }
        let payload =
            ContentSealer.isSealed(kept) ? open(kept)?.bytes(timestamp: parts[11].int ?? 0) : kept
        self.init(
            id: id, activity: record.activity, kind: kind,
            scope: parts[1].bytes.map { .slots(SlotList.decode($0)) } ?? .wholeSegment, slots: record.slots,
            payload: payload ?? [], priority: Int(parts[3].int ?? 10), expiration: parts[4].int ?? 0,
            order: Int(parts[5].int ?? 0), updatesThisHour: Int(parts[6].int ?? 0))
        notesReading = record.catchesUp && kind == .update && scope == .wholeSegment
        if let reason = parts[7].int.flatMap({ UInt8(exactly: $0) }).flatMap(EndReason.init) { endReason = reason }
        origin = BroadcastOrigin(requestID: parts[8].string, trace: parts[9].string, source: parts[15].string)
        recordsEvents = parts[10].string == "1"
        isUnreadable = payload == nil
        channels = Channels(parts[12].string)
        follows = Channels(parts[13].string)
        isSentAfterStart = parts[14].string == "1"
    }
}

extension BroadcastDraft {
    private var nextState: Activity.State { kind == .end && scope == .wholeSegment ? .dead : .started }

    func changed(_ activity: Activity, at now: WallTime) -> Activity {
        var changed = activity
        changed.state = nextState
        if isFirstStart { changed.startedAt = now }
        return changed
    }

    /// True for the start of the activity itself, false for one for devices that it has left out.
    var isFirstStart: Bool { kind == .start && restartLock == nil && topic?.joined == nil }
}

extension UniqueID {
    /// Ids separated by commas.
    fileprivate static func list(_ text: String) -> [UniqueID] {
        text.split(separator: ",").compactMap { UniqueID($0) }
    }
}

extension StoredBroadcasts {
    /// The part of an end or update for one device that has missed it. Because an end is the newest state of that Live
    /// Activity, it has its own timestamp and a new expiration. If the content of the activity's end is gone, it has
    /// none. An update keeps its timestamp, so that a Live Activity with newer content ignores it.
    /// - Returns: nil if the broadcast or its activity does not exist.
    public func part(
        _ id: UniqueID, of record: ActivityRecord, slot: UInt32
    ) async throws(StoreError) -> BroadcastOrder? {
        guard let order = try await order(id, of: record) ?? BroadcastOrder(endOf: record, id) else { return nil }
        guard order.kind == .end, !order.isUnreadable else {
            return order.part(slot: slot, payload: order.payload, expiration: order.expiration)
        }
        let now = wallClock()
        let timestamp = try await run(
            Scripts.takeLastTimestamp(
                activity: Keys.activity(record.activity.id), now: now.milliseconds, slot: Int(slot)))
        return order.part(
            slot: slot, payload: Payload.restamped(order.payload, timestamp: Int64(timestamp)),
            expiration: max(order.expiration, (now + .seconds(600)).seconds))
    }
}

extension BroadcastOrder {
    /// The end of an activity whose record is gone because it has reached all of its devices; nil for another
    /// broadcast.
    fileprivate init?(endOf record: ActivityRecord, _ id: UniqueID) {
        guard record.endBroadcast == id else { return nil }
        self.init(
            id: id, activity: record.activity, kind: .end, scope: .wholeSegment, slots: record.slots,
            payload: Payload.end(content: nil, options: PresentationOptions()).bytes(timestamp: 0), priority: 10,
            expiration: 0, order: 0, updatesThisHour: 0)
        endReason = record.endReason ?? .endedByAPI
    }
}
