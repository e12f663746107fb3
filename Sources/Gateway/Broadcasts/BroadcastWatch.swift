import GatewayStore
import LiveActivity
import Reactor
import TimeCore

/// The waiters for the ends of broadcasts, on this or other gateways. On the reactor.
final class BroadcastWatch {
    typealias Completion = @Sendable (BroadcastRecord?) -> Void

    private struct Waiter {
        let activity: UniqueID
        let deadline: MonotonicTime
        let completion: Completion
    }

    private let store: GatewayStore
    private let reactor: Reactor
    private var waiters: [UniqueID: [Waiter]] = [:]
    private var timer: ReactorTimer?

    /// The pause between polls of the store for broadcasts of other gateways.
    private static let period = TimeInterval.milliseconds(100)

    init(store: GatewayStore, reactor: Reactor) {
        self.store = store
        self.reactor = reactor
    }

    /// Calls `completion` once, on any thread, with the record at the broadcast's end or at the deadline; nil if the
    /// store is unavailable.
    func wait(
        for id: UniqueID, in activity: UniqueID, until deadline: MonotonicTime, _ completion: @escaping Completion
    ) {
        waiters[id, default: []].append(Waiter(activity: activity, deadline: deadline, completion: completion))
        schedule()
    }

    /// Completes the waiters of a broadcast that ended here.
    func ended(_ record: BroadcastRecord) {
        for waiter in waiters.removeValue(forKey: record.id) ?? [] { waiter.completion(record) }
    }

    /// Completes all waiters with the current records.
    func stop() {
        let all = waiters
        waiters = [:]
        for (id, list) in all { tell(list, of: id) }
    }

    private func schedule() {
        guard timer == nil, !waiters.isEmpty else { return }
        let first = waiters.values.joined().map(\.deadline).min() ?? reactor.now
        timer = reactor.schedule(at: min(first, reactor.now + BroadcastWatch.period)) { [weak self] in
            self?.timer = nil
            self?.look()
        }
    }

    private func look() {
        let now = reactor.now
        for (id, list) in waiters {
            let late = list.filter { $0.deadline <= now }
            if !late.isEmpty {
                waiters[id] = late.count == list.count ? nil : list.filter { $0.deadline > now }
                tell(late, of: id)
            }
            guard let waiter = waiters[id]?.first else { continue }
            store.jobs.readState(of: id, in: waiter.activity) { [weak self] state in
                guard let self, case .success(let state) = state, state?.isFinal ?? true else { return }
                tell(waiters.removeValue(forKey: id) ?? [], of: id)
            }
        }
        schedule()
    }

    private func tell(_ list: [Waiter], of id: UniqueID) {
        guard let activity = list.first?.activity else { return }
        Task { [store] in
            let record = try? await store.broadcasts.broadcast(id, in: activity)
            for waiter in list { waiter.completion(record) }
        }
    }
}
