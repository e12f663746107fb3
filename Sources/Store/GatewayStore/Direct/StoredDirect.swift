import Delivery
public import LiveActivity
import RedisClient
public import TimeCore

/// Updates to few devices that the gateway which records them sends at once, without a queue. Two steps are enough: one that
/// records the update and marks it as held by its gateway, and one that writes how it ended. Whoever needs to know of it
/// between these finds a broadcast like any other (`show`), and so does whoever takes over from a gateway that is gone.
///
/// On the reactor.
public final class StoredDirect: StoreFeature {
    let context: StoreContext
    let pages: StoredPages
    let switches: EventSwitches

    /// How long such an update is its gateway's without a word of it.
    public static let holdLength = TimeInterval.seconds(6)

    init(_ context: StoreContext, pages: StoredPages, events: StoredEvents) {
        self.context = context
        self.pages = pages
        switches = events.switches
    }

    /// What is to be known before such an update is recorded.
    public struct Reading: Sendable {
        /// Who it is sent to.
        public let page: PageOfDevices
        /// How many slots the page has.
        public let pageLength: Int
        /// Whether the tenant is told of broadcasts.
        public let recordsEvents: Bool
    }

    /// Reads whom an update would be sent to.
    public func read(
        _ draft: DirectDraft, _ segment: SmallSegment, completion: @escaping (Swift.Result<Reading, StoreError>) -> Void
    ) {
        let id = draft.activityID
        var page: Swift.Result<(PageOfDevices, Int), StoreError>?
        var events: Swift.Result<Bool, StoreError>?
        var pointed: Swift.Result<Void, StoreError>? = draft.isRepetition ? nil : .success(())
        func complete() {
            guard let page, let events, let pointed else { return }
            completion(
                pointed.flatMap { page }.flatMap { page in
                    events.map { Reading(page: page.0, pageLength: page.1, recordsEvents: $0) }
                })
        }
        redis.send(RedisCommand("MGET", Keys.updatePage(id, segment.page), Keys.statusPage(id, segment.page))) {
            page = $0.map { reply in
                let parts = reply.elements.map { Array($0.bytes) }
                let indexes = segment.slots.indexes(inPage: segment.page)
                let statuses = parts.count == 2 ? parts[1] : []
                let devices = PageOfDevices(segment.page, indexes, parts.first ?? [], statuses, kind: .update)
                return (devices, statuses.count)
            }.mapError { StoreError($0) }
            complete()
        }
        if draft.isRepetition {
            redis.send(pointer(of: draft).replicated(within: StoreContext.replication)) {
                pointed = $0.map { _ in () }.mapError { StoreError($0) }
                complete()
            }
        }
        let asked = MonotonicTime.now()
        if let known = switches[draft.tenantID, asked] {
            events = .success(known.areOn)
            return complete()
        }
        redis.send(StoredEvents.readSwitches(draft.tenantID)) { [switches] result in
            events = result.map { view in
                let read = StoredEvents.switches(view.copy().array ?? [])
                switches.read(read, of: draft.tenantID, asked: asked)
                return read.areOn
            }.mapError { StoreError($0) }
            complete()
        }
    }

    /// One that leads nowhere does no harm, and goes by itself.
    private func pointer(of draft: DirectDraft) -> RedisCommand {
        let until = wallClock() + Lifecycle.longestLife + Activity.keptAfterEnd
        return RedisCommand(
            "SET", Keys.broadcastPointer(draft.id), draft.activityID.description, "PXAT", until.milliseconds)
    }

    /// Whether the updates of an activity may be sent at once; nil when there is none that has been started. Writes the
    /// pointer that leads from its broadcasts to it.
    public func find(
        _ activity: UniqueID, completion: @escaping (Swift.Result<SmallSegment.Kind?, StoreError>) -> Void
    ) {
        redis.send(RedisCommand("HGETALL", Keys.activity(activity))) { [self] result in
            switch result {
            case .failure(let error): completion(.failure(StoreError(error)))
            case .success(let reply):
                guard let record = ActivityRecord(activity, reply.copy().fields), record.activity.state == .started
                else { return completion(.success(nil)) }
                guard let segment = SmallSegment(record) else { return completion(.success(.other)) }
                let pointer = RedisCommand(
                    "SET", Keys.activityPointer(activity), activity.description, "PXAT",
                    record.activity.keptUntil.milliseconds)
                redis.send(pointer.replicated(within: StoreContext.replication)) {
                    completion($0.map { _ in .small(segment) }.mapError { StoreError($0) })
                }
            }
        }
    }

    /// An id for a broadcast of an activity, which leads to it by one pointer for all that are made so.
    public static func newID(in activity: UniqueID) -> UniqueID {
        UniqueID(high: activity.high, low: UniqueID.random().low)
    }

    /// Records an update. Nil when it is to be recorded as any other: the activity is not what it was taken for, or
    /// another broadcast of it is under way, or it may not leave at once. Nothing has changed then.
    /// - Parameter hold: names this gateway's hold of it.
    public func begin(
        _ draft: DirectDraft, _ segment: SmallSegment, hold: String, at now: WallTime,
        completion: @escaping (Swift.Result<BroadcastOrder?, StoreError>) -> Void
    ) {
        let command: RedisCommand
        do throws(StoreError) {
            command = try beginCommand(draft, segment, hold, now)
        } catch {
            return completion(.failure(error))
        }
        redis.send(command.replicated(within: StoreContext.replication)) { result in
            completion(result.map { StoredDirect.order(draft, segment, $0) }.mapError { StoreError($0) })
        }
    }

    private func beginCommand(
        _ draft: DirectDraft, _ segment: SmallSegment, _ hold: String, _ now: WallTime
    ) throws(StoreError) -> RedisCommand {
        let payload = try kept(draft.payload, of: draft.id, tenantID: draft.tenantID)
        let shard = Keys.shard(draft.activityID)
        var arguments: [any RedisArgumentConvertible] = [
            draft.id.description, draft.id.bytes, draft.activityID.description, draft.tenantID, draft.type,
            segment.slots.bytes, now.milliseconds, (now + StoredDirect.holdLength).milliseconds, hold,
            segment.partition, payload.before, payload.after,
            ContentDigest.bytes(
                of: draft.payload, in: draft.activityID, tenantID: draft.tenantID, sealer: context.sealer),
            Int(context.minimumInterval.millisecondsRoundedUp), draft.priority.map(String.init) ?? "",
            context.updateBudget, draft.expiration.map(String.init) ?? "", segment.slots.count,
        ]
        for text in draft.origin.fields { arguments.append(text) }
        return RedisCommand(
            script: Scripts.beginDirect,
            keys: [Keys.activity(draft.activityID), Keys.direct(shard)]
                + (draft.isRepetition ? [Keys.broadcast(draft.activityID, draft.id)] : []),
            arguments: arguments)
    }

    private static func order(
        _ draft: DirectDraft, _ segment: SmallSegment, _ reply: RedisReplyView
    ) -> BroadcastOrder? {
        let parts = reply.elements
        let numbers = parts.prefix(8).compactMap(\.integer)
        guard parts.count == 9, numbers.count == 8, numbers[0] == 1 else { return nil }
        let (timestamp, order, attribute) = (numbers[1], numbers[2], parts[8].string)
        let activity = Activity(
            id: draft.activityID, tenantID: draft.tenantID, type: draft.type, state: .started,
            createdAt: WallTime(milliseconds: numbers[5]), startedAt: WallTime(milliseconds: numbers[6]),
            endsAt: WallTime(milliseconds: numbers[7]), activityIDAttribute: attribute.isEmpty ? nil : attribute,
            externalID: nil, externalOwner: nil)
        var recorded = BroadcastOrder(
            id: draft.id, activity: activity, kind: .update, scope: .wholeSegment, slots: segment.slots,
            payload: draft.payload.bytes(timestamp: timestamp), timestamp: timestamp,
            priority: Int(numbers[4]),
            expiration: draft.expiration ?? activity.endsAt.seconds, order: Int(order),
            updatesThisHour: Int(numbers[3]))
        recorded.origin = draft.origin
        return recorded
    }

    /// The job of an update that was recorded.
    public func job(of order: BroadcastOrder, hold: Int, at time: WallTime) -> JobTicket {
        JobTicket(
            directly: order.id, in: order.activity.id, partition: order.partitions.first ?? 0, hold: hold, at: time)
    }
}
