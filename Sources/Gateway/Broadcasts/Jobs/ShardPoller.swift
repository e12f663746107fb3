import BroadcastCore
import Delivery
import GatewayStore
import LiveActivity
import Reactor
import TimeCore

/// Polls the shards for jobs and due items as this gateway's capacity allows. On the reactor.
final class ShardPoller {
    private let context: JobContext
    private let table: JobTable
    private let health: PeerHealth
    private let starter: JobStarter
    private let due: DueRunner
    private var shards: ShardWatch
    private var claims = ClaimTimes()
    /// The number of jobs of each lane that the looks under way may bring.
    private var asked = JobCapacity(small: 0, first: 0, updates: 0)
    /// The last page of shards with new jobs.
    private var news: (page: NewsPage?, isBeingRead: Bool) = (nil, false)
    private var isPolling = false
    private var cursor = 0
    /// Looks since this gateway had its last job.
    private var idleTicks = 0

    /// The number of shards that are polled in one turn. At most this many jobs of a large lane exceed its limit.
    private static let shardsAtOnce = 16
    /// Small jobs that are taken from one shard at once, when all are looked at and when one is.
    private static let smallInPoll = 4
    private static let smallAtOnce = 16
    /// The number of looks without a job after which a gateway looks less often at the shards that others work on.
    private static let idleAfter = 20
    private static let idleFactor = 3

    init(
        _ context: JobContext, _ table: JobTable, _ health: PeerHealth, _ starter: JobStarter,
        _ due: DueRunner
    ) {
        self.context = context
        self.table = table
        self.health = health
        self.starter = starter
        self.due = due
        shards = ShardWatch(shards: StoredJobs.jobShards, context.settings.watch)
    }

    /// Reads news and polls what is due.
    func tick() {
        if table.leases.isEmpty, due.isIdle { idleTicks += 1 } else { idleTicks = 0 }
        for (shard, time) in context.store.due.takeNoted() { shards.isDue(shard, at: time) }
        hearNews()
        poll(includesBusy: idleTicks < ShardPoller.idleAfter || idleTicks % ShardPoller.idleFactor == 0)
    }

    /// Polls a shard in which a broadcast was recorded.
    func lookForNew(_ order: BroadcastOrder, _ shard: Int, then: @escaping () -> Void) {
        // Others are to have their part of what is large.
        if order.isLarge { context.store.jobNews.announce(shard) }
        shards.stirred(shard)
        look(shard, then: then)
    }

    /// Polls a shard of which a job has ended. Some of the room is left for other shards, so that many jobs of one
    /// activity do not hold up all small broadcasts.
    func lookAfterEnd(_ shard: Int) {
        look(shard, spare: table.leases.limits.perLane[JobLane.small.rawValue] / 4)
    }

    /// Polls one shard, because it has jobs or there is room again.
    /// - Parameter spare: The number of small jobs to leave room for.
    func look(_ shard: Int, spare: Int = 0, then: @escaping () -> Void = {}) {
        let capacity = capacity(spare: spare)
        for lane in JobLane.allCases { asked[lane] += capacity[lane] }
        take(shard, capacity) { [self] in
            for lane in JobLane.allCases { asked[lane] -= capacity[lane] }
            then()
        }
    }

    /// Polls the shards that are due, several at once, and starts with a different one each time.
    /// - Parameter includesBusy: True to poll shards that are not quiet.
    func poll(includesBusy: Bool = true) {
        guard !isPolling, !context.isStopping else { return }
        let wanted = shards.wanted(
            context.reactor.now, wallClock: context.store.wallClock(), includesBusy: includesBusy)
        for shard in wanted.glances { glance(at: shard) }
        guard !wanted.looks.isEmpty else { return }
        isPolling = true
        cursor = (cursor + 1) % StoredJobs.jobShards
        let first = wanted.looks.firstIndex { $0 >= cursor } ?? 0
        poll(wanted.looks[first...] + wanted.looks[..<first])
    }

    private func poll(_ rest: ArraySlice<Int>) {
        guard !rest.isEmpty, !context.isStopping else {
            isPolling = false
            return
        }
        let next = rest.prefix(ShardPoller.shardsAtOnce)
        var open = next.count
        for shard in next {
            take(shard, capacity(small: ShardPoller.smallInPoll), isRegular: true) { [self] in
                open -= 1
                if open == 0 { poll(rest.dropFirst(next.count)) }
            }
        }
    }

    /// Sees at little cost whether a quiet shard is still quiet, should news of it have been lost.
    private func glance(at shard: Int) {
        let unfinished = context.unfinished.shares
        let question = unfinished.question
        context.store.jobs.glance(at: shard) { [weak self] result in
            guard let self, case .success(let isAnything) = result else { return }
            claims.answered(shard, now: context.reactor.now)
            if isAnything { look(shard) } else { unfinished.heardOfNone(shard: shard, asked: question) }
        }
    }

    /// Reads in which shards other gateways have left jobs, and polls these at once.
    private func hearNews() {
        guard !news.isBeingRead else { return }
        news.isBeingRead = true
        context.store.jobNews.read { [weak self] result in
            guard let self else { return }
            news.isBeingRead = false
            guard case .success(let page) = result else { return }
            let changes = page.changes(since: news.page, places: context.store.jobNews.places)
            news.page = page
            shards.heard(of: changes, context.reactor.now)
            if !changes.isEmpty { poll(includesBusy: false) }
        }
    }

    /// The jobs that may be taken from a shard that is polled by itself. A large lane gives one job, because other
    /// gateways may be idle, and the next poll soon takes the second.
    /// - Parameter spare: The number of small jobs to leave room for.
    private func capacity(small: Int = ShardPoller.smallAtOnce, spare: Int = 0) -> JobCapacity {
        guard context.store.maySend else { return JobCapacity(small: 0, first: 0, updates: 0) }
        func room(_ lane: JobLane, _ most: Int, spare: Int = 0) -> Int {
            health.hasLetGo ? 0 : max(0, min(table.room(lane) - asked[lane] - spare, most))
        }
        return JobCapacity(
            small: room(.small, small, spare: spare), first: room(.first, 1), updates: room(.updates, 1))
    }

    /// Takes jobs of a shard.
    private func take(
        _ shard: Int, _ capacity: JobCapacity, isRegular: Bool = false, then: @escaping () -> Void
    ) {
        guard !context.isStopping else { return then() }
        let sentAt = context.reactor.now
        shards.lookBegan(shard)
        let silence = claims.silence(shard, now: sentAt, usual: table.leases.limits.silence)
        let room = due.roomInLook(shard)
        let unfinished = context.unfinished.shares
        let question = unfinished.question
        context.store.jobs.takeJobs(
            shard: shard, as: context.gateway, capacity, silence: silence, due: room
        ) { [weak self] result in
            guard let self else { return }
            if case .success(let taken) = result {
                claims.answered(shard, now: context.reactor.now)
                let finding = taken.isQuiet ? ShardWatch.Finding.quiet(nextDue: taken.nextDue) : .busy
                if shards.looked(shard, finding, isRegular: isRegular) {
                    context.store.jobNews.announce(shard)
                }
                unfinished.heard(taken, shard: shard, asked: question)
                due.carryOut(taken.due, takenUntil: taken.dueUntil)
                for job in taken.jobs { starter.took(job, sentAt: sentAt) }
            } else {
                shards.lookFailed(shard)
            }
            then()
        }
    }
}
