import FeedCore
import GatewayStore
import LiveActivity
import Logging
import Reactor
import Secrets
import TimeCore

/// Polls a feed while this gateway has the lease, and otherwise tries to take it. Passes the feed's elements on and
/// stores the results in Redis, so that another gateway can continue.
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

    /// Throws if the feed's file of certificates cannot be read.
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
                try? await Task.sleep(for: pause.duration)
            }
        }
        task.withLock { $0 = running }
    }

    /// Ends the work in progress, and returns the lease.
    func stop() async {
        let running = task.withLock { task in
            defer { task = nil }
            return task
        }
        running?.cancel()
        await running?.value
        client.close()
        try? await store.returnLease(id, holder: holder)
    }

    /// Takes or renews the lease, and polls the feed when due.
    /// - Returns: The time to wait before the next call.
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

    /// Takes or renews the lease. Nil if the store does not answer; then the lease counts until its end.
    @discardableResult
    private func renew() async -> FeedRecord? {
        let asked = MonotonicTime.now()
        guard let (isOwn, record) = try? await store.lease(id, holder: holder, for: options.lease) else { return nil }
        // The hold ends before the lease, so that requests in progress still arrive.
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
                try? await Task.sleep(for: options.look.duration)
                if !Task.isCancelled { await renew() }
            }
        }
        defer { renewal.cancel() }
        return await body()
    }

    /// Stores the result of a poll.
    /// - Returns: The state that counts from now on.
    func note(_ state: FeedState, after record: FeedRecord) async -> FeedState {
        guard let isKept = try? await store.note(state, after: record, of: id, holder: holder) else {
            // The result is unknown to other gateways, so the feed is polled again after a pause.
            var unknown = record.state
            unknown.failed(.store, retryAfter: nil, now: clock(), times: times, random: 0)
            return unknown
        }
        if !isKept { hold.lost() }
        return state
    }
}
