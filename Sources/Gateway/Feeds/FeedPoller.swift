import FeedCore
import GatewayStore
import LiveActivity
import Logging
import Reactor
import Secrets
import TimeCore

/// Polls one feed while this gateway has the lease, and looks for the lease while it has not. What is said is handed on
/// element by element; what comes of it is kept in Redis, so another gateway goes on where this one stops.
final class FeedPoller: Sendable {
    let options: FeedOptions
    let id: FeedID
    let store: StoredFeeds
    let receiver: any FeedReceiver
    let client: FeedClient
    let times: FeedTimes
    let clock: @Sendable () -> WallTime
    let hold = FeedHold()
    let shown: Locked<FeedSnapshot>
    let log: Locked<FeedLog>
    private let holder = UniqueID.random()
    private let task = Locked<Task<Void, Never>?>(nil)

    /// Throws when the feed's file of certificates cannot be read.
    init(_ options: FeedOptions, _ store: GatewayStore, _ receiver: any FeedReceiver, _ logger: Logger) throws {
        self.options = options
        self.store = store.feeds
        self.receiver = receiver
        clock = store.wallClock
        id = FeedID(tenantID: options.tenantID, url: options.url)
        times = FeedTimes(interval: options.interval)
        client = try FeedClient(options)
        shown = Locked(FeedSnapshot(options))
        log = Locked(FeedLog(options, logger))
    }

    var snapshot: FeedSnapshot { shown.withLock { $0 } }

    func start() {
        let running = Task { [self] in
            while !Task.isCancelled {
                let pause = await look()
                try? await Task.sleep(for: .nanoseconds(Int64(clamping: pause.nanoseconds)))
            }
        }
        task.withLock { $0 = running }
    }

    /// Ends what is under way, and leaves the feed to other gateways.
    func stop() async {
        let running = task.withLock { task in
            defer { task = nil }
            return task
        }
        running?.cancel()
        await running?.value
        await client.close()
        try? await store.returnLease(id, holder: holder)
    }

    /// Looks whether the feed is this gateway's, and polls it when it is due.
    /// - Returns: how long to wait before the next look.
    private func look() async -> TimeInterval {
        let pause = options.look.cut(random: UInt64.random(in: .min ... .max))
        let wasOwn = hold.counts(now: .now())
        guard let record = await renew(), hold.counts(now: .now()) else { return pause }
        if !wasOwn { log.withLock { $0.tookOver(record.state) } }
        var state = record.state
        if state.isDue(now: clock()) {
            state = await keepingTheLease { await poll(record) }
            shown.withLock { $0.state = state }
        }
        let wait = max(0, (state.dueAt ?? clock()).milliseconds - clock().milliseconds)
        return min(pause, max(.milliseconds(10), .milliseconds(Int(clamping: wait))))
    }

    /// Takes or renews the lease. Nil when the store does not answer: then it counts as long as it did.
    @discardableResult
    private func renew() async -> FeedRecord? {
        let asked = MonotonicTime.now()
        guard let (isOwn, record) = try? await store.lease(id, holder: holder, for: options.lease) else { return nil }
        // A part of it is left for what is on its way to the store when it ends.
        if isOwn { hold.renewed(asked: asked, for: options.lease.cut(jitter: 0.5)) } else { hold.lost() }
        shown.withLock {
            $0.state = record.state
            $0.isOwn = isOwn
        }
        return record
    }

    private func keepingTheLease<Value: Sendable>(_ body: () async -> Value) async -> Value {
        let renewal = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: .nanoseconds(Int64(clamping: options.look.nanoseconds)))
                if !Task.isCancelled { await renew() }
            }
        }
        defer { renewal.cancel() }
        return await body()
    }

    /// Writes down what came of a poll.
    /// - Returns: what is known from then on.
    func note(_ state: FeedState, after record: FeedRecord) async -> FeedState {
        guard let isKept = try? await store.note(state, after: record, of: id, holder: holder) else {
            // Nobody knows of it: it is polled again, not at once.
            var unknown = record.state
            unknown.failed(.store, retryAfter: nil, now: clock(), times: times, random: 0)
            return unknown
        }
        if !isKept { hold.lost() }
        return state
    }
}
