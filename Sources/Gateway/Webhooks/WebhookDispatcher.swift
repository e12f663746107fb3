import EventCore
public import GatewayStore
import LiveActivity
import NIOPosix
import ShareCore
import TimeCore

/// Delivers the events of all tenants whose turn is this gateway's: looks for what is due, sends it, and writes down
/// what became of it. Any number of gateways may do so; each tenant is one gateway's at a time.
public actor WebhookDispatcher {
    let store: GatewayStore
    let options: WebhookOptions
    private let client: ReceiverClient
    private let gateway = UniqueID.random()
    private var receivers: [ReceiverName: Receiver] = [:]
    private var held: Set<String> = []
    /// Deliveries under way, by tenant: one whose receivers are slow leaves some to others.
    private var shares: FairShares<String>
    /// How often events that were due had to wait for a share.
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

    /// What is known of a receiver here.
    struct Receiver {
        var health: ReceiverHealth
        /// Events that are being delivered.
        var underWay: Set<String> = []
        var isBeingFed = false
        /// When an event was last tried.
        var triedAt: MonotonicTime?

        var isInUse: Bool { isBeingFed || !underWay.isEmpty }

        /// Whether it was tried so lately that it is known how it does. Of others the store knows enough, and they may
        /// be gone.
        func isRemembered(_ now: MonotonicTime) -> Bool {
            triedAt.map { now - $0 < WebhookDispatcher.longestPause } ?? false
        }
    }

    /// One thread: it moves few bytes, and has time.
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    /// Who has webhooks at all is asked in each so many looks, and whenever there is news.
    private static let tenantsEvery = 4
    private static let tenantsAtOnce = 16
    /// A receiver that fails is probed more often than that, as long as there is a webhook and an event for it.
    private static let longestPause = TimeInterval.seconds(900)

    /// Does nothing before `start`.
    /// - Parameter store: one whose connection has time: not that of pushes.
    public init(store: GatewayStore, options: WebhookOptions) throws {
        self.store = store
        self.options = options
        watch = DeliveryWatch(ticksForQuiet: options.sweep)
        shares = FairShares(ShareRule(capacity: options.concurrency, quantum: ReceiverHealth.concurrency))
        client = try ReceiverClient(options, on: WebhookDispatcher.group)
    }

    /// Begins to deliver. Without a key for the secrets nothing is, and other gateways may.
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

    /// Begins no further delivery, waits for those under way for two seconds at most, and lets other gateways go on.
    public func stop() async {
        isStopping = true
        loop?.cancel()
        await loop?.value
        for _ in 0..<100 where shares.used > 0 { try? await Task.sleep(for: .milliseconds(20)) }
        client.close()
        for tenantID in held { try? await store.webhooks.releaseDeliveries(of: tenantID, as: gateway) }
        held = []
    }

    /// Trusts the authorities of this file (PEM), beside the system's, from the next connection on. Throws when it
    /// cannot be used; those before stay then.
    public nonisolated func trust(_ caFile: String?) throws {
        try client.trust(caFile)
    }

    // MARK: Looking

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

    /// What tenants share here: deliveries, and look-ups of names.
    public func usage() async -> (deliveries: WebhookUse, lookups: WebhookUse) {
        let deliveries = WebhookUse(capacity: shares.rule.capacity, used: shares.used, waits: waits)
        return (deliveries, await client.lookupUse)
    }

    /// What was counted, and how many receivers fail now.
    public func snapshot() -> WebhookSnapshot {
        let now = MonotonicTime.now()
        return metrics.snapshot(
            failing: receivers.values.count { receiver in
                receiver.health.isProbing && receiver.isRemembered(now)
            })
    }

    /// Begins as many deliveries to a receiver as there is room for.
    /// - Parameter isDue: whether something surely is.
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
        // What other gateways have found out; and a customer who changes a webhook begins anew.
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
            // It is due still, and taken again with the next look.
            ended(delivery, name)
            return
        }
        let attempt = DeliveryAttempt(
            at: at, duration: MonotonicTime.now() - begin, status: reply.status, answer: reply.beginning,
            failure: reply.failure)
        receivers[name]?.triedAt = MonotonicTime.now()
        let outcome = classify(reply.verdict, delivery, name)
        metrics.tried(attempt, outcome, of: delivery, now: store.wallClock())
        // Should this not succeed, the event is due still, and delivered once more.
        for retry in 0..<3 {
            if (try? await store.webhooks.settle(
                delivery, outcome, attempt, ofWebhook: name.webhook, name.tenantID))
                != nil
            {
                break
            }
            try? await Task.sleep(for: .milliseconds(200 << retry))
        }
        ended(delivery, name)
        await feed(name)
    }

    private func ended(_ delivery: Delivery, _ name: ReceiverName) {
        receivers[name]?.underWay.remove(delivery.event.id)
        shares.gaveBack(1, by: name.tenantID)
    }

    /// Nil when nothing was tried.
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
        // One that was sealed with a key that is lost holds nothing up: the receiver was given the new one in its
        // place.
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
