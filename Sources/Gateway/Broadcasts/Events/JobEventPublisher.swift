import BroadcastCore
import GatewayStore
import LiveActivity
import Reactor
import TimeCore

/// Publishes the events about pages. Pushes continue meanwhile, and a job ends only after its events. On the reactor.
final class JobEventPublisher {
    private let context: JobContext
    private let table: JobTable
    /// Publishes events about devices.
    private let eventStore: GatewayStore
    /// Jobs whose events are being published.
    private var telling = EventTelling<JobTicket, () -> Void>()

    init(_ context: JobContext, _ table: JobTable, _ eventStore: GatewayStore) {
        self.context = context
        self.table = table
        self.eventStore = eventStore
    }

    /// Publishes the events of a written page.
    func tell(_ job: JobTicket, _ order: BroadcastOrder) {
        if telling.pagesWritten(job) { publishEvents(of: job, order) }
    }

    private func publishEvents(of job: JobTicket, _ order: BroadcastOrder) {
        context.ask { [eventStore] () throws(StoreError) in
            try await eventStore.events.publishPages(of: order, in: job)
        } then: { [self] result in
            guard table.contains(job) else { return telling.dropped(job) }
            let isSuccess = if case .success = result { true } else { false }
            switch telling.published(job, isSuccess: isSuccess) {
            case .again: publishEvents(of: job, order)
            case .told(let next): next?()
            case .afterPause:
                context.reactor.schedule(after: context.settings.period) { [weak self] in
                    guard let self else { return }
                    guard table.contains(job) else { return telling.dropped(job) }
                    publishEvents(of: job, order)
                }
            }
        }
    }

    /// Publishes the remaining events of a job without pages left, then removes it.
    /// - Parameter record: The broadcast, if this was its last job.
    func tellAll(_ job: JobTicket, _ order: BroadcastOrder, _ record: BroadcastRecord?) {
        tell(job, order)
        telling.follow(job) { [self] in finishTelling(job, order, record) }
        // Newer broadcasts to the same devices can begin before the events are published.
        context.taker?.checkWaiting(of: job.activityID)
    }

    private func finishTelling(_ job: JobTicket, _ order: BroadcastOrder, _ record: BroadcastRecord?) {
        let (store, gateway) = (context.store, context.gateway)
        table.ask(about: job) { [eventStore] () throws(StoreError) in
            if let record {
                try await eventStore.events.publishFinished(record, order.activity)
            }
            try await store.jobs.remove(job, as: gateway)
        } then: { [self] result in
            if case .success = result { return table.removed(job) }
            table.again(job) { self.finishTelling(job, order, record) }
        }
    }

    /// Publishes the event of a Live Activity that was ended late.
    func tellLateEnd(_ run: BroadcastRun) {
        guard case .slot(let slot) = run.ticket.part else { return table.discard(run.ticket) }
        let (job, order) = (run.ticket, run.order)
        table.ask(about: job) { [eventStore] () throws(StoreError) in
            try await eventStore.events.publishLateEnd(order, slot: slot)
        } then: { [self] result in
            if case .success = result { return table.discard(job) }
            table.again(job) { self.tellLateEnd(run) }
        }
    }
}
