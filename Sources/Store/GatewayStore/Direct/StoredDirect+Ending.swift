import Delivery
public import LiveActivity
import RedisClient
import RosterCore
import TimeCore

extension StoredDirect {
    /// The end of an update that was sent at once.
    public struct Ending: Sendable {
        let job: JobTicket
        let order: BroadcastOrder
        let hold: String
        let startedAt: WallTime
        let outcome: PageOutcome?
        let pageLength: Int
        let hasWrongEnvironment: Bool

        /// - Parameters:
        ///   - hold: the hold that `begin` got.
        ///   - startedAt: the time at which it was recorded.
        ///   - outcome: that of its page; nil for none.
        ///   - pageLength: the length of the page when it was read.
        ///   - hasWrongEnvironment: true if many tokens were refused as those of another environment or app.
        public init(
            _ job: JobTicket, _ order: BroadcastOrder, hold: String, startedAt: WallTime, outcome: PageOutcome?,
            pageLength: Int, hasWrongEnvironment: Bool
        ) {
            self.job = job
            self.order = order
            self.hold = hold
            self.startedAt = startedAt
            self.outcome = outcome
            self.pageLength = pageLength
            self.hasWrongEnvironment = hasWrongEnvironment
        }
    }

    /// Writes the end of an update: the outcomes of its devices, and its record. May be repeated when it failed. Gives
    /// the record, or nil when the update is another gateway's by now.
    /// - Parameter stop: the reason why the rest was not sent; nil when the update was not stopped.
    public func finish(
        _ ended: Ending, stop: String?,
        completion: @escaping (Result<BroadcastRecord?, StoreError>) -> Void
    ) {
        guard let outcome = ended.outcome else { return writeEnd(ended, stop, completion) }
        // The outcomes are written first. If the end is not written, its devices are sent the update again.
        guard redis.keepsOrderAcrossKeys else {
            return pages.settle(outcome, of: ended.order, pageLength: ended.pageLength) { [self] error in
                if let error { return completion(.failure(error)) }
                writeEnd(ended, stop, completion)
            }
        }
        var failure: StoreError?
        var written: Result<BroadcastRecord?, StoreError>?
        var missing = 2
        func complete() {
            missing -= 1
            guard missing == 0, let written else { return }
            completion(failure.map { .failure($0) } ?? written)
        }
        pages.settle(outcome, of: ended.order, pageLength: ended.pageLength) {
            failure = $0
            complete()
        }
        writeEnd(ended, stop) {
            written = $0
            complete()
        }
    }

    private func writeEnd(
        _ ended: Ending, _ stop: String?,
        _ completion: @escaping (Result<BroadcastRecord?, StoreError>) -> Void
    ) {
        let (order, outcome) = (ended.order, ended.outcome)
        let activityID = order.activity.id
        var counts = outcome?.counts ?? BroadcastCounts()
        counts.cohorts.add(counts, of: order.cohort(of: ended.job.part))
        let hasFailed = outcome?.hasFailed == true || stop != nil
        let state: BroadcastState = hasFailed ? .failed : outcome?.isSuperseded == true ? .superseded : .done
        let record = BroadcastRecord(
            id: order.id, tenantID: order.activity.tenantID, activityID: activityID, kind: .update, state: state,
            pause: nil, counts: counts, updatesThisHour: order.updatesThisHour, createdAt: ended.startedAt,
            startedAt: ended.startedAt, pushes: nil, finishedAt: wallClock(), addressed: order.slots.count,
            recordsEvents: false,
            endReason: order.endReason, hasWrongEnvironment: ended.hasWrongEnvironment, source: order.origin.source)
        writeEnd(record, order, ended.hold, fields: []) { [self] result in
            switch result {
            case .success(.written): completion(.success(record))
            case .success(.lost): completion(.success(nil))
            case .success(.needsFields):
                // An update that has a record by now ends like any other.
                writeEnd(record, order, ended.hold, fields: fields(of: record, order)) { result in
                    completion(result.map { $0 == .written ? record : nil })
                }
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    private func writeEnd(
        _ record: BroadcastRecord, _ order: BroadcastOrder, _ hold: String, fields: [any RedisArgumentConvertible],
        _ completion: @escaping (Result<Scripts.FinishDirectReply, StoreError>) -> Void
    ) {
        let activityID = order.activity.id
        let shard = Keys.shard(activityID)
        let call = Scripts.finishDirect(
            direct: Keys.direct(shard), broadcast: Keys.broadcast(activityID, order.id),
            openBroadcasts: Keys.openBroadcasts(activityID), unfinished: Keys.unfinished(shard),
            activity: Keys.activity(activityID), owners: Keys.unfinishedOwners(shard),
            counts: Keys.unfinishedCounts(shard), activityID: activityID, id: order.id, hold: hold, order: order.order,
            member: UnfinishedBroadcast(activityID: activityID, id: order.id).member,
            hasFailed: record.state == .failed || record.counts.reachedNone ? "1" : "",
            packedID: PackedID(id: order.id), ended: EndedBroadcast.text(of: record, timestamp: order.timestamp),
            fields: fields)
        redis.send(call.command.replicated(within: StoreContext.replication)) { completion(call.result($0)) }
    }

    /// The fields that are kept of an update that has ended.
    private func fields(of record: BroadcastRecord, _ order: BroadcastOrder) -> [any RedisArgumentConvertible] {
        var fields: [any RedisArgumentConvertible] = [
            "kind", record.kind.rawValue, "state", record.state.rawValue,
            "created_at", record.createdAt.milliseconds, "started_at", record.createdAt.milliseconds,
            "finished_at", (record.finishedAt ?? record.createdAt).milliseconds, "updates", record.updatesThisHour,
            "accepted", record.counts.accepted, "failed", record.counts.failedText,
            "skipped", record.counts.skippedText,
        ]
        if let timestamp = order.timestamp { fields += ["timestamp", timestamp] as [any RedisArgumentConvertible] }
        let cohorts = record.counts.cohorts.text
        if !cohorts.isEmpty { fields += ["cohorts", cohorts] as [any RedisArgumentConvertible] }
        if record.hasWrongEnvironment { fields += ["wrong_environment", "1"] }
        return fields
    }

    // MARK: While it is under way

    /// Renews the gateway's hold on updates of a shard, or gives it up. The updates then get jobs. Gives those that are
    /// no longer its own.
    public func renew(
        _ holds: [(job: JobTicket, hold: String)], shard: Int, areHandedOver: Bool = false,
        completion: @escaping (Result<[JobTicket], StoreError>) -> Void
    ) {
        let until = areHandedOver ? "" : "\((wallClock() + StoredDirect.holdLength).milliseconds)"
        let call = Scripts.renewDirect(
            direct: Keys.direct(shard), smallJobs: Keys.jobs(shard, .small), unfinished: Keys.unfinished(shard),
            owners: Keys.unfinishedOwners(shard), counts: Keys.unfinishedCounts(shard),
            prefix: Keys.activityPrefix(shard), heldUntil: until,
            holds: holds.flatMap { [$0.job.activityID.description, $0.hold] })
        redis.send(call.command) { result in
            completion(
                call.result(result).map { names in
                    let lost = Set(names)
                    return holds.filter { lost.contains($0.hold) }.map(\.job)
                })
        }
    }

    /// Gives an activity's update that is under way a record, and a place among the open broadcasts.
    public func show(_ activity: UniqueID, completion: @escaping (StoreError?) -> Void) {
        let call = showCall(activity)
        redis.send(call.command) { result in
            if case .failure(let error) = call.result(result) { completion(error) } else { completion(nil) }
        }
    }

    /// Does so from any thread.
    func show(_ activity: UniqueID) async throws(StoreError) {
        _ = try await run(showCall(activity))
    }

    private func showCall(_ activity: UniqueID) -> ScriptCall<Bool> {
        let shard = Keys.shard(activity)
        return Scripts.showDirect(
            direct: Keys.direct(shard), activity: Keys.activity(activity), unfinished: Keys.unfinished(shard),
            owners: Keys.unfinishedOwners(shard), counts: Keys.unfinishedCounts(shard),
            activityID: activity.description)
    }
}

extension StoredPages {
    /// Writes the outcomes of the only page of an update that has no progress of its own. May be repeated when it
    /// failed.
    /// - Parameter pageLength: The number of slots of the page when it was read. If all of them have an outcome, no
    ///   former one is kept.
    func settle(
        _ outcome: PageOutcome, of order: BroadcastOrder, pageLength: Int, completion: @escaping (StoreError?) -> Void
    ) {
        var failure: StoreError?
        var missing = 2
        func complete() {
            missing -= 1
            if missing == 0 { completion(failure) }
        }
        // The caller gets the end of the update only after the deletion of these tokens.
        dropDeadTokens(outcome, of: order) { _ in complete() }
        guard let change = outcome.outcomes(at: wallClock()) else { return complete() }
        let isWhole = change.first == 0 && change.codes.count >= pageLength && !change.codes.contains(0)
        let page = change.page
        guard isWhole, page.count <= PageKey.longestField else {
            let call = noteOutcomes(change, outcome.page, order.activity)
            return redis.send(call.command) { result in
                if case .failure(let error) = call.result(result) { failure = error }
                complete()
            }
        }
        // The field counts wherever the page was. If it is new, the counters may be new too.
        let key = PageKey(.outcomes, order.activity.id, outcome.page)
        redis.send(RedisCommand("HSET", key.counters, key.field, page)) { [self] result in
            switch result {
            case .success(let view) where view.integer == 0: complete()
            case .success:
                let expiry = RedisCommand("PEXPIREAT", key.counters, order.activity.keptUntil.milliseconds)
                redis.send(expiry) { result in
                    if case .failure(let error) = result { failure = StoreError(error) }
                    complete()
                }
            case .failure(let error):
                failure = StoreError(error)
                complete()
            }
        }
    }
}

extension OutcomePage.Change {
    /// A page with this and nothing else.
    fileprivate var page: [UInt8] { [UInt8(counts.count)] + kinds + codes }
}
