import BroadcastCore
import Delivery
import GatewayStore
import LiveActivity
import Reactor
import TimeCore

/// The jobs that this gateway has leased: at work, resting, waiting for their turn, and being given back. Renews them,
/// and holds runs back whose leases are uncertain. On the reactor.
final class JobTable {
    private let context: JobContext
    /// The broadcasts whose jobs are held from the beginning.
    private(set) var held: [JobTicket: HeldRun] = [:]
    let recentActivities = RecentActivities()
    private(set) var leases: JobLeases<JobTicket>
    /// Jobs that are at work, and those whose turn has not come.
    private(set) var runs: [JobTicket: BroadcastRun] = [:]
    private(set) var waiting: [JobTicket: BroadcastOrder] = [:]
    private var beingGivenBack: Set<JobTicket> = []
    /// Runs whose job another gateway has taken, until the provider has answered the pushes under way.
    private var lostRuns: [BroadcastRun] = []
    private var holds = 0
    private var isRenewing = false

    init(_ context: JobContext) {
        self.context = context
        leases = JobLeases(context.settings.limits)
    }

    func contains(_ job: JobTicket) -> Bool { leases.contains(job) }

    /// Returns the number of further jobs of a lane that can be at work.
    func room(_ lane: JobLane) -> Int { leases.room(lane.rawValue) }

    /// Returns the number and the id of a new hold.
    func newHold() -> (number: Int, id: String) {
        holds += 1
        return (holds, "\(context.gateway).\(holds)")
    }

    /// Adds a job that was taken by a call sent at this time. False if it is held already.
    func took(_ job: JobTicket, sentAt: MonotonicTime) -> Bool {
        let lane = job.lane.rawValue
        guard leases.taken(job, lane: lane, group: job.leaseGroup, sentAt: sentAt) else { return false }
        context.metrics.counts.taken[lane] += 1
        return true
    }

    /// Adds the job of a broadcast that a call sent at this time has recorded.
    func began(_ held: HeldRun, _ job: JobTicket, sentAt: MonotonicTime) {
        self.held[job] = held
        _ = took(job, sentAt: sentAt)
    }

    /// A held job is another gateway's, or any one's.
    private func leftHeld(_ job: JobTicket) {
        guard let left = held.removeValue(forKey: job) else { return }
        left.answer(.recorded(left.order))
    }

    /// Keeps a job until its turn, or forgets it if too many wait.
    func keepWaiting(_ job: JobTicket, _ order: BroadcastOrder) {
        guard leases.canWait else { return leases.ended(job) }
        leases.mustWait(job)
        waiting[job] = order
    }

    /// The turn of a waiting job has come.
    func isDue(_ job: JobTicket) {
        waiting[job] = nil
        leases.isDue(job)
    }

    func add(_ run: BroadcastRun) { runs[run.ticket] = run }

    /// Removes a run that has come to its end. False if its job was lost.
    func remove(_ run: BroadcastRun) -> Bool {
        guard runs[run.ticket] === run else {
            lostRuns.removeAll { $0 === run }
            return false
        }
        runs[run.ticket] = nil
        context.unfinished.resumed(run.ticket)
        // A run may end before the provider has answered all of its pushes.
        if !run.state.isOver { lostRuns.append(run) }
        return true
    }

    /// Returns the runs that push through an engine.
    func runs(of engine: ObjectIdentifier) -> [BroadcastRun] {
        runs.values.filter {
            context.provider(of: $0.order.activity.tenantID, $0.ticket)?.engine == engine
        }
    }

    // MARK: Calls about a job

    /// Runs a call of the store. The answer is dropped if the job is not this gateway's any more.
    func ask<Value: Sendable>(
        about job: JobTicket, _ call: @escaping @Sendable () async throws(StoreError) -> Value,
        then body: @escaping (Result<Value, StoreError>) -> Void
    ) {
        context.ask(call) { [self] result in if leases.contains(job) { body(result) } }
    }

    /// Repeats a step after a period, if the job is this gateway's then.
    func again(_ job: JobTicket, _ body: @escaping () -> Void) {
        context.reactor.schedule(after: context.settings.period) { [self] in
            if leases.contains(job) { body() }
        }
    }

    // MARK: Leaving the table

    /// The job is gone from the store: there is room for another one, and those behind it may be due.
    func removed(_ job: JobTicket) {
        leases.ended(job)
        if job.isHeld { held[job] = nil } else { context.taker?.lookAfterEnd(job.shard) }
        context.taker?.checkWaiting(of: job.activityID)
    }

    /// The job's broadcast is gone, or the job was a late end, which leaves nothing to write.
    func discard(_ job: JobTicket) {
        ask(about: job) { [store = context.store, gateway = context.gateway] () throws(StoreError) in
            try await store.jobs.discard(job, as: gateway)
        } then: { [self] result in
            guard case .success(let hasVanished) = result else { return again(job) { self.discard(job) } }
            if hasVanished { context.tell(.vanished(job)) }
            removed(job)
        }
    }

    /// Others may take the job at once.
    func giveBack(_ job: JobTicket) {
        // A renewal must not come behind this.
        guard beingGivenBack.insert(job).inserted else { return }
        context.metrics.counts.handedOver += 1
        renew([job], areHandedOver: true) { [weak self] _ in
            guard let self else { return }
            // Should the call have failed, the job is taken when this gateway has been silent for long enough.
            beingGivenBack.remove(job)
            leases.ended(job)
            leftHeld(job)
            context.store.jobNews.announce(job.shard)
        }
    }

    func giveBackWaiting(where condition: (JobTicket, BroadcastOrder) -> Bool) {
        for (job, order) in waiting where condition(job, order) {
            waiting[job] = nil
            giveBack(job)
        }
    }

    /// Forgets a job, which stays leased until this gateway has been silent for long enough.
    func forget(_ job: JobTicket) { leases.ended(job) }

    /// A write of a run was refused, because another gateway works on its job.
    func lost(_ run: BroadcastRun) {
        if runs[run.ticket] === run { lost(run.ticket) } else { run.lose() }
    }

    /// Another gateway has taken the job.
    func lost(_ job: JobTicket) {
        guard leases.contains(job) else { return }
        leases.ended(job)
        leftHeld(job)
        waiting[job] = nil
        context.unfinished.resumed(job)
        context.metrics.counts.lost += 1
        guard let run = runs.removeValue(forKey: job) else { return }
        context.tell(.ended(job, run.order, .lost))
        lostRuns.append(run)
        run.lose()
    }

    // MARK: Keeping

    /// Holds back uncertain runs, and renews the jobs if that is due. Called in each tick.
    func renewIfDue() {
        holdUncertainRuns()
        let sentAt = context.reactor.now
        guard !isRenewing, leases.needsRenewal(sentAt) else { return }
        let held = Dictionary(
            grouping: leases.all.filter { !beingGivenBack.contains($0) }, by: \.leaseGroup)
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
        let now = context.reactor.now
        var hasReleased = false
        for (job, run) in runs where run.state.isHeld == leases.mayWork(on: job, now) {
            hasReleased = hasReleased || run.state.isHeld
            run.hold(!run.state.isHeld)
        }
        // The providers' `maySend` may have changed too, because it is false while no part of the store answers.
        if hasReleased { for provider in context.apps.providers { provider.turnWanted() } }
    }

    /// - Parameter jobs: All of a group.
    private func renew(
        _ jobs: [JobTicket], areHandedOver: Bool = false,
        _ completion: @escaping (Result<[JobTicket], StoreError>) -> Void
    ) {
        let shard = jobs[0].shard
        guard !jobs[0].isHeld else {
            return context.store.heldJobs.renew(
                jobs, shard: shard, areHandedOver: areHandedOver, completion: completion)
        }
        context.store.jobs.renewJobs(
            jobs, shard: shard, as: context.gateway, areHandedOver: areHandedOver, completion: completion)
    }

    // MARK: Places

    /// Releases a job's place until its retry. False if too many jobs rest, or while the provider is paused, because
    /// then all its jobs wait.
    func rest(_ run: BroadcastRun) -> Bool {
        guard let broadcaster = run.broadcaster, runs[run.ticket] === run,
            !broadcaster.provider.health.isPaused,
            leases.rests(run.ticket)
        else {
            return false
        }
        broadcaster.remove(run)
        // The other jobs of a broadcast with several partitions are unknown here, so it keeps counting.
        if !run.ticket.part.isSingle, run.order.partitions.count <= 1 {
            context.unfinished.rests(run.ticket, broadcaster.provider.engine)
        }
        context.taker?.checkWaiting(of: nil)
        return true
    }

    func resume(_ run: BroadcastRun) {
        let broadcaster = run.broadcaster
        guard runs[run.ticket] === run else { return }
        leases.isDue(run.ticket)
        context.unfinished.resumed(run.ticket)
        broadcaster?.add(run)
        if broadcaster?.provider.health.isPaused == true { makeWay(run.ticket) }
    }

    /// Releases the places of jobs with a paused provider for jobs of other providers. Otherwise a few devices at a
    /// provider that refuses the key could block all broadcasts. While all providers are paused, places stay.
    func makeWay() {
        guard context.apps.providers.contains(where: \.health.isPaused), canOthersPush else { return }
        var hasMade = false
        for (job, run) in runs
        where context.provider(of: run.order.activity.tenantID, job)?.health.isPaused == true {
            if leases.rests(job) { hasMade = true }
        }
        guard hasMade else { return }
        context.taker?.checkWaiting(of: nil)
        context.taker?.poll()
    }

    /// Releases the place of a job whose provider is paused, if another provider accepts pushes.
    func makeWay(_ job: JobTicket) {
        if canOthersPush { _ = leases.rests(job) }
    }

    /// True if a provider that is not paused accepts pushes.
    private var canOthersPush: Bool {
        context.apps.providers.contains { !$0.health.isPaused && $0.ability == .can }
    }

    /// Takes places for the jobs of a recovered provider, even without room.
    func takePlaces(of provider: any PushProvider) {
        for run in runs(of: provider.engine) where !run.state.isResting { leases.isDue(run.ticket) }
    }

    // MARK: Stopping

    /// Gives back the jobs that wait, and finishes the pages that are open. Calls when nothing is left, at the latest
    /// after `limit`; what is left then is handed over.
    func reachCheckpoint(within limit: TimeInterval, _ then: @escaping () -> Void) {
        giveBackWaiting { _, _ in true }
        for run in Array(runs.values) { run.reachCheckpoint() }
        waitUntilEmpty(until: context.reactor.now + limit) { [self] in
            for run in Array(runs.values) { run.handOver() }
            then()
        }
    }

    /// Calls when there is no job, at the latest at `end`.
    func waitUntilEmpty(until end: MonotonicTime, _ then: @escaping () -> Void) {
        guard !leases.isEmpty, context.reactor.now < end else { return then() }
        context.reactor.schedule(after: .milliseconds(10)) { self.waitUntilEmpty(until: end, then) }
    }
}

extension JobTicket {
    /// The number of the job's group. One call renews all jobs of a group.
    var leaseGroup: Int { 2 * shard + (isHeld ? 1 : 0) }
}
