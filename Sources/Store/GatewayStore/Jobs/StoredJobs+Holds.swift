import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TimeCore

// A gateway's hold of a job: opens it, and records devices before they are sent a start.
extension StoredJobs {
    /// Makes `owner` the owner of the job's partitions, and returns their progress. Returns nil if the broadcast has
    /// ended. The job is then discarded with its progress.
    /// - Parameter resendsDoubtful: True if devices that may have got the start from the former hold are sent it again.
    ///   Otherwise, they count as `unknown`.
    public func open(
        _ job: JobTicket, _ order: BroadcastOrder, owner: String, resendsDoubtful: Bool = false
    ) async throws(StoreError) -> JobProgress? {
        let partitions = order.partitions(of: job.part)
        let kind = job.part.routeKind
        let fields = ["state", "paused", "held"] + BroadcastStop.fields(of: [kind])
        let stop = RedisCommand("HMGET", arguments: [Keys.broadcast(job.activityID, order.id)] + fields)
        let isStart = order.kind == .start
        let starts = isStart ? partitions.map { openStart($0, order, owner, resendsDoubtful) } : []
        let others = isStart ? [] : partitions.map { openPartition($0, order, owner) }
        let replies = try await values(starts.map(\.command) + others.map(\.command) + [stop])
        var progress = JobProgress()
        for (place, call) in starts.enumerated() {
            let opened = try call.reply(replies[place])
            progress.set(partitions[place], opened.pages)
            progress.isTouched = progress.isTouched || opened.wasOpen
        }
        for (place, call) in others.enumerated() {
            progress.add(partitions[place], try call.reply(replies[place]), takesTurns: order.takesTurns)
        }
        let read = replies[partitions.count].array ?? []
        guard read.count == fields.count, read[0].string.flatMap(BroadcastState.init)?.isFinal == false else {
            // The gateway that ended the broadcast has deleted the progress. The call above has made it again.
            try await unlink(partitions.map { Keys.progress(job.activityID, $0, order.id) })
            if order.kind == .start { try await unlinkNotes(of: job, order, owner: owner) }
            return nil
        }
        // The gateway that recorded it has sent it without a job.
        if !read[2].isNull { progress.doubt = max(progress.doubt, .usual) }
        let said = BroadcastStop(read[3...].map(\.string), of: [kind], isPast: isPast)
        progress.isSuperseded = said.isSuperseded
        progress.stopReason = said.stopReason(kind)
        progress.isPaused = !read[1].isNull
        return progress
    }

    private func openPartition(
        _ partition: Int, _ order: BroadcastOrder, _ owner: String
    ) -> ScriptCall<Scripts.OpenPartitionReply> {
        let id = order.activity.id
        return Scripts.openPartition(
            progress: Keys.progress(id, partition, order.id), counters: Keys.counters(id, partition), owner: owner,
            expiresAt: order.activity.keptUntil.milliseconds)
    }

    private func openStart(
        _ partition: Int, _ order: BroadcastOrder, _ owner: String, _ resendsDoubtful: Bool
    ) -> ScriptCall<Scripts.OpenStartReply> {
        let id = order.activity.id
        var kind: [UInt8] = []
        if !resendsDoubtful {
            var change = OutcomePage.Change(first: 0, count: 1)
            change.add([0], failure: PageOutcome.unknownReason, at: wallClock())
            kind = change.kinds
        }
        return Scripts.openStart(
            progress: Keys.progress(id, partition, order.id),
            noted: Keys.notedRuns(id, partition, order.id, owner: owner), doubts: Keys.doubts(id, partition),
            owner: owner, expiresAt: order.activity.keptUntil.milliseconds,
            listPrefix: Keys.notedRunsPrefix(id, partition, order.id), statusPrefix: Keys.statusPrefix(id, partition),
            outcomePrefix: Keys.outcomePrefix(id, partition), updatePrefix: Keys.updatePrefix(id, partition),
            kind: kind, broadcast: order.id.description)
    }

    /// The pages of the job that have devices without an outcome, by the outcomes of all holds. If there is none,
    /// deletes the hold's list. Later outcomes of former holds then amend the record.
    public func openPages(
        of job: JobTicket, _ order: BroadcastOrder, owner: String
    ) async throws(StoreError) -> [Int] {
        let pages = order.pages(of: job.part)
        let byPartition = Dictionary(grouping: pages) { RosterGeometry.partition(ofPage: $0) }
        let calls = byPartition.map { partition, pages in
            Scripts.closeStart(
                progress: Keys.progress(job.activityID, partition, order.id), owner: owner,
                places: pages.map { UInt8($0 % RosterGeometry.pagesPerPartition) },
                statusPrefix: Keys.statusPrefix(job.activityID, partition),
                firstPage: partition * RosterGeometry.pagesPerPartition)
        }
        let replies = try await values(calls.map(\.command))
        var progress = JobProgress()
        for (partition, (call, reply)) in zip(byPartition.keys, zip(calls, replies)) {
            let states = try call.reply(reply)
            progress.set(partition, states.isEmpty ? JobProgress.allDone : states)
        }
        let open = pages.filter { progress.state(ofPage: $0) != .done }
        if open.isEmpty { try await unlinkNotes(of: job, order, owner: owner) }
        return open
    }

    private func unlinkNotes(of job: JobTicket, _ order: BroadcastOrder, owner: String) async throws(StoreError) {
        let partitions = order.partitions(of: job.part)
        try await unlink(partitions.map { Keys.notedRuns(job.activityID, $0, order.id, owner: owner) })
    }

    /// Deletes the list of each partition's last hold.
    func unlinkNotes(of broadcast: UniqueID, in activity: UniqueID, _ partitions: [Int]) async throws(StoreError) {
        let owners = try await values(
            partitions.map { RedisCommand("HGET", Keys.progress(activity, $0, broadcast), "owner") })
        try await unlink(
            zip(partitions, owners).compactMap { partition, owner in
                owner.string.map { Keys.notedRuns(activity, partition, broadcast, owner: $0) }
            })
    }

    /// Records the devices that are about to be sent a start, and releases others. Send nothing to a device before the
    /// reply, or while a release of the device is under way. May be repeated after a failure.
    public func note(
        _ runs: [NotedRun], of order: BroadcastOrder, owner: String,
        completion: @escaping (Result<JobWrite, StoreError>) -> Void
    ) {
        let byPartition = Dictionary(grouping: runs) { RosterGeometry.partition(ofPage: $0.page) }
        var open = byPartition.count
        var outcome = Result<JobWrite, StoreError>.success(.written)
        for (partition, runs) in byPartition {
            let key = Keys.notedRuns(order.activity.id, partition, order.id, owner: owner)
            let command = RedisCommand("RPUSHX", arguments: [Array(key.utf8)] + runs.map(\.element))
            redis.send(command.replicated(within: StoreContext.replication)) { result in
                switch result {
                case .success(let view): if view.integer == 0, case .success = outcome { outcome = .success(.lost) }
                case .failure(let error): outcome = .failure(StoreError(error))
                }
                open -= 1
                if open == 0 { completion(outcome) }
            }
        }
    }

    /// Releases recorded devices of a partition after the hold is lost, because they were not sent anything. The
    /// partition's present owner sends them the start. May be repeated after a failure.
    /// - Parameter completion: Gets the devices that no hold sends the start to, because it has ended. Its record
    ///   counts them as not reached.
    public func release(
        _ run: NotedRun, of order: BroadcastOrder, owner: String,
        completion: @escaping (Result<LeftOut?, StoreError>) -> Void
    ) {
        note([run], of: order, owner: owner) { [self] result in
            switch result {
            case .success(.written): completion(.success(nil))
            case .success(.lost): releaseDoubted(run, of: order, owner: owner, completion: completion)
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    private func releaseDoubted(
        _ run: NotedRun, of order: BroadcastOrder, owner: String,
        completion: @escaping (Result<LeftOut?, StoreError>) -> Void
    ) {
        let id = order.activity.id
        let partition = RosterGeometry.partition(ofPage: run.page)
        let call = Scripts.releaseDoubted(
            progress: Keys.progress(id, partition, order.id), statusPage: Keys.statusPage(id, run.page),
            doubts: Keys.doubts(id, partition), owner: owner, page: run.page, slots: NotedRun.ranges(run.indexes),
            broadcast: order.id.description)
        redis.send(call.command) { [self] result in
            switch call.result(result) {
            case .success(.released): completion(.success(nil))
            case .success(.closed(let growth)):
                let leftOut = growth.isEmpty ? nil : LeftOut(run, of: order)
                pages.amend(order, inPage: run.page, growth) { error in
                    completion(error.map { .failure($0) } ?? .success(leftOut))
                }
            case .failure(let error): completion(.failure(error))
            }
        }
    }
}

extension JobProgress {
    /// Adds what a partition of an update or end has.
    fileprivate mutating func add(_ partition: Int, _ opened: Scripts.OpenPartitionReply, takesTurns: Bool) {
        set(partition, opened.pages)
        if takesTurns { setTurns(partition, opened.turns) }
        guard opened.wasOpen else { return }
        isTouched = true
        doubt = max(doubt, Int(opened.doubt).flatMap { PageDoubt(rawValue: $0) } ?? .usual)
    }
}
