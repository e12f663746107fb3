import LiveActivity
import RedisClient
import RosterCore
public import TimeCore

/// The end of a broadcast whose only job its gateway has held from the beginning.
public struct HeldEnding: Sendable {
    let job: JobTicket
    let order: BroadcastOrder
    let startedAt: WallTime
    let outcome: PageOutcome?
    let pageLength: Int
    let hasWrongEnvironment: Bool
    /// The reason why the rest was not sent; nil if the broadcast was not stopped.
    let stop: String?
    /// True if a broadcast without a device to push to leaves no record.
    let mayBeWithdrawn: Bool

    /// - Parameters:
    ///   - startedAt: The time at which the broadcast was recorded.
    ///   - outcome: The outcome of its page; nil for none.
    ///   - pageLength: The number of slots of the page when it was read; 0 if it is not known.
    ///   - hasWrongEnvironment: True if many tokens were refused as those of another environment or app.
    public init(
        _ job: JobTicket, _ order: BroadcastOrder, startedAt: WallTime, outcome: PageOutcome?, pageLength: Int,
        hasWrongEnvironment: Bool, stop: String?, mayBeWithdrawn: Bool = false
    ) {
        self.job = job
        self.order = order
        self.startedAt = startedAt
        self.outcome = outcome
        self.pageLength = pageLength
        self.hasWrongEnvironment = hasWrongEnvironment
        self.stop = stop
        self.mayBeWithdrawn = mayBeWithdrawn
    }

    /// True if the broadcast had no device and leaves no record.
    public func isWithdrawn(_ record: BroadcastRecord) -> Bool {
        mayBeWithdrawn && record.state == .done && record.counts.accepted == 0 && record.counts.failed.isEmpty
    }

    /// The record as it has ended.
    fileprivate func record(at now: WallTime) -> BroadcastRecord {
        var counts = outcome?.counts ?? BroadcastCounts()
        counts.cohorts.add(counts, of: order.cohort(of: job.part))
        let hasFailed = outcome?.hasFailed == true || stop != nil
        let state: BroadcastState = hasFailed ? .failed : outcome?.isSuperseded == true ? .superseded : .done
        return BroadcastRecord(
            id: order.id, tenantID: order.activity.tenantID, activityID: order.activity.id, kind: order.kind,
            state: state, pause: nil, counts: counts, updatesThisHour: order.updatesThisHour, createdAt: startedAt,
            startedAt: startedAt, pushes: nil, finishedAt: now, addressed: order.slots.count, recordsEvents: false,
            endReason: order.endReason, hasWrongEnvironment: hasWrongEnvironment, source: order.origin.source)
    }
}

/// Jobs that a gateway holds from the beginning: see `held-jobs.lua`. On the reactor.
public final class StoredHeldJobs: StoreFeature {
    let context: StoreContext
    private let pages: StoredPages

    init(_ context: StoreContext, pages: StoredPages) {
        self.context = context
        self.pages = pages
    }

    /// The time after which a held job is free for other gateways, unless its gateway renews the hold.
    public static let holdLength = TimeInterval.seconds(6)

    /// Renews the gateway's holds of a shard, or gives the jobs back. Gives the jobs that are no longer its own.
    public func renew(
        _ jobs: [JobTicket], shard: Int, areHandedOver: Bool = false,
        completion: @escaping (Result<[JobTicket], StoreError>) -> Void
    ) {
        let until = areHandedOver ? "" : "\((wallClock() + StoredHeldJobs.holdLength).milliseconds)"
        let call = Scripts.renewHeld(
            held: Keys.heldJobs(shard), smallJobs: Keys.jobs(shard, .small), unfinished: Keys.unfinished(shard),
            owners: Keys.unfinishedOwners(shard), counts: Keys.unfinishedCounts(shard),
            prefix: Keys.activityPrefix(shard), heldUntil: until,
            holds: jobs.flatMap { [$0.member, $0.hold ?? ""] })
        redis.send(call.command) { result in
            completion(
                call.result(result).map { names in
                    let lost = Set(names)
                    return jobs.filter { lost.contains($0.hold ?? "") }
                })
        }
    }

    /// Writes the outcomes of the devices, and the end of the broadcast. May be repeated when it failed.
    /// - Parameter completion: Gets the record, or nil if the job is another gateway's by now.
    public func finish(
        _ ended: HeldEnding, completion: @escaping (Result<BroadcastRecord?, StoreError>) -> Void
    ) {
        guard let outcome = ended.outcome else { return writeEnd(ended, completion) }
        // The outcomes are written first. If the end is not written, the devices are sent the broadcast again.
        guard redis.keepsOrderAcrossKeys else {
            return settle(outcome, of: ended.order, pageLength: ended.pageLength) { [self] error in
                if let error { return completion(.failure(error)) }
                writeEnd(ended, completion)
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
        settle(outcome, of: ended.order, pageLength: ended.pageLength) {
            failure = $0
            complete()
        }
        writeEnd(ended) {
            written = $0
            complete()
        }
    }

    private func writeEnd(
        _ ended: HeldEnding, _ completion: @escaping (Result<BroadcastRecord?, StoreError>) -> Void
    ) {
        let (order, activityID) = (ended.order, ended.order.activity.id)
        let record = ended.record(at: wallClock())
        var fields: [any RedisArgumentConvertible] = [
            "state", record.state.rawValue, "finished_at", (record.finishedAt ?? ended.startedAt).milliseconds,
            "accepted", record.counts.accepted, "failed", record.counts.failedText,
            "skipped", record.counts.skippedText,
        ]
        let cohorts = record.counts.cohorts.text
        if !cohorts.isEmpty { fields += ["cohorts", cohorts] as [any RedisArgumentConvertible] }
        if record.hasWrongEnvironment { fields += ["wrong_environment", "1"] }
        let call = Scripts.finishHeld(
            held: Keys.heldJobs(ended.job.shard), broadcast: Keys.broadcast(activityID, order.id),
            openBroadcasts: Keys.openBroadcasts(activityID), activity: Keys.activity(activityID),
            member: ended.job.member, hold: ended.job.hold ?? "", order: order.order, id: order.id,
            packedID: PackedID(id: order.id),
            ending: ended.isWithdrawn(record)
                ? "none" : record.state == .failed || record.counts.reachedNone ? "failed" : "", fields: fields)
        redis.send(call.command.replicated(within: StoreContext.replication)) { result in
            completion(call.result(result).map { $0 ? record : nil })
        }
    }
}

extension StoredHeldJobs {
    /// Writes the outcomes of the only page of an update that has no progress of its own. May be repeated when it
    /// failed.
    /// - Parameter pageLength: The number of slots of the page when it was read; 0 if it is not known. If all of them
    ///   have an outcome, no former one is kept.
    private func settle(
        _ outcome: PageOutcome, of order: BroadcastOrder, pageLength: Int, completion: @escaping (StoreError?) -> Void
    ) {
        var failure: StoreError?
        var missing = 2
        func complete() {
            missing -= 1
            if missing == 0 { completion(failure) }
        }
        // The caller gets the end of the update only after the deletion of these tokens.
        pages.dropDeadTokens(outcome, of: order) { _ in complete() }
        guard let change = outcome.outcomes(at: wallClock()) else { return complete() }
        let isWhole =
            pageLength > 0 && change.first == 0 && change.codes.count >= pageLength && !change.codes.contains(0)
        let page = change.page
        guard isWhole, page.count <= PageKey.longestField else {
            let call = pages.noteOutcomes(change, outcome.page, order.activity)
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
