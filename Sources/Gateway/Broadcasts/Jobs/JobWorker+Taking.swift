import BroadcastCore
import Delivery
import GatewayStore
import LiveActivity
import Reactor
import TimeCore

/// Taking jobs and keeping them.
extension JobWorker {
    /// The number of shards that are polled in one turn. At most this many jobs of a large lane exceed its limit.
    private static let shardsAtOnce = 16
    /// Small jobs that are taken from one shard at once, when all are looked at and when one is.
    private static let smallInPoll = 4
    private static let smallAtOnce = 16

    /// The jobs that may be taken from a shard that is polled by itself. A large lane gives one job, because other
    /// gateways may be idle, and the next poll soon takes the second.
    /// - Parameter spare: The number of small jobs to leave room for.
    private func capacity(small: Int = JobWorker.smallAtOnce, spare: Int = 0) -> JobCapacity {
        guard store.maySend else { return JobCapacity(small: 0, first: 0, updates: 0) }
        func room(_ lane: JobLane, _ most: Int, spare: Int = 0) -> Int {
            hasLetGo ? 0 : max(0, min(leases.room(lane.rawValue) - asked[lane] - spare, most))
        }
        return JobCapacity(
            small: room(.small, small, spare: spare), first: room(.first, 1), updates: room(.updates, 1))
    }

    /// Polls one shard, because it has jobs or there is room again.
    /// - Parameter hasJobEnded: True if a job of the shard has made the room. Some of it is left for other shards, so
    ///   that many jobs of one activity do not hold up all small broadcasts.
    func look(_ shard: Int, hasJobEnded: Bool = false, then: @escaping () -> Void = {}) {
        let capacity = capacity(spare: hasJobEnded ? leases.limits.perLane[JobLane.small.rawValue] / 4 : 0)
        for lane in JobLane.allCases { asked[lane] += capacity[lane] }
        take(shard, capacity) { [self] in
            for lane in JobLane.allCases { asked[lane] -= capacity[lane] }
            then()
        }
    }

    /// Polls the shards that are due, several at once, and starts with a different one each time.
    /// - Parameter includesBusy: True to poll shards that are not quiet.
    func poll(includesBusy: Bool = true) {
        guard !isPolling, !isStopping else { return }
        let wanted = shards.wanted(reactor.now, wallClock: store.wallClock(), includesBusy: includesBusy)
        for shard in wanted.glances { glance(at: shard) }
        guard !wanted.looks.isEmpty else { return }
        isPolling = true
        cursor = (cursor + 1) % StoredJobs.jobShards
        let first = wanted.looks.firstIndex { $0 >= cursor } ?? 0
        poll(wanted.looks[first...] + wanted.looks[..<first])
    }

    private func poll(_ rest: ArraySlice<Int>) {
        guard !rest.isEmpty, !isStopping else {
            isPolling = false
            return
        }
        let next = rest.prefix(JobWorker.shardsAtOnce)
        var open = next.count
        for shard in next {
            take(shard, capacity(small: JobWorker.smallInPoll), isRegular: true) { [self] in
                open -= 1
                if open == 0 { poll(rest.dropFirst(next.count)) }
            }
        }
    }

    /// Sees at little cost whether a quiet shard is still quiet, should news of it have been lost.
    private func glance(at shard: Int) {
        let question = context.unfinished.shares.question
        store.jobs.glance(at: shard) { [weak self] result in
            guard let self, case .success(let isAnything) = result else { return }
            claims.answered(shard, now: reactor.now)
            if isAnything { look(shard) } else { context.unfinished.shares.heardOfNone(shard: shard, asked: question) }
        }
    }

    /// Reads in which shards other gateways have left jobs, and polls these at once.
    func hearNews() {
        guard !isHearing else { return }
        isHearing = true
        store.jobNews.read { [weak self] result in
            guard let self else { return }
            isHearing = false
            guard case .success(let page) = result else { return }
            let changes = page.changes(since: news, places: store.jobNews.places)
            news = page
            shards.heard(of: changes, reactor.now)
            if !changes.isEmpty { poll(includesBusy: false) }
        }
    }

    /// Takes jobs of a shard.
    private func take(
        _ shard: Int, _ capacity: JobCapacity, isRegular: Bool = false, then: @escaping () -> Void
    ) {
        guard !isStopping else { return then() }
        let sentAt = reactor.now
        shards.lookBegan(shard)
        let silence = claims.silence(shard, now: sentAt, usual: leases.limits.silence)
        let due = roomInLook(shard)
        let question = context.unfinished.shares.question
        store.jobs.takeJobs(shard: shard, as: gateway, capacity, silence: silence, due: due) { [weak self] result in
            guard let self else { return }
            if case .success(let taken) = result {
                claims.answered(shard, now: reactor.now)
                let finding = taken.isQuiet ? ShardWatch.Finding.quiet(nextDue: taken.nextDue) : .busy
                if shards.looked(shard, finding, isRegular: isRegular) { store.jobNews.announce(shard) }
                context.unfinished.shares.heard(taken, shard: shard, asked: question)
                carryOut(taken.due, takenUntil: taken.dueUntil)
                for job in taken.jobs {
                    let lane = job.lane.rawValue
                    guard leases.taken(job, lane: lane, group: job.leaseGroup, sentAt: sentAt) else { continue }
                    metrics.counts.taken[lane] += 1
                    if isStopping { giveBack(job) } else { check(job) }
                }
            } else {
                shards.lookFailed(shard)
            }
            then()
        }
    }

    /// Looks what a job is about and whether its turn has come.
    private func check(_ job: JobTicket) {
        guard beingChecked.insert(job).inserted else { return }
        ask { [store] () throws(StoreError) in
            try await store.jobs.startJob(job)
        } then: { [self] result in
            beingChecked.remove(job)
            guard leases.contains(job) else { return }
            switch result {
            case _ where isStopping: giveBack(job)
            case .success(let start) where start.order.map { isLetGo($0.activity.tenantID, job) } == true: giveBack(job)
            case .success(.due(let order)): open(job, order)
            case .success(.waits(let order)):
                guard leases.canWait else {
                    leases.ended(job)
                    return
                }
                leases.mustWait(job)
                waiting[job] = order
            case .success(.single(let order)): begin(job, order, nil)
            case .success(.pointless): discard(job)
            case .failure: reactor.schedule(after: settings.period) { self.checkAgain(job) }
            }
        }
    }

    private func checkAgain(_ job: JobTicket) {
        guard leases.contains(job), runs[job] == nil, waiting[job] == nil else { return }
        check(job)
    }

    /// Jobs whose turn may have come: the oldest of each activity first, for the newer ones wait for them.
    func checkWaiting(of activity: UniqueID?) {
        guard !waiting.isEmpty else { return }
        for (job, order) in candidates(of: activity)
        where leases.room(job.lane.rawValue) > 0 && beingChecked.insert(job).inserted {
            ask { [store] () throws(StoreError) in
                try await store.jobs.isDue(job, order)
            } then: { [self] result in
                beingChecked.remove(job)
                // Lost meanwhile, and perhaps taken again.
                guard waiting[job] != nil else { return checkAgain(job) }
                guard case .success(let isDue) = result, isDue != false, leases.room(job.lane.rawValue) > 0 else {
                    return
                }
                waiting[job] = nil
                leases.isDue(job)
                guard isDue != nil else { return discard(job) }
                if job.part.isSingle { begin(job, order, nil) } else { open(job, order) }
                // A job that has nothing to send does not keep those behind it.
                checkWaiting(of: order.activity.id)
            }
        }
    }

    /// The oldest job of each activity and part, for only that can be due; a different one first each time.
    private func candidates(of activity: UniqueID?) -> [(JobTicket, BroadcastOrder)] {
        var oldest: [WaitingPlace: (JobTicket, BroadcastOrder)] = [:]
        for (job, order) in waiting where activity == nil || order.activity.id == activity {
            let place = WaitingPlace(activity: order.activity.id, part: job.part)
            if let present = oldest[place], present.1.order <= order.order { continue }
            oldest[place] = (job, order)
        }
        let all = oldest.values.sorted { $0.0.precedes($1.0) }
        guard all.count > JobWorker.checkedAtOnce else { return all }
        checkedFrom = (checkedFrom + JobWorker.checkedAtOnce) % all.count
        return (0..<JobWorker.checkedAtOnce).map { all[(checkedFrom + $0) % all.count] }
    }

    private struct WaitingPlace: Hashable {
        let activity: UniqueID
        let part: JobTicket.Part
    }

    private static let checkedAtOnce = 64

    private func open(_ job: JobTicket, _ order: BroadcastOrder) {
        holds += 1
        let owner = "\(gateway).\(holds)"
        ask { [store, settings] () throws(StoreError) in
            try await store.jobs.open(job, order, owner: owner, resendsDoubtful: settings.onUnknown == .resend)
        } then: { [self] result in
            guard leases.contains(job) else { return }
            switch result {
            case _ where isStopping: giveBack(job)
            case .success(nil): discard(job)
            case .success(let progress?):
                begin(job, order, JobAssignment(owner: owner, progress: progress))
            case .failure:
                reactor.schedule(after: settings.period) { [weak self] in
                    guard let self, leases.contains(job) else { return }
                    open(job, order)
                }
            }
        }
    }

    private func begin(_ job: JobTicket, _ order: BroadcastOrder, _ assignment: JobAssignment?) {
        guard runs[job] == nil else { return }
        if order.isUnreadable, !(assignment?.progress.isStopped ?? false), waitsForReader(job, order) {
            return leaveUnread(job)
        }
        guard let run = run(order, job, assignment) else { return discard(job) }
        runs[job] = run
        // The gateway that worked on the job before may have been paused.
        let health = provider(of: order.activity.tenantID, job)?.health ?? .healthy
        if assignment?.progress.isPaused ?? false || health.isPaused {
            noteHealth(of: order)
        }
        let isResumed = assignment?.progress.isTouched ?? false
        if isResumed { metrics.counts.resumed += 1 }
        metrics.begun(job)
        tell(.begun(job, order, isResumed: isResumed))
        run.begin()
        guard health.isPaused else { return }
        if refuse(run) { return }
        makeWay(job)
    }

    // MARK: Keeping

    /// Holds back uncertain runs, and renews the jobs if that is due. Called in each tick.
    func renewIfDue() {
        holdUncertainRuns()
        guard !isRenewing, leases.needsRenewal(reactor.now) else { return }
        let sentAt = reactor.now
        let held = Dictionary(grouping: leases.all.filter { !beingGivenBack.contains($0) }, by: \.leaseGroup)
        guard !held.isEmpty else { return }
        isRenewing = true
        var open = held.count
        for (group, jobs) in held {
            renew(jobs) { [weak self] result in
                guard let self else { return }
                if case .success(let lost) = result {
                    leases.renewed(group, sentAt: sentAt)
                    for job in lost { self.lost(job) }
                }
                open -= 1
                guard open == 0 else { return }
                isRenewing = false
                holdUncertainRuns()
            }
        }
    }

    /// Holds back the runs whose jobs may be another gateway's by now, because a part of the store does not answer.
    /// Releases the others.
    private func holdUncertainRuns() {
        let now = reactor.now
        var hasReleased = false
        for (job, run) in runs where run.isHeld == leases.mayWork(on: job, now) {
            hasReleased = hasReleased || run.isHeld
            run.hold(!run.isHeld)
        }
        // The providers' `maySend` may have changed too, because it is false while no part of the store answers.
        if hasReleased { for provider in apps.providers { provider.turnWanted() } }
    }

    /// - Parameter jobs: All jobs of a group.
    private func renew(_ jobs: [JobTicket], _ completion: @escaping (Result<[JobTicket], StoreError>) -> Void) {
        let shard = jobs[0].shard
        guard !jobs[0].isDirect else { return renewDirect(jobs, shard: shard, completion: completion) }
        store.jobs.renewJobs(jobs, shard: shard, as: gateway, completion: completion)
    }

    /// A write of a run was refused, because another gateway works on its job.
    func lost(_ run: BroadcastRun) {
        if runs[run.ticket] === run { lost(run.ticket) } else { run.lose() }
    }

    /// Another gateway has taken the job.
    func lost(_ job: JobTicket) {
        guard leases.contains(job) else { return }
        leases.ended(job)
        leftDirect(job)
        waiting[job] = nil
        context.unfinished.resumed(job)
        metrics.counts.lost += 1
        guard let run = runs.removeValue(forKey: job) else { return }
        tell(.ended(job, run.order, .lost))
        lostRuns.append(run)
        run.lose()
    }
}

extension JobTicket {
    /// The number of the job's group. One call renews all jobs of a group.
    var leaseGroup: Int { 2 * shard + (isDirect ? 1 : 0) }
}
