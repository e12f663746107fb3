import BroadcastCore
import Delivery
import GatewayStore
import LiveActivity
import Reactor
import RosterCore
import TimeCore

/// The gateway that gets the call sends an update to few devices at once: no queue, and two steps of the store in all.
/// If anything prevents that, the update becomes a broadcast like any other.
extension JobWorker {
    /// The outcome of an update that was to be sent at once.
    public enum DirectResult: Sendable {
        case ended(BroadcastRecord, Admission.Rate?)
        /// The update is under way and takes longer. It can be read by now.
        case underWay(BroadcastOrder, Admission.Rate?)
        /// The update is to be recorded like any other. Nothing has changed.
        case declined
        /// The update may or may not have been recorded.
        case failed(StoreError)
    }

    /// An update that is being sent at once, from its recording on.
    final class DirectRun {
        let order: BroadcastOrder
        let hold: String
        let startedAt: WallTime
        let pageLength: Int
        let rate: Admission.Rate?
        var outcome: PageOutcome?
        var completion: (@Sendable (DirectResult) -> Void)?
        /// Holds its place among the broadcasts that have not ended.
        let place: WaitingBroadcasts.Hold

        init(
            _ begun: StoredDirect.Begun, hold: String, startedAt: WallTime, place: WaitingBroadcasts.Hold,
            completion: @escaping @Sendable (DirectResult) -> Void
        ) {
            order = begun.order
            pageLength = begun.pageLength
            rate = begun.rate
            self.hold = hold
            self.startedAt = startedAt
            self.place = place
            self.completion = completion
        }

        func answer(_ result: DirectResult) {
            completion?(result)
            completion = nil
        }
    }

    /// An update that takes longer becomes one that can be read and waited for like any other.
    private static let directPatience = TimeInterval.milliseconds(300)

    /// Carries an update out if its activity has few devices and no condition prevents it. From any thread.
    func carryOutDirectly(_ draft: DirectDraft) async -> DirectResult {
        await reactor.call(stopped: .declined) { [self] done in carryOutDirectly(draft, done) }
    }

    /// Carries out an update whose request is admitted by the step that records it. Declined unless this gateway knows
    /// all that the step needs. `done` is called on the reactor, or at once when that has stopped.
    public func admitAndCarryOut(_ draft: DirectDraft, _ done: @escaping @Sendable (DirectResult) -> Void) {
        let isTaken = reactor.execute { [self] in
            guard !isStopping, !hasLetGo, store.maySend,
                case .small(let segment) = smallSegments[draft.activityID, draft.tenantID],
                store.direct.looksItself(segment)
            else { return done(.declined) }
            send(draft, to: segment, done)
        }
        if !isTaken { done(.declined) }
    }

    private func carryOutDirectly(_ draft: DirectDraft, _ done: @escaping @Sendable (DirectResult) -> Void) {
        guard !isStopping, !hasLetGo, store.maySend else { return done(.declined) }
        switch smallSegments[draft.activityID, draft.tenantID] {
        case .small(let segment): send(draft, to: segment, done)
        case .other: done(.declined)
        case nil:
            store.direct.find(draft.activityID, of: draft.tenantID) { [weak self] result in
                guard let self, case .success(let kind?) = result else { return done(.declined) }
                smallSegments.learned(kind, of: draft.activityID, draft.tenantID)
                guard case .small(let segment) = kind else { return done(.declined) }
                send(draft, to: segment, done)
            }
        }
    }

    private func send(
        _ draft: DirectDraft, to segment: SmallSegment, _ done: @escaping @Sendable (DirectResult) -> Void
    ) {
        let part = JobTicket.Part.partition(segment.partition)
        guard let provider = apps.broadcaster(of: draft.tenantID, for: part)?.provider,
            !provider.health.isPaused, !letGo.contains(provider.engine), leases.room(JobLane.small.rawValue) > 0,
            let place = context.unfinished.hold(tenantID: draft.tenantID)
        else { return done(.declined) }
        store.direct.check(draft, segment) { [weak self] result in
            guard let self, case .success(true) = result else { return done(.declined) }
            begin(draft, segment, place, done)
        }
    }

    private func begin(
        _ draft: DirectDraft, _ segment: SmallSegment, _ place: WaitingBroadcasts.Hold,
        _ done: @escaping @Sendable (DirectResult) -> Void
    ) {
        holds += 1
        let (number, hold, sentAt) = (holds, "\(gateway).\(holds)", reactor.now)
        let startedAt = store.wallClock()
        store.direct.begin(draft, segment, hold: hold, at: startedAt) { [weak self] result in
            guard let self else { return done(.declined) }
            let begun: StoredDirect.Begun
            switch result {
            case .success(.begun(let taken)): begun = taken
            case .success(.declined): return done(.declined)
            case .success(.changed):
                smallSegments.forget(draft.activityID)
                return done(.declined)
            case .failure(let error): return done(.failed(error))
            }
            let order = begun.order
            let job = store.direct.job(of: order, hold: number, at: startedAt)
            let direct = DirectRun(begun, hold: hold, startedAt: startedAt, place: place, completion: done)
            directs[job] = direct
            _ = leases.taken(job, lane: job.lane.rawValue, group: job.leaseGroup, sentAt: sentAt)
            metrics.counts.recorded[order.kind, default: 0] += 1
            metrics.counts.taken[job.lane.rawValue] += 1
            // A page with marks refers to tokens elsewhere, so a job must read them.
            if isStopping || begun.page.hasMarks { return giveBack(job) }
            run(order, job, begun.page)
        }
    }

    private func run(_ order: BroadcastOrder, _ job: JobTicket, _ page: PageOfDevices) {
        let assignment = JobAssignment(owner: directs[job]?.hold ?? "", progress: JobProgress())
        guard let run = run(order, job, assignment, pages: [page.page], preread: page) else { return giveBack(job) }
        runs[job] = run
        metrics.begun(job)
        tell(.begun(job, order, isResumed: false))
        run.begin()
        guard directs[job]?.completion != nil else { return }
        reactor.schedule(after: JobWorker.directPatience) { [weak self] in self?.show(job, order) }
    }

    /// Lists an update that takes longer. From here on it can be read, paused and waited for.
    private func show(_ job: JobTicket, _ order: BroadcastOrder) {
        guard let direct = directs[job], direct.completion != nil else { return }
        store.direct.show(job.activityID) { [weak self] error in
            guard let self, directs[job] === direct, direct.completion != nil else { return }
            guard error == nil else {
                reactor.schedule(after: settings.period) { self.show(job, order) }
                return
            }
            // An update that ends at once has one event, that of its end.
            tell(.recorded(order))
            if provider(of: order.activity.tenantID, job)?.health.isPaused == true { noteHealth(of: order) }
            direct.answer(.underWay(order, direct.rate))
        }
    }

    /// Records an update that has been sent. Repeated until the store has taken it, or another gateway has the job.
    func completeDirect(_ run: BroadcastRun) {
        let (job, order) = (run.ticket, run.order)
        guard let direct = directs[job] else { return }
        var stop: String?
        if case .stopped(let reason) = run.core.stopReason { stop = reason }
        let ended = StoredDirect.Ending(
            job, order, hold: direct.hold, startedAt: direct.startedAt, outcome: direct.outcome,
            pageLength: direct.pageLength, hasWrongEnvironment: run.core.alarm.reasonOfWrongEnvironment != nil)
        store.direct.finish(ended, stop: stop) { [weak self] written in
            guard let self, leases.contains(job) else { return }
            switch written {
            case .success(let record?):
                watch.ended(record)
                metrics.ended(record)
                tell(.finished(record, order))
                removedDirect(job)
                direct.answer(.ended(record, direct.rate))
            case .success(nil): lost(job)
            case .failure:
                reactor.schedule(after: settings.period) { if self.leases.contains(job) { self.completeDirect(run) } }
            }
        }
    }

    private func removedDirect(_ job: JobTicket) {
        directs[job] = nil
        leases.ended(job)
        checkWaiting(of: job.activityID)
    }

    /// Others may take it at once, by the job that it gets.
    func giveBackDirect(_ job: JobTicket) {
        guard let direct = directs[job] else { return }
        store.direct.renew([(job, direct.hold)], shard: job.shard, areHandedOver: true) { [weak self] _ in
            guard let self else { return }
            // Should the call have failed, it is others' when the hold has run out.
            beingGivenBack.remove(job)
            leases.ended(job)
            leftDirect(job)
            store.jobNews.announce(job.shard)
        }
    }

    /// The job is another gateway's.
    func leftDirect(_ job: JobTicket) {
        guard let direct = directs.removeValue(forKey: job) else { return }
        direct.answer(.underWay(direct.order, direct.rate))
    }

    func renewDirect(_ jobs: [JobTicket], shard: Int, completion: @escaping (Result<[JobTicket], StoreError>) -> Void) {
        let held = jobs.compactMap { job in directs[job].map { (job, $0.hold) } }
        store.direct.renew(held, shard: shard, completion: completion)
    }
}
