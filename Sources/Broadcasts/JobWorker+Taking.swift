import BroadcastCore
import GatewayStore
import LiveActivity
import PushClient
import Reactor
import TimeCore

/// Taking jobs and keeping them.
extension JobWorker {
    /// How many shards are asked in one turn. So many jobs of a large lane may be taken beyond capacity at most.
    private static let shardsAtOnce = 16
    /// Small jobs that are taken from one shard at once.
    private static let smallAtOnce = 16

    func capacity(atMost large: Int) -> JobCapacity {
        func room(_ lane: JobLane) -> Int { min(book.capacity(lane.rawValue), large) }
        return JobCapacity(
            small: min(book.capacity(JobLane.small.rawValue), JobWorker.smallAtOnce), first: room(.first),
            updates: room(.updates))
    }

    /// Asks all shards, some in a turn, beginning with another one each time.
    func poll() {
        guard !isPolling else { return }
        isPolling = true
        cursor = (cursor + 1) % GatewayStore.jobShards
        poll(from: cursor, left: GatewayStore.jobShards)
    }

    private func poll(from shard: Int, left: Int) {
        guard left > 0, !isStopping else {
            isPolling = false
            return
        }
        let count = min(left, JobWorker.shardsAtOnce)
        var open = count
        let capacity = capacity(atMost: 1)
        for offset in 0..<count {
            take((shard + offset) % GatewayStore.jobShards, capacity) { [self] in
                open -= 1
                if open == 0 { poll(from: shard + count, left: left - count) }
            }
        }
    }

    /// Takes jobs of a shard.
    func take(_ shard: Int, _ capacity: JobCapacity, then: @escaping () -> Void = {}) {
        guard !isStopping else { return then() }
        let sentAt = reactor.now
        store.takeJobs(shard: shard, as: gateway, capacity, silence: book.limits.silence) { [weak self] result in
            guard let self else { return }
            if case .success((let jobs, let count)) = result {
                unfinished[shard] = count
                for job in jobs where book.taken(job, lane: job.lane.rawValue, sentAt: sentAt) {
                    if isStopping { giveBack(job) } else { check(job) }
                }
                publish()
            }
            then()
        }
    }

    /// Looks what a job is about and whether its turn has come.
    private func check(_ job: JobTicket) {
        guard beingChecked.insert(job).inserted else { return }
        ask { [store] () throws(StoreError) in
            try await store.startJob(job)
        } then: { [self] result in
            beingChecked.remove(job)
            guard book.contains(job) else { return }
            switch result {
            case _ where isStopping: giveBack(job)
            case .success(.due(let order)): open(job, order)
            case .success(.waits(let order)):
                book.mustWait(job)
                waiting[job] = order
            case .success(.lateEnd(let order)): begin(job, order, nil)
            case .success(.pointless): discard(job)
            case .failure: reactor.schedule(after: settings.period) { self.checkAgain(job) }
            }
        }
    }

    private func checkAgain(_ job: JobTicket) {
        guard book.contains(job), runs[job] == nil, waiting[job] == nil else { return }
        check(job)
    }

    /// Jobs whose turn may have come: the oldest of each activity first, for the newer ones wait for them.
    func checkWaiting(of activity: UniqueID?) {
        guard !waiting.isEmpty else { return }
        let candidates = waiting.filter { activity == nil || $0.value.activity.id == activity }
            .sorted { $0.value.order < $1.value.order }.prefix(JobWorker.checkedAtOnce)
        for (job, order) in candidates
        where book.room(job.lane.rawValue) > 0 && beingChecked.insert(job).inserted {
            ask { [store] () throws(StoreError) in
                try await store.isDue(job, order)
            } then: { [self] result in
                beingChecked.remove(job)
                guard case .success(let isDue) = result, isDue != false, waiting.removeValue(forKey: job) != nil else {
                    return
                }
                book.isDue(job)
                guard isDue != nil else { return discard(job) }
                if case .lateEnd = job.part { begin(job, order, nil) } else { open(job, order) }
            }
        }
    }

    private static let checkedAtOnce = 64

    private func open(_ job: JobTicket, _ order: BroadcastOrder) {
        holds += 1
        let owner = "\(gateway).\(holds)"
        ask { [store] () throws(StoreError) in
            try await store.open(job, order, owner: owner)
        } then: { [self] result in
            guard book.contains(job) else { return }
            switch result {
            case _ where isStopping: giveBack(job)
            case .success(nil): discard(job)
            case .success(let progress?):
                begin(
                    job, order, JobAssignment(owner: owner, progress: progress, onUnknown: settings.onUnknown))
            case .failure:
                reactor.schedule(after: settings.period) { [weak self] in
                    guard let self, book.contains(job) else { return }
                    open(job, order)
                }
            }
        }
    }

    private func begin(_ job: JobTicket, _ order: BroadcastOrder, _ assignment: JobAssignment?) {
        guard let run = run(order, job, assignment) else { return refuse(job, order) }
        runs[job] = run
        run.begin()
    }

    /// No push can carry the order: all its devices fail.
    private func refuse(_ job: JobTicket, _ order: BroadcastOrder) {
        if case .lateEnd = job.part { return discard(job) }
        store.noteStop(BroadcastTally.OwnReason.unsendable.rawValue, of: order)
        complete(job, order)
    }

    // MARK: Keeping

    func renewIfDue() {
        guard !isRenewing, book.needsRenewal(reactor.now) else { return }
        isRenewing = true
        let sentAt = reactor.now
        let shards = Dictionary(grouping: book.all, by: \.shard)
        var open = shards.count
        var hasFailed = false
        for (shard, jobs) in shards {
            store.renewJobs(jobs, shard: shard, as: gateway) { [weak self] result in
                guard let self else { return }
                switch result {
                case .success(let lost): for job in lost { self.lost(job) }
                case .failure: hasFailed = true
                }
                open -= 1
                guard open == 0 else { return }
                isRenewing = false
                if !hasFailed {
                    let couldWork = book.mayWork(reactor.now)
                    book.renewed(sentAt: sentAt)
                    if !couldWork { for client in apps.clients { client.turnWanted() } }
                }
            }
        }
    }

    /// Another gateway has taken the job.
    func lost(_ job: JobTicket) {
        guard book.contains(job) else { return }
        book.ended(job)
        waiting[job] = nil
        publish()
        guard let run = runs.removeValue(forKey: job) else { return }
        lostRuns.append(run)
        run.lose()
    }
}
