import Delivery
public import LiveActivity
import RedisClient
import RosterCore
public import TimeCore

/// Updates to few devices that the gateway which records them sends at once, without a queue. The first step records
/// the update and marks it as held by its gateway. The second one writes its end. Between them, other gateways can turn
/// it into a record like any other (`show`), as they do if its gateway fails.
///
/// Confined to the reactor.
public final class StoredDirect: StoreFeature {
    let context: StoreContext
    let pages: StoredPages
    let switches: EventSwitches
    private let windows: RateWindows

    /// The time after which an update is free for other gateways, unless its gateway renews the hold.
    public static let holdLength = TimeInterval.seconds(6)

    init(_ context: StoreContext, pages: StoredPages, events: StoredEvents, windows: RateWindows) {
        self.context = context
        self.windows = windows
        self.pages = pages
        switches = events.switches
    }

    /// An update that is recorded and held.
    public struct Begun: Sendable {
        /// The recorded update.
        public let order: BroadcastOrder
        /// The devices as of the record of the update, or later.
        public let page: PageOfDevices
        /// The number of slots of the page.
        public let pageLength: Int
        /// The rate of the key; nil if the request was admitted before.
        public let rate: Admission.Rate?
    }

    /// True if the tenant's events are off and, if `begin` cannot read the page itself, the page has devices and no
    /// marks. The result may be out of date.
    public func check(
        _ draft: DirectDraft, _ segment: SmallSegment, completion: @escaping (Result<Bool, StoreError>) -> Void
    ) {
        var (isPlain, failure): (Bool, StoreError?) = (true, nil)
        var missing = 1
        func complete() {
            missing -= 1
            if missing == 0 { completion(failure.map { .failure($0) } ?? .success(isPlain)) }
        }
        func take<Value>(_ result: Result<Value, some Error>, _ holds: (Value) -> Bool) {
            switch result {
            case .success(let value): isPlain = isPlain && holds(value)
            case .failure(let error): failure = error as? StoreError ?? (error as? RedisError).map { StoreError($0) }
            }
            complete()
        }
        if !looksItself(segment) {
            missing += 1
            readPage(draft.activityID, segment) { take($0) { !$0.page.devices.isEmpty && !$0.page.hasMarks } }
        }
        if draft.isRepetition {
            missing += 1
            redis.send(pointer(of: draft).replicated(within: StoreContext.replication)) { take($0) { _ in true } }
        }
        let asked = MonotonicTime.now()
        if let known = switches[draft.tenantID, asked] {
            isPlain = isPlain && !known.areOn
            return complete()
        }
        redis.send(StoredEvents.readSwitches(draft.tenantID)) { [switches] result in
            take(result) { view in
                let read = StoredEvents.switches(view.copy().array ?? [])
                switches.read(read, of: draft.tenantID, asked: asked)
                return !read.areOn
            }
        }
    }

    /// True if the step that records an update can also read its page and admit the request. This needs a single server
    /// with all keys. An Android device's token may be outside the page.
    public func looksItself(_ segment: SmallSegment) -> Bool {
        redis.keepsOrderAcrossKeys && !RosterGeometry.kind(ofPage: segment.page).hasOneToken
    }

    private func readPage(
        _ activity: UniqueID, _ segment: SmallSegment,
        _ completion: @escaping (Result<(page: PageOfDevices, length: Int), StoreError>) -> Void
    ) {
        pages.read([Keys.updatePage(activity, segment.page), Keys.statusPage(activity, segment.page)]) { read in
            completion(read.map { StoredDirect.page(segment, $0[0], $0[1]) })
        }
    }

    private static func page(
        _ segment: SmallSegment, _ tokens: [UInt8], _ statuses: [UInt8]
    ) -> (page: PageOfDevices, length: Int) {
        let indexes = segment.slots.indexes(inPage: segment.page)
        return (PageOfDevices(segment.page, indexes, tokens, statuses, kind: .update), statuses.count)
    }

    /// The pointer from the broadcast to its activity. An unused pointer is harmless and expires.
    private func pointer(of draft: DirectDraft) -> RedisCommand {
        let until = wallClock() + Lifecycle.longestLife + Activity.keptAfterEnd
        return RedisCommand(
            "SET", Keys.broadcastPointer(draft.id), draft.activityID.description, "PXAT", until.milliseconds)
    }

    /// The way to send updates of a tenant's activity; nil if the tenant has no started activity with this id.
    /// Writes the pointer to an activity whose broadcasts do not name it in their ids. Another tenant's activity takes
    /// the same commands as one that does not exist, so its id reveals nothing.
    public func find(
        _ activity: UniqueID, of tenantID: String,
        completion: @escaping (Result<SmallSegment.Kind?, StoreError>) -> Void
    ) {
        redis.send(RedisCommand("HGETALL", Keys.activity(activity))) { [self] result in
            switch result {
            case .failure(let error): completion(.failure(StoreError(error)))
            case .success(let reply):
                guard let record = ActivityRecord(activity, reply.copy().fields), record.activity.state == .started,
                    record.activity.tenantID == tenantID
                else { return completion(.success(nil)) }
                guard let segment = SmallSegment(record) else { return completion(.success(.other)) }
                guard let key = Keys.pointer(to: activity, from: activity) else {
                    return completion(.success(.small(segment)))
                }
                let pointer = RedisCommand(
                    "SET", key, activity.description, "PXAT", record.activity.keptUntil.milliseconds)
                redis.send(pointer.replicated(within: StoreContext.replication)) {
                    completion($0.map { _ in .small(segment) }.mapError { StoreError($0) })
                }
            }
        }
    }

    /// The result of an attempt to record an update.
    public enum Beginning: Sendable {
        case begun(Begun)
        /// The update must be recorded as a broadcast with jobs, and nothing has changed. Another broadcast is under
        /// way, it may not leave at once, or the request is not admitted.
        case declined
        /// The update must be recorded as a broadcast with jobs, because the activity has changed since it was read.
        case changed
    }

    /// Records an update.
    /// - Parameter hold: The name of this gateway's hold.
    public func begin(
        _ draft: DirectDraft, _ segment: SmallSegment, hold: String, at now: WallTime,
        completion: @escaping (Result<Beginning, StoreError>) -> Void
    ) {
        let call: ScriptCall<Scripts.BeginDirectReply>
        do throws(StoreError) {
            call = try beginCall(draft, segment, hold, now)
        } catch {
            return completion(.failure(error))
        }
        redis.send(call.command.replicated(within: StoreContext.replication)) { [self] result in
            switch call.result(result) {
            case .failure(let error): completion(.failure(error))
            case .success(.declined): completion(.success(.declined))
            case .success(.changed): completion(.success(.changed))
            case .success(
                .begun(
                    let timestamp, let number, let updates, let priority, let createdAt, let startedAt, let endsAt,
                    let idAttribute, let tokens, let statuses, let requestsLeft, let freeAt, let label)):
                let activity = Activity(
                    id: draft.activityID, tenantID: draft.tenantID, type: draft.type, state: .started,
                    createdAt: WallTime(milliseconds: Int64(createdAt)),
                    startedAt: WallTime(milliseconds: Int64(startedAt)),
                    endsAt: WallTime(milliseconds: Int64(endsAt)),
                    activityIDAttribute: idAttribute.isEmpty ? nil : idAttribute, externalID: nil, externalOwner: nil,
                    label: label.isEmpty ? nil : label)
                let timestamp = Int64(timestamp)
                var order = BroadcastOrder(
                    id: draft.id, activity: activity, kind: .update, scope: .wholeSegment, slots: segment.slots,
                    payload: draft.payload.bytes(timestamp: timestamp), timestamp: timestamp, priority: priority,
                    expiration: draft.expiration ?? activity.endsAt.seconds, order: number, updatesThisHour: updates)
                order.origin = draft.origin
                if looksItself(segment) {
                    let read = StoredDirect.page(segment, tokens, statuses)
                    let rate = rate(draft.admission, requestsLeft: requestsLeft, freeAt: Int64(freeAt))
                    let begun = Begun(order: order, page: read.page, pageLength: read.length, rate: rate)
                    return completion(.success(.begun(begun)))
                }
                // Read after the record, so that the update reaches all tokens reported until then.
                readPage(draft.activityID, segment) { [order] read in
                    completion(
                        read.map { .begun(Begun(order: order, page: $0.page, pageLength: $0.length, rate: nil)) })
                }
            }
        }
    }

    private func beginCall(
        _ draft: DirectDraft, _ segment: SmallSegment, _ hold: String, _ now: WallTime
    ) throws(StoreError) -> ScriptCall<Scripts.BeginDirectReply> {
        let payload = try kept(draft.payload, of: draft.id, tenantID: draft.tenantID)
        let (id, shard) = (draft.activityID, Keys.shard(draft.activityID))
        let admission = draft.admission
        let looksItself = looksItself(segment)
        let bounds = context.clockBounds()
        let arrived = draft.arrived ?? bounds.latest
        let digest = ContentDigest.bytes(of: draft.payload, in: id, tenantID: draft.tenantID, sealer: context.sealer)
        return Scripts.beginDirect(
            activity: Keys.activity(id), direct: Keys.direct(shard), broadcast: Keys.broadcast(id, draft.id),
            updatePage: looksItself ? Keys.updatePage(id, segment.page) : nil,
            statusPage: looksItself ? Keys.statusPage(id, segment.page) : nil,
            credential: admission.map { Keys.credential($0.key.hash) },
            rateWindow: admission.map { Keys.rateWindow($0.key.hash) },
            id: draft.id, packedID: PackedID(id: draft.id), mayBeKnown: draft.isRepetition ? "1" : "", activityID: id,
            tenant: draft.tenantID, typeName: draft.type, slots: segment.slots.bytes, now: now.milliseconds,
            heldUntil: (now + StoredDirect.holdLength).milliseconds, arrived: arrived.milliseconds,
            notedAs: min(arrived, bounds.earliest).milliseconds, hold: hold, part: segment.partition,
            payloadBefore: payload.before, payloadAfter: payload.after, digest: digest,
            interval: Int(context.minimumInterval.millisecondsRoundedUp),
            givenPriority: draft.priority.map(String.init) ?? "", budget: context.updateBudget,
            givenExpiration: draft.expiration.map(String.init) ?? "", devices: segment.slots.count,
            tier: admission?.key.tier ?? "", limits: admission?.key.limits ?? "", rate: admission?.limit ?? 0,
            window: admission?.window.wholeMilliseconds ?? 0,
            known: admission.flatMap { windows[$0.key.hash] }.map { String($0.milliseconds) } ?? "",
            fields: draft.origin.fields)
    }

    private func rate(_ request: KnownKey.Request?, requestsLeft: Int, freeAt: Int64) -> Admission.Rate? {
        guard let request else { return nil }
        if request.limit > 0 { windows.learned(freeAt, request.window, of: request.key.hash) }
        return Admission.Rate(isAllowed: true, remaining: requestsLeft, resetAt: freeAt)
    }

    /// The job of a recorded update.
    public func job(of order: BroadcastOrder, hold: Int, at time: WallTime) -> JobTicket {
        JobTicket(
            directly: order.id, in: order.activity.id, partition: order.partitions.first ?? 0, hold: hold, at: time)
    }
}
