import BroadcastCore
import Delivery
import GatewayStore
import LiveActivity
import Reactor
import RosterCore
public import TimeCore

/// The end of jobs.
extension JobWorker: RunOwner {
    /// Nil for a single push that cannot be made. A broadcast that no push can carry is stopped from the beginning, so
    /// that all its devices are counted.
    /// - Parameters:
    ///   - pages: what is to be sent; nil for all that is not done.
    ///   - preread: one of them, when it has been read.
    func run(
        _ order: BroadcastOrder, _ job: JobTicket, _ assignment: JobAssignment?, pages: [Int]? = nil,
        preread: PageOfDevices? = nil
    ) -> BroadcastRun? {
        let broadcaster = apps.broadcaster(of: order.activity.tenantID, for: job.part)
        let rendered = broadcaster?.render(order, job.part)
        if rendered == nil, job.part.isSingle { return nil }
        let pages = pages ?? order.pages(of: job.part).filter { assignment?.progress.state(ofPage: $0) != .done }
        let run = BroadcastRun(
            order, job, job: assignment, pages: assignment?.progress.inTurn(pages) ?? pages, rendered: rendered,
            preread: preread, broadcaster: broadcaster, store: store, reactor: reactor, owner: self)
        broadcaster?.add(run)
        return run
    }

    func ended(_ run: BroadcastRun, _ end: RunEnd) {
        guard runs[run.ticket] === run else { return lostRuns.removeAll { $0 === run } }
        runs[run.ticket] = nil
        context.unfinished.resumed(run.ticket)
        // A run may end before the provider has answered all of its pushes.
        if !run.isOver { lostRuns.append(run) }
        if end != .lost { tell(.ended(run.ticket, run.order, end == .complete ? .complete : .handedOver)) }
        switch end {
        case .complete where run.job == nil && run.isEndedLate && run.order.recordsEvents: tellLateEnd(run)
        case .complete where run.job == nil: discard(run.ticket)
        case .complete where run.ticket.isDirect: completeDirect(run)
        case .complete where run.order.kind == .start: checkOpenPages(run)
        case .complete: complete(run)
        case .handedOver: leave(run)
        case .lost: break
        }
    }

    private func complete(_ run: BroadcastRun) {
        let (job, order, pushes) = (run.ticket, run.order, run.pushTimes)
        let hasSent = run.core.tally.accepted > 0
        guard order.isSentAfterStart, case .channel = job.part else {
            return complete(job, order, hasSent: hasSent, pushes: pushes)
        }
        // The second push to the channel has the same progress, and has not begun.
        store.pages.record(.nothing, of: job, order) { [self] in
            complete(job, order, hasSent: hasSent, pushes: pushes)
        }
    }

    /// Leaves the rest of a job to another gateway. If no page was sent in part, records that first.
    private func leave(_ run: BroadcastRun) {
        let (job, order) = (run.ticket, run.order)
        guard order.kind != .start, !job.isDirect, let assignment = run.job, run.isOver, !run.leavesDoubt,
            assignment.progress.doubt == .nothing, !run.hasManyPages
        else { return giveBack(job) }
        store.pages.record(.nothing, of: job, order) { [self] in if leases.contains(job) { giveBack(job) } }
    }

    /// Searches for pages that another gateway has opened again, with outcomes from before it lost the job.
    private func checkOpenPages(_ run: BroadcastRun) {
        guard let assignment = run.job else { return }
        let (job, order) = (run.ticket, run.order)
        ask { [store] () throws(StoreError) in
            try await store.jobs.openPages(of: job, order, owner: assignment.owner)
        } then: { [self] result in
            guard leases.contains(job) else { return }
            switch result {
            case .success(let pages) where pages.isEmpty: complete(job, order, pushes: run.pushTimes)
            case _ where isStopping: giveBack(job)
            case .success(let pages):
                guard let next = self.run(order, job, assignment, pages: pages) else { return giveBack(job) }
                runs[job] = next
                next.pushed = run.pushed
                next.begin()
            case .failure:
                reactor.schedule(after: settings.period) { if self.leases.contains(job) { self.checkOpenPages(run) } }
            }
        }
    }

    func rejected(_ run: BroadcastRun, _ reason: String) {
        metrics.rejected(reason)
        tell(.rejected(run.order, reason: reason))
    }

    func wrongEnvironment(_ run: BroadcastRun, _ reason: String) {
        let cohort = run.order.cohort(of: run.ticket.part)
        metrics.wrongEnvironment(cohort)
        tell(.wrongEnvironment(run.order, cohort, reason: reason))
    }

    func channelDeleted(_ run: BroadcastRun, _ channel: String) { tell(.channelDeleted(run.order, channel: channel)) }

    func stopped(_ run: BroadcastRun, _ reason: String) { stopped(run.order, reason) }

    func stopped(_ order: BroadcastOrder, _ reason: String) {
        metrics.stopped(reason)
        tell(.stopped(order, reason: reason))
    }

    func settled(_ outcome: PageOutcome, _ run: BroadcastRun) {
        metrics.settled(outcome, run.order.kind, run.order.cohort(of: run.ticket.part))
    }

    func settledDirectly(_ outcome: PageOutcome, _ run: BroadcastRun) {
        directs[run.ticket]?.outcome = outcome
        settled(outcome, run)
    }

    func pageWritten(_ run: BroadcastRun) { tell(run.ticket, run.order) }

    /// Records that the job has no page left. Repeated until the store has done so or another gateway has the job.
    func complete(_ job: JobTicket, _ order: BroadcastOrder, hasSent: Bool = false, pushes: PushTimes? = nil) {
        ask { [store, gateway] () throws(StoreError) in
            try await store.jobs.complete(job, order, as: gateway, hasSent: hasSent, pushes: pushes)
        } then: { [self] result in
            guard leases.contains(job) else { return }
            switch result {
            case .success(let record):
                if let record {
                    watch.ended(record)
                    metrics.ended(record)
                    tell(.finished(record, order))
                }
                if order.recordsEvents { tellAll(job, order, record) } else { removed(job) }
            case .failure:
                reactor.schedule(after: settings.period) { self.completeAgain(job, order, hasSent, pushes) }
            }
        }
    }

    private func completeAgain(_ job: JobTicket, _ order: BroadcastOrder, _ hasSent: Bool, _ pushes: PushTimes?) {
        guard leases.contains(job) else { return }
        complete(job, order, hasSent: hasSent, pushes: pushes)
    }

    /// The job is gone from the store: there is room for another one, and those behind it may be due.
    func removed(_ job: JobTicket) {
        leases.ended(job)
        look(job.shard, hasJobEnded: true)
        checkWaiting(of: job.activityID)
    }

    /// The job's broadcast is gone, or the job was a late end, which leaves nothing to write.
    func discard(_ job: JobTicket) {
        ask { [store, gateway] () throws(StoreError) in
            try await store.jobs.discard(job, as: gateway)
        } then: { [self] result in
            guard leases.contains(job) else { return }
            if case .success(let hasVanished) = result {
                if hasVanished { tell(.vanished(job)) }
                return removed(job)
            }
            reactor.schedule(after: settings.period) { if self.leases.contains(job) { self.discard(job) } }
        }
    }

    /// Others may take the job at once.
    func giveBack(_ job: JobTicket) {
        // A renewal must not come behind this.
        guard beingGivenBack.insert(job).inserted else { return }
        metrics.counts.handedOver += 1
        guard !job.isDirect else { return giveBackDirect(job) }
        store.jobs.renewJobs([job], shard: job.shard, as: gateway, areHandedOver: true) { [weak self] _ in
            guard let self else { return }
            // Should the call have failed, the job is taken when this gateway has been silent for long enough.
            beingGivenBack.remove(job)
            leases.ended(job)
            store.jobNews.announce(job.shard)
        }
    }

    // MARK: Stopping

    /// The gateway stops: takes no more jobs, gives back those that wait, and finishes the pages that are open. Returns
    /// when nothing is left here, at the latest after `limit`; what is left then is handed over, and the providers may
    /// be shut down. From any thread.
    public func reachCheckpoint(within limit: TimeInterval) async {
        await reactor.call(stopped: ()) { [self] done in
            context.stop()
            for job in waiting.keys { giveBack(job) }
            waiting = [:]
            for run in Array(runs.values) { run.reachCheckpoint() }
            let end = reactor.now + limit
            waitUntilEmpty(until: end) { [self] in
                for run in Array(runs.values) { run.handOver() }
                done(())
            }
        }
    }

    /// Returns when all jobs have ended or been handed over, at the latest after `limit`. Callers that wait for a
    /// broadcast get its counts so far. From any thread.
    public func stop(within limit: TimeInterval) async {
        await reactor.call(stopped: ()) { [self] done in
            waitUntilEmpty(until: reactor.now + limit) { [self] in
                if let timer { reactor.cancel(timer) }
                watch.stop()
                done(())
            }
        }
    }

    private func waitUntilEmpty(until end: MonotonicTime, _ then: @escaping () -> Void) {
        guard !leases.isEmpty, reactor.now < end else { return then() }
        reactor.schedule(after: .milliseconds(10)) { self.waitUntilEmpty(until: end, then) }
    }
}
