import GatewayStore
import TimeCore

/// An update that is being sent at once, from its recording on.
final class DirectRun {
    let order: BroadcastOrder
    let hold: String
    let startedAt: WallTime
    let pageLength: Int
    let rate: Admission.Rate?
    var outcome: PageOutcome?
    private var completion: (@Sendable (JobWorker.DirectResult) -> Void)?
    /// Holds its place among the broadcasts that have not ended.
    let place: WaitingBroadcasts.Hold

    init(
        _ begun: StoredDirect.Begun, hold: String, startedAt: WallTime, place: WaitingBroadcasts.Hold,
        completion: @escaping @Sendable (JobWorker.DirectResult) -> Void
    ) {
        order = begun.order
        pageLength = begun.pageLength
        rate = begun.rate
        self.hold = hold
        self.startedAt = startedAt
        self.place = place
        self.completion = completion
    }

    /// True until the caller has an answer.
    var isAwaited: Bool { completion != nil }

    func answer(_ result: JobWorker.DirectResult) {
        completion?(result)
        completion = nil
    }
}

/// The updates that are being sent at once, with their holds at the store. On the reactor.
final class DirectRuns {
    private let store: GatewayStore
    private var runs: [JobTicket: DirectRun] = [:]

    init(_ store: GatewayStore) { self.store = store }

    subscript(job: JobTicket) -> DirectRun? { runs[job] }

    func began(_ direct: DirectRun, _ job: JobTicket) { runs[job] = direct }

    func ended(_ job: JobTicket) { runs[job] = nil }

    /// The job is another gateway's.
    func left(_ job: JobTicket) {
        guard let direct = runs.removeValue(forKey: job) else { return }
        direct.answer(.underWay(direct.order, direct.rate))
    }

    /// Renews the holds of jobs of a shard. Handed over, others may take them at once, by the jobs that they get.
    func renew(
        _ jobs: [JobTicket], shard: Int, areHandedOver: Bool,
        completion: @escaping (Result<[JobTicket], StoreError>) -> Void
    ) {
        let held = jobs.compactMap { job in runs[job].map { (job, $0.hold) } }
        store.direct.renew(held, shard: shard, areHandedOver: areHandedOver, completion: completion)
    }
}
