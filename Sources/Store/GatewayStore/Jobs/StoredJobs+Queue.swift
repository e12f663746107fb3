public import Delivery
public import LiveActivity
import RedisClient
import RosterCore
public import TimeCore

/// The number of jobs that a gateway can take, by lane.
public struct JobCapacity: Equatable, Sendable {
    private var counts: [Int]

    /// By the lanes' names.
    public init(small: Int, first: Int, updates: Int) {
        counts = [small, first, updates]
    }

    /// The number of a lane.
    public subscript(lane: JobLane) -> Int {
        get { counts[lane.rawValue] }
        set { counts[lane.rawValue] = newValue }
    }
}

// The streams of jobs. On the reactor: these are what a gateway does all the time.
extension StoredJobs {
    /// The number of shards that activities are spread over.
    public static var jobShards: Int { Int(Keys.shards) }

    /// The shard with the jobs of an activity.
    public static func shard(of activity: UniqueID) -> Int { Keys.shard(activity) }

    /// One node that is away must not hold up the others for long.
    private static let jobDeadline = TimeInterval.seconds(1)

    /// Takes jobs of a shard, up to `capacity` of each lane. These are new ones, and those of gateways that have been
    /// silent for `silence` (nil for none). Also takes due items of the shard, if there is room. An item that was not
    /// carried out is given out again after `dueLease`.
    public func takeJobs(
        shard: Int, as gateway: UniqueID, _ capacity: JobCapacity, silence: TimeInterval?, due: DueRoom = .none,
        completion: @escaping (Result<TakenJobs, StoreError>) -> Void
    ) {
        let now = wallClock()
        let dueUntil = now + StoredDueItems.dueLease
        let call = Scripts.takeJobs(
            small: Keys.jobs(shard, .small), first: Keys.jobs(shard, .first), updates: Keys.jobs(shard, .updates),
            unfinished: Keys.unfinished(shard), due: Keys.due(shard), owners: Keys.unfinishedOwners(shard),
            counts: Keys.unfinishedCounts(shard), held: Keys.heldJobs(shard), consumer: gateway.description,
            silence: silence.map { String($0.millisecondsRoundedUp) } ?? "", smallWanted: max(0, capacity[.small]),
            firstWanted: max(0, capacity[.first]), updatesWanted: max(0, capacity[.updates]), itemsWanted: due.items,
            now: now.milliseconds, againAt: dueUntil.milliseconds, schedulesWanted: due.schedules,
            erasuresWanted: due.erasuresOfTenant, prefix: Keys.activityPrefix(shard), full: due.fullHolders)
        redis.send(call.command, deadline: StoredJobs.jobDeadline) { result in
            completion(call.result(result).map { TakenJobs(shard: shard, dueUntil: dueUntil, $0) })
        }
    }

    /// The number of unfinished broadcasts of all tenants.
    public func unfinished() async throws(StoreError) -> Int {
        let counts = try await values(
            (0..<StoredJobs.jobShards).flatMap {
                [RedisCommand("ZCARD", Keys.unfinished($0)), RedisCommand("HLEN", Keys.heldJobs($0))]
            })
        return counts.reduce(0) { $0 + Int($1.int ?? 0) }
    }

    /// True if a shard may have jobs or unfinished broadcasts. The command is much cheaper than taking them, and says
    /// nothing of due items.
    public func glance(at shard: Int, completion: @escaping (Result<Bool, StoreError>) -> Void) {
        let keys = JobLane.allCases.map { Keys.jobs(shard, $0) } + [Keys.unfinished(shard), Keys.heldJobs(shard)]
        redis.send(RedisCommand("EXISTS", arguments: keys), deadline: StoredJobs.jobDeadline) { result in
            completion(result.map { $0.integer != 0 }.mapError { StoreError($0) })
        }
    }

    /// Renews the gateway's hold on its jobs of a shard, or gives it up at once. Gives the jobs that are no longer its
    /// own.
    public func renewJobs(
        _ jobs: [JobTicket], shard: Int, as gateway: UniqueID, areHandedOver: Bool = false,
        completion: @escaping (Result<[JobTicket], StoreError>) -> Void
    ) {
        let call = Scripts.renewJobs(
            lanes: JobLane.allCases.map { Keys.jobs(shard, $0) }, consumer: gateway.description,
            idle: areHandedOver ? 86_400_000 : 0, jobs: jobs.flatMap { ["\($0.lane.rawValue)", $0.entry] })
        redis.send(call.command, deadline: StoredJobs.jobDeadline) { result in
            completion(
                call.result(result).map { entries in
                    let lost = Set(entries)
                    return jobs.filter { lost.contains($0.entry) }
                })
        }
    }

    /// True if a newer broadcast has taken over, and the reason of a stop.
    /// - Parameter kinds: the kinds of route whose stops count.
    public func readStop(
        of id: UniqueID, in activity: UniqueID, over kinds: [RouteKind],
        completion: @escaping (Result<BroadcastStop, StoreError>) -> Void
    ) {
        let fields = BroadcastStop.fields(of: kinds)
        redis.send(RedisCommand("HMGET", arguments: [Keys.broadcast(activity, id)] + fields)) { [self] result in
            completion(
                result.map { view in
                    BroadcastStop(view.elements.map { $0.isNull ? nil : $0.string }, of: kinds, isPast: isPast)
                }.mapError { StoreError($0) })
        }
    }

    /// True if the time has come from which a broadcast counts as superseded.
    func isPast(_ superseded: String?) -> Bool {
        superseded.flatMap { Int64($0) }.map { $0 <= wallClock().milliseconds } ?? false
    }

    /// The progress of a broadcast; nil if it is not known.
    public func readState(
        of id: UniqueID, in activity: UniqueID,
        completion: @escaping (Result<BroadcastState?, StoreError>) -> Void
    ) {
        redis.send(RedisCommand("HGET", Keys.broadcast(activity, id), "state")) { [self] result in
            guard case .success(let reply) = result, reply.isNull else {
                return completion(result.map { BroadcastState(rawValue: $0.string) }.mapError { StoreError($0) })
            }
            readEnded(EndedBroadcast.reads(id, in: activity)[...], completion: completion)
        }
    }

    /// The state of a broadcast that has ended, from the first of these replies that has it.
    private func readEnded(
        _ reads: ArraySlice<RedisCommand>, completion: @escaping (Result<BroadcastState?, StoreError>) -> Void
    ) {
        guard let read = reads.first else { return completion(.success(nil)) }
        redis.send(read) { [self] result in
            guard case .success(let reply) = result, reply.isNull else {
                return completion(result.map { EndedBroadcast.state(Array($0.bytes)) }.mapError { StoreError($0) })
            }
            readEnded(reads.dropFirst(), completion: completion)
        }
    }
}

// The beginning and the end of a job.
extension StoredJobs {
    /// The result of an attempt to begin a job.
    public enum JobStart: Sendable {
        case due(BroadcastOrder)
        /// An older broadcast is still under way to the same devices.
        case waits(BroadcastOrder)
        /// A push to one device, without page, turn or record.
        case single(BroadcastOrder)
        /// The broadcast does not exist or has ended.
        case pointless

        /// The broadcast that the job is a part of; nil when there is nothing to do.
        public var order: BroadcastOrder? {
            switch self {
            case .due(let order), .waits(let order), .single(let order): order
            case .pointless: nil
            }
        }
    }

    /// Reads the broadcast of a job, and checks that its turn has come.
    public func startJob(_ job: JobTicket) async throws(StoreError) -> JobStart {
        let id = job.activityID
        if case .slot(let slot) = job.part {
            guard let activity = try await activities.activity(id),
                let order = try await broadcasts.part(job.broadcastID, of: activity, slot: slot)
            else { return .pointless }
            guard order.kind == .update else {
                return try await isDue(job, order) == true ? .single(order) : .waits(order)
            }
            guard activity.activity.state == .started, try await isCurrent(order.id, in: activity) else {
                return .pointless
            }
            return .single(order)
        }
        let replies = try await values([
            RedisCommand("HGETALL", Keys.activity(id)), BroadcastOrder.read(job.broadcastID, id),
            RedisCommand("HGET", Keys.broadcast(id, job.broadcastID), "state"),
        ])
        guard let activity = ActivityRecord(id, replies[0].fields),
            let order = broadcasts.order(job.broadcastID, of: activity, replies[1]),
            replies[2].string.flatMap(BroadcastState.init)?.isFinal == false
        else { return .pointless }
        guard let isDue = try await isDue(job, order) else { return .pointless }
        return isDue ? .due(order) : .waits(order)
    }

    /// True if a device that is sent an update by itself may lack no newer one. Its content is kept, or it was under
    /// way when the device moved. A newer one has met the device's token.
    private func isCurrent(_ update: UniqueID, in activity: ActivityRecord) async throws(StoreError) -> Bool {
        if activity.newestUpdate == update { return true }
        let key = Keys.broadcast(activity.activity.id, update)
        let fields = try await value(RedisCommand("HMGET", key, "state", "superseded")).array ?? []
        guard fields.count == 2, let state = fields[0].string.flatMap(BroadcastState.init) else { return false }
        return state != .superseded && !isPast(fields[1].string)
    }

    /// True if the job's turn has come; nil if its broadcast has ended.
    public func isDue(_ job: JobTicket, _ order: BroadcastOrder) async throws(StoreError) -> Bool? {
        var (number, part, entry, place) = (order.order, job.part.description, "", "")
        // A late end follows the end itself. An update to one device never waits.
        if case .slot(let slot) = job.part {
            (number, part) = (number + 1, JobTicket.Part.list(job.part.routeKind).description)
            (entry, place) = (job.entry, "\(slot)")
        }
        let reply = try await run(
            Scripts.beginJob(
                openBroadcasts: Keys.openBroadcasts(job.activityID),
                broadcast: Keys.broadcast(job.activityID, job.broadcastID), activity: Keys.activity(job.activityID),
                prefix: Keys.broadcastPrefix(job.activityID), order: number, part: part,
                now: wallClock().milliseconds, late: entry, slot: place))
        switch reply {
        case .due: return true
        case .waits: return false
        case .ended: return nil
        }
    }

    /// Records that a job has no page left. For the last job of a broadcast it also writes the end. May be called again
    /// when it failed. The job of a broadcast that records events stays until these are published, so that a gateway
    /// that takes it over finds them.
    /// - Parameters:
    ///   - hasSent: true if a push was sent. The next update then begins behind the job's partition.
    ///   - pushes: the time of the job's pushes; nil for none.
    /// - Returns: the broadcast when it has ended; nil when other jobs are left or this one is no longer the gateway's.
    public func complete(
        _ job: JobTicket, _ order: BroadcastOrder, as gateway: UniqueID, hasSent: Bool = false,
        pushes: PushTimes? = nil
    ) async throws(StoreError) -> BroadcastRecord? {
        let activityID = job.activityID
        let isTurn = hasSent && order.takesTurns && job.partition != nil
        let reply = try await run(completion(of: job, order, gateway, isOver: true, isTurn: isTurn, pushes))
        guard case .wasLast = reply else { return nil }
        let partitions = order.partitions
        if try await !broadcasts.hasEnded(order.id, in: activityID) { try await finish(order, partitions) }
        // From here on the counts are in the record.
        try await unlink(partitions.map { Keys.progress(activityID, $0, order.id) })
        if order.kind == .start {
            let pages = try await pagesDone(by: order.id, in: activityID, order, order.slots)
            try await unlinkStartPages(of: order.id, pages, activityID)
            try await releaseStartLock(of: order.id, in: activityID)
        }
        if !order.recordsEvents { try await remove(job, as: gateway) }
        return try await broadcasts.broadcast(order.id, in: activityID)
    }

    /// Records the time of the pushes of a job that is given back.
    public func note(
        _ pushes: PushTimes, of job: JobTicket, _ order: BroadcastOrder, as gateway: UniqueID
    ) async throws(StoreError) {
        _ = try await run(completion(of: job, order, gateway, isOver: false, isTurn: false, pushes))
    }

    private func completion(
        of job: JobTicket, _ order: BroadcastOrder, _ gateway: UniqueID, isOver: Bool, isTurn: Bool,
        _ pushes: PushTimes?
    ) -> ScriptCall<Scripts.CompleteJobReply> {
        Scripts.completeJob(
            stream: job.stream, broadcast: Keys.broadcast(job.activityID, order.id),
            activity: Keys.activity(job.activityID), consumer: gateway.description, entry: job.entry,
            part: job.part.description, over: isOver ? "over" : "", keep: order.recordsEvents ? "keep" : "",
            sent: isTurn ? "sent" : "", firstPush: pushes.map { "\($0.first.milliseconds)" } ?? "",
            lastPush: pushes.map { "\($0.last.milliseconds)" } ?? "")
    }

    /// Unlinks 1,000 at a time, because a large segment has very many.
    func unlink(_ keys: [String]) async throws(StoreError) {
        for start in stride(from: 0, to: keys.count, by: 1000) {
            _ = try await values(keys[start..<min(keys.count, start + 1000)].map { RedisCommand("UNLINK", $0) })
        }
    }

    private func finish(_ order: BroadcastOrder, _ partitions: [Int]) async throws(StoreError) {
        let activityID = order.activity.id
        let key = Keys.broadcast(activityID, order.id)
        let channels = order.kind == .start ? order.follows : order.channels
        let progress = try await broadcasts.progress(of: order.id, activityID, partitions, channels)
        let stops = order.routeKinds.map(BroadcastStop.stopField) + [BroadcastStop.stopField]
        let read =
            try await value(RedisCommand("HMGET", arguments: [key, "skipped_before", "covered"] + stops)).array ?? []
        var counts = BroadcastCounts(accepted: nil, failed: nil, skipped: read.first?.string)
        counts.add(progress.counts)
        counts.cohorts.cover(Int(read.dropFirst().first?.int ?? 0))
        let hasFailed = progress.hasFailed || read.dropFirst(2).contains { !$0.isNull }
        let state: BroadcastState = hasFailed ? .failed : progress.isSuperseded ? .superseded : .done
        let told = counts.cohorts.text
        let cohorts: [any RedisArgumentConvertible] = told.isEmpty ? [] : ["cohorts", told]
        let fields: [any RedisArgumentConvertible] = [
            "state", state.rawValue, "finished_at", wallClock().milliseconds, "accepted", counts.accepted,
            "failed", counts.failedText, "skipped", counts.skippedText,
        ]
        let shard = Keys.shard(activityID)
        let call = Scripts.finishBroadcast(
            broadcast: key, openBroadcasts: Keys.openBroadcasts(activityID), unfinished: Keys.unfinished(shard),
            activity: Keys.activity(activityID), owners: Keys.unfinishedOwners(shard),
            counts: Keys.unfinishedCounts(shard), order: order.order,
            // An end's content is kept for devices that report late.
            keep: order.kind == .end ? "keep" : "", reached: order.hasReachedAll(counts) ? order.slots.bytes : [],
            id: order.id.description, member: UnfinishedBroadcast(activityID: activityID, id: order.id).member,
            hasFailed: hasFailed || counts.reachedNone ? "1" : "", fields: fields + cohorts)
        // The source of the counts is deleted next, perhaps on another master.
        _ = try await run(call.replicated(within: StoreContext.replication))
    }

    /// Removes a job whose broadcast has ended, with the remains of a gateway that was killed in that moment.
    /// - Returns: True if the broadcast has not ended but vanished, because its record or its activity is gone from
    ///   Redis. It then no longer counts as unfinished.
    @discardableResult
    public func discard(_ job: JobTicket, as gateway: UniqueID) async throws(StoreError) -> Bool {
        var hasVanished = false
        if !job.part.isSingle {
            let isKnown = try await broadcasts.broadcast(job.broadcastID, in: job.activityID) != nil
            if !isKnown {
                let lost = UnfinishedBroadcast(activityID: job.activityID, id: job.broadcastID)
                hasVanished = try await forgetVanished(shards: job.shard..<(job.shard + 1)).contains(lost)
            }
        }
        if !job.part.isSingle, let activity = try await activities.activity(job.activityID) {
            let id = job.activityID
            try await unlinkNotes(of: job.broadcastID, in: id, activity.partitions)
            try await unlink(activity.partitions.map { Keys.progress(id, $0, job.broadcastID) })
            let record = try await broadcasts.broadcast(job.broadcastID, in: id)
            if record?.kind == .start {
                let order = try await broadcasts.order(job.broadcastID, of: activity)
                let pages = try await pagesDone(by: job.broadcastID, in: id, order, activity.slots)
                try await unlinkStartPages(of: job.broadcastID, pages, id)
                if record?.state.isFinal == true { try await releaseStartLock(of: job.broadcastID, in: id) }
            }
            if let record, record.recordsEvents, record.state.isFinal {
                for partition in job.partition.map({ [$0] }) ?? activity.partitions {
                    let cohort =
                        record.kind == .start
                        ? activity.cohort(ofPartition: partition) : Cohort(RosterGeometry.kind(ofPartition: partition))
                    try await events.publishPages(
                        of: record.id, record.kind, record.endReason, activity.activity, partition, cohort,
                        from: record.source)
                }
                try await events.publishFinished(record, activity.activity)
            }
        }
        try await remove(job, as: gateway)
        return hasVanished
    }

    /// Adds the job that sends an end or update to a device which has missed it.
    public func add(slot: UInt32, of broadcast: UniqueID, in activity: UniqueID) async throws(StoreError) {
        _ = try await run(JobTicket.Part.slot(slot).addition(to: broadcast, activity))
    }

    /// Removes a job that has nothing left to do.
    public func remove(_ job: JobTicket, as gateway: UniqueID) async throws(StoreError) {
        if case .slot(let slot) = job.part {
            let key = Keys.broadcast(job.activityID, job.broadcastID)
            _ = try await value(RedisCommand("HDEL", key, "late:\(slot)"))
        }
        _ = try await run(Scripts.removeJob(stream: job.stream, consumer: gateway.description, entry: job.entry))
    }
}

extension BroadcastOrder {
    /// True if it has ended all Live Activities of an activity, each by a push of its own, and no other can be added. A
    /// device may join an activity that devices open, as long as it is known.
    fileprivate func hasReachedAll(_ counts: BroadcastCounts) -> Bool {
        kind == .end && scope == .wholeSegment && channels.isEmpty && activity.externalID == nil
            && counts.accepted == slots.count
    }
}

extension JobTicket.Part {
    /// Returns the call that adds the part to a broadcast as a job of its own.
    func addition(to broadcast: UniqueID, _ activity: UniqueID) -> ScriptCall<Bool> {
        Scripts.addSlotJob(
            stream: Keys.jobs(Keys.shard(activity), .small), broadcast: broadcast.description,
            activity: activity.description, part: description
        ).replicated(within: StoreContext.replication)
    }
}
