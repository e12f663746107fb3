import BroadcastCore
import Delivery
import GatewayStore
import LiveActivity
import Reactor
import RosterCore
import TimeCore

/// Sends an update to few devices from the gateway that records it: without a queue, and in two steps of the store. If
/// anything prevents that, any gateway takes its job. On the reactor.
final class HeldSender {
    private let context: JobContext
    private let table: JobTable
    private let health: PeerHealth
    private let runner: JobRunner

    /// The time after which the caller waits for an update as for any other.
    private static let longestCall = TimeInterval.milliseconds(300)

    init(_ context: JobContext, _ table: JobTable, _ health: PeerHealth, _ runner: JobRunner) {
        self.context = context
        self.table = table
        self.health = health
        self.runner = runner
    }

    /// Records an update and sends it.
    /// - Parameter isChecked: False if the activity was not read for this update.
    func begin(
        _ draft: BroadcastDraft, for record: ActivityRecord, isChecked: Bool,
        _ done: @escaping @Sendable (JobWorker.HeldResult) -> Void
    ) {
        guard maySend(to: record) else { return done(.declined) }
        switch context.store.broadcasts.areEventsOff(record.activity.tenantID) {
        case true?: write(draft, record, isChecked, done)
        case false?: done(.declined)
        case nil:
            context.store.broadcasts.readEventsOff(record.activity.tenantID) { [weak self] result in
                guard let self, case .success(true) = result else { return done(.declined) }
                write(draft, record, isChecked, done)
            }
        }
    }

    /// True if this gateway can push to the activity's devices now.
    private func maySend(to record: ActivityRecord) -> Bool {
        guard !context.isStopping, !health.hasLetGo, context.store.maySend, table.room(.small) > 0,
            let kind = record.routeKinds.first,
            let provider = context.apps.broadcaster(of: record.activity.tenantID, over: kind)?.provider
        else { return false }
        return !provider.health.isPaused && !health.isLetGo(provider)
    }

    private func write(
        _ draft: BroadcastDraft, _ record: ActivityRecord, _ isChecked: Bool,
        _ done: @escaping @Sendable (JobWorker.HeldResult) -> Void
    ) {
        let hold = table.newHold()
        let (sentAt, startedAt) = (context.reactor.now, context.store.wallClock())
        context.store.broadcasts.begin(draft, for: record, hold: hold) { [weak self] result in
            guard let self, case .success(let begun?) = result else { return done(.declined) }
            guard let job = begun.job else {
                context.taker?.begun(begun.order)
                return done(.recorded(begun.order))
            }
            let held = HeldRun(begun, of: record, isChecked: isChecked, startedAt: startedAt, completion: done)
            table.began(held, job, sentAt: sentAt)
            context.metrics.counts.recorded[begun.order.kind, default: 0] += 1
            run(held, job, hold.id, begun.page)
        }
    }

    private func run(_ held: HeldRun, _ job: JobTicket, _ hold: String, _ page: PageOfDevices?) {
        let assignment = JobAssignment(owner: hold, progress: JobProgress())
        // The outcome of one page is written with the end.
        guard !context.isStopping, held.order.pages(of: job.part).count == 1,
            let run = runner.run(held.order, job, assignment, preread: page)
        else { return table.giveBack(job) }
        table.add(run)
        runner.begin(run)
        guard held.isAwaited else { return }
        context.reactor.schedule(after: HeldSender.longestCall) { [weak self] in self?.answer(held, job) }
    }

    /// Answers the caller of an update that takes longer.
    private func answer(_ held: HeldRun, _ job: JobTicket) {
        guard held.isAwaited else { return }
        let order = held.order
        // An update that ends at once has one event, that of its end.
        context.tell(.recorded(order))
        if context.provider(of: order.activity.tenantID, job)?.health.isPaused == true {
            health.noteHealth(of: order)
        }
        context.unfinished.shares.began(tenantID: order.activity.tenantID, shard: job.shard)
        held.answer(.recorded(order))
    }
}
