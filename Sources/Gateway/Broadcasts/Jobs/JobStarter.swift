import BroadcastCore
import Delivery
import GatewayStore
import LiveActivity
import Reactor
import TimeCore

/// Finds out what a taken job is about and whether its turn has come, and begins it then. On the reactor.
final class JobStarter {
    private let context: JobContext
    private let table: JobTable
    private let health: PeerHealth
    private let runner: JobRunner
    /// Jobs that are being looked at.
    private var beingChecked: Set<JobTicket> = []
    private var checkedFrom = 0
    /// Jobs that were given back because their content cannot be read here.
    private var unreadable: Set<JobTicket> = []

    init(_ context: JobContext, _ table: JobTable, _ health: PeerHealth, _ runner: JobRunner) {
        self.context = context
        self.table = table
        self.health = health
        self.runner = runner
    }

    /// Begins a job that was taken by a call sent at this time, unless it is held already.
    func took(_ job: JobTicket, sentAt: MonotonicTime) {
        guard table.took(job, sentAt: sentAt) else { return }
        if context.isStopping { table.giveBack(job) } else { check(job) }
    }

    /// Looks what a job is about and whether its turn has come.
    private func check(_ job: JobTicket) {
        guard beingChecked.insert(job).inserted else { return }
        context.ask { [store = context.store] () throws(StoreError) in
            try await store.jobs.startJob(job)
        } then: { [self] result in
            beingChecked.remove(job)
            guard table.contains(job) else { return }
            switch result {
            case _ where context.isStopping: table.giveBack(job)
            case .success(let start)
            where start.order.map { health.isLetGo($0.activity.tenantID, job) } == true:
                table.giveBack(job)
            case .success(.due(let order)): open(job, order)
            case .success(.waits(let order)): table.keepWaiting(job, order)
            case .success(.single(let order)): begin(job, order, nil)
            case .success(.pointless): table.discard(job)
            case .failure: table.again(job) { self.checkAgain(job) }
            }
        }
    }

    private func checkAgain(_ job: JobTicket) {
        guard table.contains(job), table.runs[job] == nil, table.waiting[job] == nil else { return }
        check(job)
    }

    // MARK: Jobs that wait

    /// Jobs whose turn may have come: the oldest of each activity first, for the newer ones wait for them.
    func checkWaiting(of activity: UniqueID?) {
        guard !table.waiting.isEmpty else { return }
        for (job, order) in candidates(of: activity)
        where table.room(job.lane) > 0 && beingChecked.insert(job).inserted {
            context.ask { [store = context.store] () throws(StoreError) in
                try await store.jobs.isDue(job, order)
            } then: { [self] result in
                beingChecked.remove(job)
                // Lost meanwhile, and perhaps taken again.
                guard table.waiting[job] != nil else { return checkAgain(job) }
                guard case .success(let isDue) = result, isDue != false, table.room(job.lane) > 0 else {
                    return
                }
                table.isDue(job)
                guard isDue != nil else { return table.discard(job) }
                if job.part.isSingle { begin(job, order, nil) } else { open(job, order) }
                // A job that has nothing to send does not keep those behind it.
                checkWaiting(of: order.activity.id)
            }
        }
    }

    /// The oldest job of each activity and part, for only that can be due; a different one first each time.
    private func candidates(of activity: UniqueID?) -> [(JobTicket, BroadcastOrder)] {
        var oldest: [WaitingPlace: (JobTicket, BroadcastOrder)] = [:]
        for (job, order) in table.waiting where activity == nil || order.activity.id == activity {
            let place = WaitingPlace(activity: order.activity.id, part: job.part)
            if let present = oldest[place], present.1.order <= order.order { continue }
            oldest[place] = (job, order)
        }
        let all = oldest.values.sorted { $0.0.precedes($1.0) }
        guard all.count > JobStarter.checkedAtOnce else { return all }
        checkedFrom = (checkedFrom + JobStarter.checkedAtOnce) % all.count
        return (0..<JobStarter.checkedAtOnce).map { all[(checkedFrom + $0) % all.count] }
    }

    private struct WaitingPlace: Hashable {
        let activity: UniqueID
        let part: JobTicket.Part
    }

    private static let checkedAtOnce = 64

    // MARK: Beginning

    private func open(_ job: JobTicket, _ order: BroadcastOrder) {
        let owner = table.newHold().id
        let resends = context.settings.onUnknown == .resend
        table.ask(about: job) { [store = context.store] () throws(StoreError) in
            try await store.jobs.open(job, order, owner: owner, resendsDoubtful: resends)
        } then: { [self] result in
            switch result {
            case _ where context.isStopping: table.giveBack(job)
            case .success(nil): table.discard(job)
            case .success(let progress?):
                begin(job, order, JobAssignment(owner: owner, progress: progress))
            case .failure: table.again(job) { [weak self] in self?.open(job, order) }
            }
        }
    }

    private func begin(_ job: JobTicket, _ order: BroadcastOrder, _ assignment: JobAssignment?) {
        guard table.runs[job] == nil else { return }
        if order.isUnreadable, !(assignment?.progress.isStopped ?? false), waitsForReader(job, order) {
            return leaveUnread(job)
        }
        guard let run = runner.run(order, job, assignment) else { return table.discard(job) }
        table.add(run)
        // The gateway that worked on the job before may have been paused.
        let isPaused = context.provider(of: order.activity.tenantID, job)?.health.isPaused ?? false
        if assignment?.progress.isPaused ?? false || isPaused { health.noteHealth(of: order) }
        let isResumed = assignment?.progress.isTouched ?? false
        if isResumed { context.metrics.counts.resumed += 1 }
        runner.begin(run, isResumed: isResumed)
        if isPaused, !health.refuse(run) { table.makeWay(job) }
    }

    // MARK: Content of another signing key

    /// The time for which content without an expiration waits for a gateway that can open it.
    static let readerTimeout = TimeInterval.seconds(3600)
    /// The minimum time for which a late end is fresh.
    private static let lateEndLife = TimeInterval.seconds(600)
    private static let rememberedUnreadable = 4096

    /// True while a gateway that can open the content may still appear.
    private func waitsForReader(_ job: JobTicket, _ order: BroadcastOrder) -> Bool {
        var end =
            order.expiration > 0
            ? WallTime(seconds: order.expiration) : job.recordedAt + JobStarter.readerTimeout
        if job.part.isSingle, order.kind == .end { end = max(end, job.recordedAt + JobStarter.lateEndLife) }
        return context.store.wallClock() < end
    }

    /// Leaves a job to gateways that can open it. Any gateway may take it at once. If this gateway gets it again, the
    /// job waits for its lease to expire, so it does not circulate.
    private func leaveUnread(_ job: JobTicket) {
        if unreadable.remove(job) != nil { return table.forget(job) }
        if unreadable.count >= JobStarter.rememberedUnreadable { unreadable = [] }
        unreadable.insert(job)
        table.giveBack(job)
    }
}
