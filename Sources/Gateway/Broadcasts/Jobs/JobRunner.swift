import BroadcastCore
import Delivery
import GatewayStore
import LiveActivity
import Reactor
import RosterCore
import TimeCore

/// Makes the runs of jobs, counts their outcomes, and records the end of each job. On the reactor.
final class JobRunner {
    private let context: JobContext
    private let table: JobTable
    private let events: JobEventPublisher
    let random: () -> Double

    init(_ context: JobContext, _ table: JobTable, _ events: JobEventPublisher) {
        self.context = context
        self.table = table
        self.events = events
        random = context.random
    }

    /// Nil for a single push that cannot be made. A broadcast that no push can carry is stopped from the beginning, so
    /// that all its devices are counted.
    /// - Parameters:
    ///   - pages: what is to be sent; nil for all that is not done.
    ///   - preread: one of them, when it has been read.
    func run(
        _ order: BroadcastOrder, _ job: JobTicket, _ assignment: JobAssignment?, pages: [Int]? = nil,
        preread: PageOfDevices? = nil
    ) -> BroadcastRun? {
        let broadcaster = context.apps.broadcaster(of: order.activity.tenantID, for: job.part)
        let rendered = broadcaster?.render(order, job.part)
        if rendered == nil, job.part.isSingle { return nil }
        let pages =
            pages ?? order.pages(of: job.part).filter { assignment?.progress.state(ofPage: $0) != .done }
        let task = RunTask(
            order: order, ticket: job, job: assignment, rendered: rendered, preread: preread, broadcaster: broadcaster)
        let run = BroadcastRun(
            task, pages: assignment?.progress.inTurn(pages) ?? pages, store: context.store, reactor: context.reactor,
            owner: self)
        broadcaster?.add(run)
        return run
    }

    /// Begins a run, which may end before this returns.
    func begin(_ run: BroadcastRun, isResumed: Bool = false) {
        context.metrics.begun(run.ticket)
        context.tell(.begun(run.ticket, run.order, isResumed: isResumed))
        run.begin()
    }

    private func conclude(_ run: BroadcastRun, _ end: RunEnd) {
        switch end {
        case .complete where run.job == nil && run.state.isEndedLate && run.order.recordsEvents:
            events.tellLateEnd(run)
        case .complete where run.job == nil: table.discard(run.ticket)
        case .complete where run.ticket.isHeld: completeHeld(run)
        case .complete where run.order.kind == .start: checkOpenPages(run)
        case .complete: complete(run)
        case .handedOver: leave(run)
        case .lost: break
        }
    }

    // MARK: The end of a job

    private func complete(_ run: BroadcastRun) {
        let (job, order, pushes) = (run.ticket, run.order, run.pushTimes)
        let hasSent = run.core.tally.accepted > 0
        guard order.isSentAfterStart, case .channel = job.part else {
            return complete(job, order, hasSent: hasSent, pushes: pushes)
        }
        // The second push to the channel has the same progress, and has not begun.
        context.store.pages.record(.nothing, of: job, order) { [self] in
            complete(job, order, hasSent: hasSent, pushes: pushes)
        }
    }

    /// Leaves the rest of a job to another gateway. If no page was sent in part, records that first.
    private func leave(_ run: BroadcastRun) {
        let (job, order) = (run.ticket, run.order)
        guard order.kind != .start, !job.isHeld, let assignment = run.job, run.state.isOver,
            !run.pages.leaveDoubt,
            assignment.progress.doubt == .nothing, !run.pages.areMany
        else { return giveBack(run) }
        context.store.pages.record(.nothing, of: job, order) { [self] in
            if table.contains(job) { giveBack(run) }
        }
    }

    /// Gives a job back, after the time of its pushes is recorded if possible.
    private func giveBack(_ run: BroadcastRun) {
        let (job, order) = (run.ticket, run.order)
        guard !job.isHeld, run.job != nil, let pushes = run.pushTimes else { return table.giveBack(job) }
        table.ask(about: job) { [store = context.store, gateway = context.gateway] () throws(StoreError) in
            try await store.jobs.note(pushes, of: job, order, as: gateway)
        } then: { [table] _ in
            table.giveBack(job)
        }
    }

    /// Searches for pages that another gateway has opened again, with outcomes from before it lost the job.
    private func checkOpenPages(_ run: BroadcastRun) {
        guard let assignment = run.job else { return }
        let (job, order) = (run.ticket, run.order)
        table.ask(about: job) { [store = context.store] () throws(StoreError) in
            try await store.jobs.openPages(of: job, order, owner: assignment.owner)
        } then: { [self] result in
            switch result {
            case .success(let pages) where pages.isEmpty: complete(job, order, pushes: run.pushTimes)
            case _ where context.isStopping: giveBack(run)
            case .success(let pages):
                guard let next = self.run(order, job, assignment, pages: pages) else {
                    return table.giveBack(job)
                }
                table.add(next)
                next.times.pushed = run.times.pushed
                next.begin()
            case .failure: table.again(job) { self.checkOpenPages(run) }
            }
        }
    }

    /// Records that the job has no page left. Repeated until the store has done so or another gateway has the job.
    private func complete(
        _ job: JobTicket, _ order: BroadcastOrder, hasSent: Bool = false, pushes: PushTimes?
    ) {
        table.ask(about: job) {
            [store = context.store, gateway = context.gateway] () throws(StoreError) in
            try await store.jobs.complete(job, order, as: gateway, hasSent: hasSent, pushes: pushes)
        } then: { [self] result in
            switch result {
            case .success(let record):
                if let record { ended(record, order) }
                if order.recordsEvents { events.tellAll(job, order, record) } else { table.removed(job) }
            case .failure:
                table.again(job) { self.complete(job, order, hasSent: hasSent, pushes: pushes) }
            }
        }
    }

    /// A broadcast has ended with a job of this gateway.
    private func ended(_ record: BroadcastRecord, _ order: BroadcastOrder) {
        context.watch.ended(record)
        context.metrics.ended(record)
        context.tell(.finished(record, order))
    }

    /// Records the end of a broadcast whose job was held from the beginning. Repeated until the store has taken it, or
    /// another gateway has the job.
    private func completeHeld(_ run: BroadcastRun) {
        let (job, order) = (run.ticket, run.order)
        guard let held = table.held[job] else { return }
        var stop: String?
        if case .stopped(let reason) = run.core.stopReason { stop = reason }
        let ending = HeldEnding(
            job, order, startedAt: held.startedAt, outcome: held.outcome, pageLength: held.pageLength,
            hasWrongEnvironment: run.core.alarm.reasonOfWrongEnvironment != nil, stop: stop,
            mayBeWithdrawn: !held.isChecked && held.isAwaited)
        context.store.heldJobs.finish(ending) { [weak self] written in
            guard let self, table.contains(job) else { return }
            switch written {
            case .success(let record?):
                remember(held, record)
                let isWithdrawn = ending.isWithdrawn(record)
                if !isWithdrawn { ended(record, order) }
                table.removed(job)
                // Without a device the caller reads the activity, which has the reason.
                held.answer(isWithdrawn ? .declined : .ended(record))
            case .success(nil): table.lost(job)
            case .failure: table.again(job) { self.completeHeld(run) }
            }
        }
    }
}

extension JobRunner {
    /// Caches the activity of a broadcast that has reached it, or drops it.
    private func remember(_ held: HeldRun, _ ended: BroadcastRecord) {
        if ended.counts.accepted > 0, held.order.slots == held.record.slots {
            table.recentActivities.add(held.record)
        } else {
            table.recentActivities.remove(held.record.activity.id)
        }
    }
}

extension JobRunner: RunOwner {
    func ended(_ run: BroadcastRun, _ end: RunEnd) {
        guard table.remove(run) else { return }
        if end != .lost {
            context.tell(.ended(run.ticket, run.order, end == .complete ? .complete : .handedOver))
        }
        conclude(run, end)
    }

    func lost(_ run: BroadcastRun) { table.lost(run) }

    func rest(_ run: BroadcastRun) -> Bool { table.rest(run) }

    func resume(_ run: BroadcastRun) { table.resume(run) }

    func rejected(_ run: BroadcastRun, _ reason: String) {
        context.metrics.rejected(reason)
        context.tell(.rejected(run.order, reason: reason))
    }

    func wrongEnvironment(_ run: BroadcastRun, _ reason: String) {
        let cohort = run.order.cohort(of: run.ticket.part)
        context.metrics.wrongEnvironment(cohort)
        context.tell(.wrongEnvironment(run.order, cohort, reason: reason))
    }

    func channelDeleted(_ run: BroadcastRun, _ channel: String) {
        context.tell(.channelDeleted(run.order, channel: channel))
    }

    func stopped(_ run: BroadcastRun, _ reason: String) {
        context.metrics.stopped(reason)
        context.tell(.stopped(run.order, reason: reason))
    }

    func settled(_ outcome: PageOutcome, _ run: BroadcastRun) {
        context.metrics.settled(outcome, run.order.kind, run.order.cohort(of: run.ticket.part))
    }

    func settledHeld(_ outcome: PageOutcome, _ run: BroadcastRun) {
        table.held[run.ticket]?.outcome = outcome
        settled(outcome, run)
    }

    func pageWritten(_ run: BroadcastRun) { events.tell(run.ticket, run.order) }

    /// The pause before a retry if another start is in progress, or the store is unavailable.
    private static let leftOutPause = TimeInterval.seconds(1)

    /// Starts devices that a start has left out. Their gateway had noted them, and stopped or lost Redis before it
    /// pushed. Retries while the content is fresh and this gateway runs.
    func start(_ leftOut: LeftOut) {
        guard !context.isStopping else { return }
        context.ask { [store = context.store] () throws(StoreError) in
            try await store.restarts.start(leftOut)
        } then: { [self] result in
            switch result {
            case .success(.begun(let order)): context.taker?.begun(order)
            case .success(.pointless): break
            case .success(.busy), .failure:
                context.reactor.schedule(after: JobRunner.leftOutPause) { self.start(leftOut) }
            }
        }
    }
}
