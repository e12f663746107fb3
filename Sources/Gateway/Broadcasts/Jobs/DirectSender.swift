import BroadcastCore
import Delivery
import GatewayStore
import LiveActivity
import Reactor
import RosterCore
import TimeCore

/// The gateway that gets the call sends an update to few devices at once: no queue, and two steps of the store in all.
/// If anything prevents that, the update becomes a broadcast like any other. On the reactor.
final class DirectSender {
    private let context: JobContext
    private let table: JobTable
    private let health: PeerHealth
    private let runner: JobRunner
    /// The activities of which it is known if their updates can be sent at once.
    private var smallSegments = SmallSegments()

    /// An update that takes longer becomes one that can be read and waited for like any other.
    private static let showAfter = TimeInterval.milliseconds(300)

    init(_ context: JobContext, _ table: JobTable, _ health: PeerHealth, _ runner: JobRunner) {
        self.context = context
        self.table = table
        self.health = health
        self.runner = runner
    }

    private var maySend: Bool { !context.isStopping && !health.hasLetGo && context.store.maySend }

    /// Carries out an update whose request is admitted by the step that records it. Declined unless this gateway knows
    /// all that the step needs.
    func admitAndCarryOut(
        _ draft: DirectDraft, _ done: @escaping @Sendable (JobWorker.DirectResult) -> Void
    ) {
        guard maySend, case .small(let segment) = smallSegments[draft.activityID, draft.tenantID],
            context.store.direct.looksItself(segment)
        else { return done(.declined) }
        send(draft, to: segment, done)
    }

    /// Carries an update out if its activity has few devices and no condition prevents it.
    func carryOut(_ draft: DirectDraft, _ done: @escaping @Sendable (JobWorker.DirectResult) -> Void) {
        guard maySend else { return done(.declined) }
        switch smallSegments[draft.activityID, draft.tenantID] {
        case .small(let segment): send(draft, to: segment, done)
        case .other: done(.declined)
        case nil:
            context.store.direct.find(draft.activityID, of: draft.tenantID) { [weak self] result in
                guard let self, case .success(let kind?) = result else { return done(.declined) }
                smallSegments.learned(kind, of: draft.activityID, draft.tenantID)
                guard case .small(let segment) = kind else { return done(.declined) }
                send(draft, to: segment, done)
            }
        }
    }

    private func send(
        _ draft: DirectDraft, to segment: SmallSegment,
        _ done: @escaping @Sendable (JobWorker.DirectResult) -> Void
    ) {
        let part = JobTicket.Part.partition(segment.partition)
        guard let provider = context.apps.broadcaster(of: draft.tenantID, for: part)?.provider,
            !provider.health.isPaused, !health.isLetGo(provider), table.room(.small) > 0,
            let place = context.unfinished.hold(tenantID: draft.tenantID)
        else { return done(.declined) }
        context.store.direct.check(draft, segment) { [weak self] result in
            guard let self, case .success(true) = result else { return done(.declined) }
            begin(draft, segment, place, done)
        }
    }

    private func begin(
        _ draft: DirectDraft, _ segment: SmallSegment, _ place: WaitingBroadcasts.Hold,
        _ done: @escaping @Sendable (JobWorker.DirectResult) -> Void
    ) {
        let (number, hold) = table.newHold()
        let sentAt = context.reactor.now
        let startedAt = context.store.wallClock()
        context.store.direct.begin(draft, segment, hold: hold, at: startedAt) { [weak self] result in
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
            let job = context.store.direct.job(of: begun.order, hold: number, at: startedAt)
            let direct = DirectRun(
                begun, hold: hold, startedAt: startedAt, place: place, completion: done)
            table.directs.began(direct, job)
            _ = table.took(job, sentAt: sentAt)
            context.metrics.counts.recorded[begun.order.kind, default: 0] += 1
            // A page with marks refers to tokens elsewhere, so a job must read them.
            if context.isStopping || begun.page.hasMarks { return table.giveBack(job) }
            run(direct, job, begun.page)
        }
    }

    private func run(_ direct: DirectRun, _ job: JobTicket, _ page: PageOfDevices) {
        let assignment = JobAssignment(owner: direct.hold, progress: JobProgress())
        guard let run = runner.run(direct.order, job, assignment, pages: [page.page], preread: page)
        else {
            return table.giveBack(job)
        }
        table.add(run)
        runner.begin(run)
        guard direct.isAwaited else { return }
        context.reactor.schedule(after: DirectSender.showAfter) { [weak self] in self?.show(job) }
    }

    /// Lists an update that takes longer. From here on it can be read, paused and waited for.
    private func show(_ job: JobTicket) {
        guard let direct = table.directs[job], direct.isAwaited else { return }
        context.store.direct.show(job.activityID) { [weak self] error in
            guard let self, table.directs[job] === direct, direct.isAwaited else { return }
            guard error == nil else {
                context.reactor.schedule(after: context.settings.period) { self.show(job) }
                return
            }
            let order = direct.order
            // An update that ends at once has one event, that of its end.
            context.tell(.recorded(order))
            if context.provider(of: order.activity.tenantID, job)?.health.isPaused == true {
                health.noteHealth(of: order)
            }
            direct.answer(.underWay(order, direct.rate))
        }
    }
}
