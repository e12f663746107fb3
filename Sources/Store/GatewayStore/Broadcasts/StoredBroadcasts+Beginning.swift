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
        let begin = try beginCommand(draft, record.activity, recordsEvents).replicated(within: StoreContext.replication)
        let reply: [RedisValue]
        switch await redis.call(begin) {
        case .success(let value): reply = value.array ?? []
        case .failure(let error): return .success(try await recorded(draft, in: record.activity, after: error))
        }
        if reply.first?.int == 2, let order = try await recorded(draft, in: record.activity) { return .success(order) }
        guard reply.first?.int == 1, reply.count == 12, let timestamp = reply[1].int else {
            if reply.last?.string == "leaving" { try await activities.finishRemoval(from: record.activity.id) }
            return .failure(StateChanged(reply))
        }
        var order = BroadcastOrder(
            id: draft.id, activity: draft.changed(record.activity, at: wallClock()), kind: draft.kind,
            scope: draft.scope, slots: SlotRanges(reply[3].bytes ?? []),
            payload: draft.payload.bytes(timestamp: timestamp), priority: Int(reply[11].int ?? 10),
            expiration: draft.expiration, order: Int(reply[2].int ?? 0), updatesThisHour: Int(reply[4].int ?? 0))
        order.endReason = draft.endReason
        order.notesReading = record.catchesUp && draft.kind == .update && draft.scope == .wholeSegment
        order.superseded = UniqueID.list(reply[5].string)
        order.channels = Channels(reply[8].string)
        order.follows = Channels(reply[9].string)
        order.isSentAfterStart = reply[10].int == 1
        order.recordsEvents = recordsEvents
        order.origin = draft.origin
        if case .slots(let slots) = draft.scope {
            // The step itself has superseded the lists that a short list covers. If this call fails, an older list is
            // sent as well, before the new one.
            let lists = UniqueID.list(reply[6].string)
            let leaves = WallTime(milliseconds: reply[7].int ?? 0)
            order.superseded += (try? await supersede(lists, within: slots, record.activity.id, from: leaves)) ?? []
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

    private func beginCommand(
        _ draft: BroadcastDraft, _ activity: Activity, _ recordsEvents: Bool
    ) throws(StoreError) -> RedisCommand {
        let payload = try kept(draft.payload, of: draft.id, tenantID: activity.tenantID)
        let shard = Keys.shard(activity.id)
        let keys =
            [
                Keys.activity(activity.id), Keys.startLock(activity.id), Keys.broadcast(activity.id, draft.id),
                Keys.rosterLock(activity.id), Keys.openBroadcasts(activity.id), Keys.unfinished(shard),
            ] + JobLane.allCases.map { Keys.jobs(shard, $0) } + [
                Keys.due(shard), Keys.restartLock(activity.id), Keys.unfinishedOwners(shard),
                Keys.unfinishedCounts(shard), Keys.leaving(activity.id), Keys.direct(shard),
            ]
            + (draft.topic.map { [Keys.topic($0.lease.topic)] } ?? [])
        let now = wallClock()
        var arguments: [any RedisArgumentConvertible] = [
            draft.kind.rawValue, Int(activity.state.rawValue), Int(draft.nextState.rawValue), draft.id.description,
            draft.id.bytes, activity.id.description, now.milliseconds, payload.before, payload.after,
            activity.keptUntil.milliseconds,
        ]
        var fields: [any RedisArgumentConvertible] = [
            "expiration", draft.expiration, "activity", activity.id.description,
        ]
        for text in draft.origin.fields { fields.append(text) }
        if !draft.skipped.isEmpty { fields += ["skipped_before", BroadcastCounts(skipped: draft.skipped).skippedText] }
        if draft.covered > 0 { fields += ["covered", draft.covered] as [any RedisArgumentConvertible] }
        if recordsEvents { fields += ["events", "1"] }
        if draft.kind == .end { fields += ["reason", Int(draft.endReason.rawValue)] }
        if let schedule = draft.schedule {
            fields += ["schedule", schedule.id.description, "schedule_name", schedule.name ?? ""]
        }
        var kinds = [RouteKind.apns]
        switch draft.scope {
        case .wholeSegment: arguments += ["whole", 0]
        case .slots(let slots):
            arguments += ["slots", slots.count]
            let pages = SlotList.pages(slots)
            let partitions = RosterGeometry.partitions(ofPages: pages).map(String.init).joined(separator: ",")
            fields += ["scope", SlotList.encode(slots), "parts", partitions]
            if !pages.isEmpty { kinds = RosterGeometry.kinds(ofPages: pages) }
        }
        arguments.append(Keys.broadcastPrefix(activity.id))
        // A start without an arrival time repeats content whose arrival is recorded, for example a healing start.
        let bounds = context.clockBounds()
        let arrived = draft.arrived ?? (draft.kind == .update || draft.isFirstStart ? bounds.latest : nil)
        let noted = arrived.map { min($0, bounds.earliest) }
        let nextDue = draft.isFirstStart ? "\(nextDue(draft.changed(activity, at: now)))" : ""
        arguments += [
            DueItem.activity(activity.id).description, nextDue, Int(draft.endReason.rawValue),
            draft.schedule?.id.description ?? "", draft.schedule?.name ?? "", draft.schedule?.version ?? 0,
            draft.restartLock?.token ?? "", Int(context.minimumInterval.millisecondsRoundedUp), draft.packedSlots,
            kinds.map { JobTicket.Part.list($0).description }.joined(separator: ","),
            draft.isFirstStart ? draft.channels.text : "", draft.topic?.lease.token ?? "",
            draft.topic?.version.map(String.init) ?? "", draft.topic?.joined.map(String.init) ?? "",
            draft.topic?.life.map(String.init) ?? "",
            draft.kind == .end
                ? []
                : ContentDigest.bytes(
                    of: draft.payload, in: activity.id, tenantID: activity.tenantID, sealer: context.sealer),
            draft.skipsUnchanged ? "1" : "", arrived.map { "\($0.milliseconds)" } ?? "",
            noted.map { "\($0.milliseconds)" } ?? "", draft.priority.map(String.init) ?? "", context.updateBudget,
            draft.mostOpen,
        ]
        return RedisCommand(script: Scripts.beginBroadcast, keys: keys, arguments: arguments + fields)
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
                    RedisCommand(
                        script: Scripts.supersedeList, keys: [Keys.broadcast(activity, $0)],
                        arguments: [time.milliseconds])
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
        let command = RedisCommand(
            script: Scripts.cancel, keys: [Keys.activity(activity.id), dueQueue(activity.id)],
            arguments: [
                wallClock().milliseconds, activity.id.description, DueItem.activity(activity.id).description,
                Int(reason.rawValue), schedule?.id.description ?? "", schedule?.version ?? 0,
            ])
        let reply = try await value(command.replicated(within: StoreContext.replication))
        return reply.int == 1 ? .success(()) : .failure(StateChanged(isScheduleGone: reply.int == 3))
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
    /// The slots of a short target list, four bytes each; empty otherwise.
    fileprivate var packedSlots: [UInt8] {
        guard case .slots(let slots) = scope, slots.count <= ScriptLimits.shortList else { return [] }
        return slots.flatMap { slot in (0..<4).map { UInt8(truncatingIfNeeded: slot >> (8 * $0)) } }
    }

    fileprivate var nextState: Activity.State { kind == .end && scope == .wholeSegment ? .dead : .started }

    fileprivate func changed(_ activity: Activity, at now: WallTime) -> Activity {
        var changed = activity
        changed.state = nextState
        if isFirstStart { changed.startedAt = now }
        return changed
    }

    /// True for the start of the activity itself, false for one for devices that it has left out.
    fileprivate var isFirstStart: Bool { kind == .start && restartLock == nil && topic?.joined == nil }
}

extension StoredBroadcasts.StateChanged {
    /// Reads the reply of a step that recorded nothing.
    fileprivate init(_ reply: [RedisValue]) {
        switch reply.first?.int {
        case 3: isScheduleGone = true
        case 4: unchanged = Int(reply.last?.int ?? 0)
        case 5: isCrowded = true
        case 6 where reply.count == 3:
            remainder = .init(
                slots: SlotList.decode(reply[1].bytes ?? []), superseded: Int(reply[2].int ?? 0))
        default: break
        }
    }
}

extension UniqueID {
    /// Ids separated by commas.
    fileprivate static func list(_ text: String?) -> [UniqueID] {
        (text ?? "").split(separator: ",").compactMap { UniqueID($0) }
    }
}

extension StoredBroadcasts {
    /// The part of an end for one device that has reported its token late. Because it is the newest state of that Live
    /// Activity, it has its own timestamp and a new expiration. Without content if that of the activity's end is gone.
    /// Nil if the end or its activity does not exist.
    public func lateEnd(
        _ id: UniqueID, of record: ActivityRecord, slot: UInt32
    ) async throws(StoreError) -> BroadcastOrder? {
        guard let order = try await order(id, of: record) ?? BroadcastOrder(endOf: record, id) else { return nil }
        guard !order.isUnreadable else { return order.part(slot: slot, payload: [], expiration: order.expiration) }
        let now = wallClock()
        let key = Keys.activity(record.activity.id)
        let taken = try await run(Scripts.takeLastTimestamp, [key], [now.milliseconds, SlotList.encode([slot])])
        guard let timestamp = taken.int else { return nil }
        return order.part(
            slot: slot, payload: Payload.restamped(order.payload, timestamp: timestamp),
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
