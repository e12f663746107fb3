public import LiveActivity
import RedisClient
import TimeCore

// A gateway's hold of a job: what it opens, and what it notes before it sends.
extension GatewayStore {
    /// Makes `owner` the one who works on the job's partitions, and tells how far they are. Nil when the broadcast has
    /// ended: the job is to be discarded, and what was opened with it.
    /// - Parameter resendsDoubtful: whether those whom the hold before may have sent the start are sent it again; else they
    ///   count as `unknown`.
    public func open(
        _ job: JobTicket, _ order: BroadcastOrder, owner: String, resendsDoubtful: Bool = false
    ) async throws(StoreError) -> JobProgress? {
        let partitions = job.partition.map { [$0] } ?? order.partitions
        let halt = RedisCommand(
            "HMGET", Keys.broadcast(job.activityID, order.id), "superseded", "stop", "state", "paused")
        let replies = try await values(
            partitions.map { opening($0, order, owner: owner, resendsDoubtful: resendsDoubtful) } + [halt])
        var progress = JobProgress()
        for (partition, reply) in zip(partitions, replies) {
            let parts = reply.array ?? []
            progress.set(partition, parts.first?.bytes ?? [])
            if parts.count > 1, parts[1].int == 1 { progress.isTouched = true }
            if order.takesTurns, parts.count > 2 { progress.setTurns(partition, parts[2].bytes ?? []) }
        }
        let fields = replies[partitions.count].array ?? []
        guard fields.count == 4, fields[2].string.flatMap(BroadcastState.init)?.isFinal == false else {
            if order.kind == .start { try await unlinkNotes(of: job, order, owner: owner) }
            return nil
        }
        progress.isSuperseded = isPast(fields[0].string)
        progress.stopReason = fields[1].string
        progress.isPaused = !fields[3].isNull
        return progress
    }

    private func opening(
        _ partition: Int, _ order: BroadcastOrder, owner: String, resendsDoubtful: Bool
    ) -> RedisCommand {
        let id = order.activity.id
        let key = Keys.progress(id, partition, order.id)
        let expiry = order.activity.keptUntil.milliseconds
        guard order.kind == .start else {
            return RedisCommand(
                script: Scripts.openPartition, keys: [key, Keys.counters(id, partition)], arguments: [owner, expiry])
        }
        var kind: [UInt8] = []
        if !resendsDoubtful {
            var change = OutcomePage.Change(first: 0, count: 1)
            change.add([0], failure: PageOutcome.unknownReason, at: wallClock())
            kind = change.kinds
        }
        return RedisCommand(
            script: Scripts.openStart, keys: [key, Keys.notedRuns(id, partition, order.id, owner: owner)],
            arguments: [
                owner, expiry, Keys.notedRunsPrefix(id, partition, order.id), Keys.fatePrefix(id, partition),
                Keys.outcomePrefix(id, partition), kind, Keys.doubtedPrefix(id, partition, order.id),
            ])
    }

    /// Which pages of the job have devices without an outcome, by what all who worked on it have written. Takes the hold's
    /// notes away when there is none.
    public func openPages(
        of job: JobTicket, _ order: BroadcastOrder, owner: String
    ) async throws(StoreError) -> [Int] {
        let partitions = job.partition.map { [$0] } ?? order.partitions
        let replies = try await values(
            partitions.map { RedisCommand("HGET", Keys.progress(job.activityID, $0, order.id), "pages") })
        var progress = JobProgress()
        for (partition, reply) in zip(partitions, replies) { progress.set(partition, reply.bytes ?? []) }
        let open = order.pages(in: job.partition).filter { progress.state(ofPage: $0) != .done }
        if open.isEmpty { try await unlinkNotes(of: job, order, owner: owner) }
        return open
    }

    private func unlinkNotes(of job: JobTicket, _ order: BroadcastOrder, owner: String) async throws(StoreError) {
        let partitions = job.partition.map { [$0] } ?? order.partitions
        try await unlink(partitions.map { Keys.notedRuns(job.activityID, $0, order.id, owner: owner) })
    }

    /// The same, whoever worked on the partitions last.
    func unlinkNotes(of broadcast: UniqueID, in activity: UniqueID, _ partitions: [Int]) async throws(StoreError) {
        let owners = try await values(
            partitions.map { RedisCommand("HGET", Keys.progress(activity, $0, broadcast), "owner") })
        try await unlink(
            zip(partitions, owners).compactMap { partition, owner in
                owner.string.map { Keys.notedRuns(activity, partition, broadcast, owner: $0) }
            })
    }

    /// Notes who of a start is about to be sent it. Not to be sent anything before this has been answered. In the order in
    /// which this and `release` are called.
    public func note(
        _ pages: [(page: Int, indexes: [UInt16])], of order: BroadcastOrder, owner: String,
        completion: @escaping (Result<JobWrite, StoreError>) -> Void
    ) {
        let byPartition = Dictionary(grouping: pages) { RosterGeometry.partition(ofPage: $0.page) }
        var open = byPartition.count
        var outcome = Result<JobWrite, StoreError>.success(.written)
        for (partition, pages) in byPartition {
            let elements = pages.map { NotedRun.element(.noted, page: $0.page, $0.indexes) }
            append(elements, partition, order, owner) { result in
                if case .success(.written) = outcome { outcome = result }
                open -= 1
                if open == 0 { completion(outcome) }
            }
        }
    }

    /// Takes notes back: nothing was sent to these devices. Whoever works on the job by now sends it to them, or the record
    /// of a broadcast that has ended counts them as not reached. May be repeated when it failed.
    public func release(
        _ indexes: [UInt16], ofPage page: Int, of order: BroadcastOrder, owner: String,
        completion: @escaping (Result<JobWrite, StoreError>) -> Void
    ) {
        let partition = RosterGeometry.partition(ofPage: page)
        append([NotedRun.element(.released, page: page, indexes)], partition, order, owner) { [self] result in
            guard case .success(.lost) = result else { return completion(result) }
            releaseDoubted(indexes, ofPage: page, of: order, owner: owner, completion: completion)
        }
    }

    private func append(
        _ elements: [[UInt8]], _ partition: Int, _ order: BroadcastOrder, _ owner: String,
        completion: @escaping (Result<JobWrite, StoreError>) -> Void
    ) {
        let key = Keys.notedRuns(order.activity.id, partition, order.id, owner: owner)
        let command = RedisCommand("RPUSHX", arguments: [Array(key.utf8)] + elements)
        redis.send(command.replicated(within: GatewayStore.replication)) { result in
            completion(result.map { $0.integer == 0 ? .lost : .written }.mapError { StoreError($0) })
        }
    }

    private func releaseDoubted(
        _ indexes: [UInt16], ofPage page: Int, of order: BroadcastOrder, owner: String,
        completion: @escaping (Result<JobWrite, StoreError>) -> Void
    ) {
        let id = order.activity.id
        let command = RedisCommand(
            script: Scripts.releaseDoubted,
            keys: [
                Keys.progress(id, RosterGeometry.partition(ofPage: page), order.id), Keys.fatePage(id, page),
                Keys.doubted(id, page, order.id, owner: owner),
            ],
            arguments: [page % RosterGeometry.pagesPerPartition, NotedRun.ranges(indexes)])
        redis.send(command) { [self] result in
            switch result {
            case .success(let view):
                amend(order, byReply: view) { completion($0.map { .failure($0) } ?? .success(.lost)) }
            case .failure(let error): completion(.failure(StoreError(error)))
            }
        }
    }
}
