import EventCore
public import GatewayStore
import LiveActivity
import NIOPosix
import ShareCore
import TimeCore

/// Delivers the events of the tenants that this gateway has leased. Polls for due events, sends them, and records the
/// outcomes. Each tenant belongs to one gateway at a time.
public actor WebhookDispatcher {
    let store: GatewayStore
    let options: WebhookOptions
    private let client: ReceiverClient
    private let gateway = UniqueID.random()
    private var receivers: [ReceiverName: Receiver] = [:]
    private var held: Set<String> = []
    /// The deliveries in progress, by tenant. A tenant with slow receivers leaves some to others.
    private var shares: FairShares<String>
    /// The number of times that due events waited for a share.
    private var waits: UInt64 = 0
    private var isStopping = false
    private var ticks = 0
    private var watch: DeliveryWatch
    private var news: NewsPage?
    private var loop: Task<Void, Never>?
    private let metrics = WebhookMetrics()

    /// A webhook of a tenant.
    struct ReceiverName: Hashable {
        let tenantID: String
        let webhook: String
    }

    /// The state of a receiver on this gateway.
    struct Receiver {
        var health: ReceiverHealth
        /// Events in delivery.
        var underWay: Set<String> = []
        var isBeingFed = false
        /// The time of the last attempt.
        var triedAt: MonotonicTime?

        var isInUse: Bool { isBeingFed || !underWay.isEmpty }

        /// True if it was tried recently, so that this state is current. For other receivers, which may be deleted, the
        /// store's state suffices.
        func isRemembered(_ now: MonotonicTime) -> Bool {
            triedAt.map { now - $0 < WebhookDispatcher.longestPause } ?? false
        }
    }

    /// One thread suffices for the small traffic.
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    /// The number of polls after which the list of tenants with webhooks is read. News causes an earlier read.
    private static let tenantsEvery = 4
    private static let tenantsAtOnce = 16
    /// Longer than any pause between probes of a failing receiver with a webhook and an event.
    private static let longestPause = TimeInterval.seconds(900)
    /// The pauses between tries to record an outcome.
    private static let settlingPauses = Backoff(first: .milliseconds(200), longest: .seconds(1))

    /// Creates a dispatcher, which does nothing before `start`.
    /// - Parameter store: A store with a connection that is separate from that of pushes.
    public init(store: GatewayStore, options: WebhookOptions) throws {
        self.store = store
        self.options = options
        watch = DeliveryWatch(ticksForQuiet: options.sweep)
        shares = FairShares(ShareRule(capacity: options.concurrency, quantum: ReceiverHealth.concurrency))
        client = try ReceiverClient(options, on: WebhookDispatcher.group)
    }

    /// Begins to deliver. Without a key for secrets it does nothing, and other gateways may deliver.
    public func start() {
        guard loop == nil, !isStopping, options.policy.secrets != nil else { return }
        let pause = Duration.nanoseconds(options.period.nanoseconds)
        loop = Task { [weak self] in
            while !Task.isCancelled {
                await self?.look()
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// Begins no further delivery, waits up to two seconds for those in progress, and releases the tenants.
    public func stop() async {
        isStopping = true
        loop?.cancel()
        await loop?.value
        for _ in 0..<100 where shares.used > 0 { try? await Task.sleep(for: .milliseconds(20)) }
        client.close()
        for tenantID in held { try? await store.webhooks.releaseDeliveries(of: tenantID, as: gateway) }
        held = []
    }

    /// Trusts the authorities of this file (PEM) besides the system's, from the next connection on. Throws if it is
    /// unusable; the earlier authorities then remain.
    public nonisolated func trust(_ caFile: String?) throws {
        try client.trust(caFile)
    }

    // MARK: Polling

    private func look() async {
        ticks += 1
        let page = try? await store.webhookNews.read()
        let changes = page?.changes(since: news, places: store.webhookNews.places) ?? []
        if ticks % WebhookDispatcher.tenantsEvery == 1 || !changes.isEmpty {
            guard let tenants = try? await store.webhooks.tenantsWithWebhooks() else { return }
            let all = Set(tenants)
            held.formIntersection(all)
            let now = MonotonicTime.now()
            receivers = receivers.filter { name, receiver in
                receiver.isInUse || all.contains(name.tenantID) && receiver.isRemembered(now)
            }
            watch.known(all) { store.webhookNews.place(of: $0) }
        }
        if let page { news = page }
        watch.heard(of: changes)
        let due = watch.wanted(ticks, now: store.wallClock(), hearsNews: page != nil)
        for start in stride(from: 0, to: due.count, by: WebhookDispatcher.tenantsAtOnce) {
            await withTaskGroup(of: Void.self) { group in
                for tenantID in due[start..<min(due.count, start + WebhookDispatcher.tenantsAtOnce)] {
                    group.addTask { await self.look(tenantID) }
                }
            }
        }
    }

    private func look(_ tenantID: String) async {
        guard !isStopping else { return }
        guard let look = try? await store.webhooks.findDeliveries(of: tenantID, as: gateway, lease: options.lease)
        else { return watch.looked(tenantID, nil) }
        switch look {
        case .elsewhere:
            held.remove(tenantID)
            watch.looked(tenantID, .elsewhere)
        case .here(let webhooks, let next) where webhooks.isEmpty:
            held.remove(tenantID)
            watch.looked(tenantID, .quiet(next: next))
        case .here(let webhooks, _):
            held.insert(tenantID)
            watch.looked(tenantID, .due)
            for webhook in webhooks { await feed(ReceiverName(tenantID: tenantID, webhook: webhook), isDue: true) }
        }
    }

    /// The use of the resources that tenants share here: deliveries and name lookups.
    public func usage() async -> (deliveries: WebhookUse, lookups: WebhookUse) {
        let deliveries = WebhookUse(capacity: shares.rule.capacity, used: shares.used, waits: waits)
        return (deliveries, await client.lookupUse)
    }

    /// The counters, and the number of failing receivers.
    public func snapshot() -> WebhookSnapshot {
        let now = MonotonicTime.now()
        return metrics.snapshot(
            failing: receivers.values.count { receiver in
                receiver.health.isProbing && receiver.isRemembered(now)
            })
    }

    /// Begins as many deliveries to a receiver as there is room for.
    /// - Parameter isDue: True if an event is surely due.
    private func feed(_ name: ReceiverName, isDue: Bool = false) async {
        guard !isStopping, held.contains(name.tenantID), receivers[name]?.isBeingFed != true else { return }
        let isNew = receivers[name] == nil
        let known = receivers[name]?.health ?? ReceiverHealth()
        let ongoing = receivers[name]?.underWay ?? []
        let wanted = known.room(underWay: ongoing.count, now: store.wallClock())
        var room = 0
        while room < wanted, shares.take(1, for: name.tenantID) { room += 1 }
        if room == 0, wanted > 0, isDue { waits += 1 }
        var begun = 0
        defer { shares.gaveBack(room - begun, by: name.tenantID) }
        receivers[name, default: Receiver(health: known)].isBeingFed = true
        let taken = try? await store.webhooks.takeDeliveries(
            ofWebhook: name.webhook, name.tenantID, limit: room, underWay: Array(ongoing))
        receivers[name]?.isBeingFed = false
        guard let taken, taken.webhook.isEnabled, !isStopping else { return }
        // The store has the results of other gateways, and a customer's change resets them.
        if isNew || taken.webhook.failures == 0 && known.failures > 0 && ongoing.isEmpty {
            receivers[name]?.health = ReceiverHealth(failures: taken.webhook.failures)
        }
        let isProbing = receivers[name]?.health.isProbing ?? false
        for delivery in taken.deliveries.prefix(isProbing ? 1 : room)
        where receivers[name]?.underWay.contains(delivery.event.id) == false {
            receivers[name]?.underWay.insert(delivery.event.id)
            begun += 1
            Task { await self.deliver(delivery, taken.webhook, name) }
        }
    }

    // MARK: Delivering

    private func deliver(_ delivery: Delivery, _ webhook: Webhook, _ name: ReceiverName) async {
        let (at, begin) = (store.wallClock(), MonotonicTime.now())
        guard let reply = await send(delivery, webhook, name.tenantID) else {
            // The event is still due, so the next poll takes it again.
            ended(delivery, name)
            return
        }
        let attempt = DeliveryAttempt(
            at: at, duration: MonotonicTime.now() - begin, status: reply.status, answer: reply.beginning,
            failure: reply.failure)
        receivers[name]?.triedAt = MonotonicTime.now()
        let outcome = classify(reply.verdict, delivery, name)
        metrics.tried(attempt, outcome, of: delivery, now: store.wallClock())
        // If this fails, the event is still due, and delivered once more.
        for failures in 1...3 {
            if (try? await store.webhooks.settle(
                delivery, outcome, attempt, ofWebhook: name.webhook, name.tenantID))
                != nil
            {
                break
            }
            try? await Task.sleep(for: WebhookDispatcher.settlingPauses.pause(after: failures).duration)
        }
        ended(delivery, name)
        await feed(name)
    }

    private func ended(_ delivery: Delivery, _ name: ReceiverName) {
        receivers[name]?.underWay.remove(delivery.event.id)
        shares.gaveBack(1, by: name.tenantID)
    }

    /// Returns nil if nothing was tried.
    private func send(_ delivery: Delivery, _ webhook: Webhook, _ tenantID: String) async -> ReceiverReply? {
        let now = store.wallClock()
        let url: ReceiverURL
        do {
            url = try options.policy.url(webhook.url)
        } catch {
            return ReceiverReply(.url, "the URL \(error.reason)")
        }
        let body = delivery.event.body
        let content = SignedContent.bytes(id: delivery.event.id, timestamp: now.seconds, body: body)
        func signatures(_ secret: [UInt8]) -> [String]? {
            options.policy.secrets?.signatures(of: content, by: [secret], tenantID: tenantID, webhook: webhook.id)
        }
        guard var signed = signatures(webhook.secret) else {
            return ReceiverReply(.secret, "this gateway's key does not decrypt the secret")
        }
        // A former secret that cannot be decrypted is skipped, because the receiver has the new one.
        for former in webhook.secrets(at: now).dropFirst() { signed += signatures(former) ?? [] }
        let headers = [
            ("Content-Type", "application/json"), ("User-Agent", "Fanfare-Webhooks"),
            ("webhook-id", delivery.event.id), ("webhook-timestamp", String(now.seconds)),
            ("webhook-signature", SignedContent.header(signed)),
        ]
        return await client.post(body, headers: headers, to: url, ofTenant: tenantID)
    }

    private func classify(_ verdict: Verdict, _ delivery: Delivery, _ name: ReceiverName) -> DeliveryOutcome {
        let now = store.wallClock()
        switch verdict {
        case .delivered:
            receivers[name]?.health.delivered()
            return .delivered
        case .gone:
            receivers[name]?.health.failed(now: now, jitter: 0)
            return .gone(error: "answered 410")
        case .failed(let failure, let retryAfter):
            receivers[name]?.health.failed(now: now, retryAfter: retryAfter, jitter: .random(in: 0..<1))
            let next = RetrySchedule.next(
                afterAttempts: delivery.attempts + 1, since: delivery.since, now: now, retryAfter: retryAfter,
                jitter: .random(in: 0..<1))
            return next.map { .later(at: $0, error: failure.text) } ?? .dead(error: failure.text)
        }
    }
}
