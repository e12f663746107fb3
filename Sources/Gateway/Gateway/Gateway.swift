import APNs
import Broadcasts
import ConnectionCore
import Delivery
import Feeds
public import GatewayAPI
public import GatewayStore
public import Logging
import PushClient
import Reactor
import RedisClient
import ServiceLifecycle
import TimeCore
import Tracing
import Webhooks

/// A running gateway: HTTP in front, Redis behind, the provider at the far end, all wired.
public final class Gateway: Sendable {
    /// The port of the API.
    public let port: Int
    /// The port of `/metrics`. Nil without metrics.
    public let metricsPort: Int?
    /// The port of the separate listener for `/health/*`. Nil without one.
    public let healthPort: Int?
    /// The port of the console. Nil without a console.
    public let consolePort: Int?
    /// The gateway's own store. `stop` shuts it down.
    public let store: GatewayStore
    /// All endpoints that the gateway serves.
    public let endpoints: EndpointTable

    private let reactor: Reactor
    private let redis: RedisClient
    private let events: GatewayEvents
    private let storeWatch: StoreWatch
    private let sealingWatch: SealingWatch
    let clients: [PushClient]
    let credentials: ClientCredentials
    let probes: [(client: PushClient, probe: ProbePush)]
    private let channelKeepers: [ChannelKeeper]
    let jobs: JobWorker
    let updates: DirectUpdates
    private let feeds: FeedPollers
    private let audit: AuditLog
    private let stopFlag: StopFlag
    private let server: ServiceGroup
    private let serving: Task<Void, any Error>
    private let trimming: Task<Void, Never>
    private let tls: ListenerTLS?
    private let tlsLooking: Task<Void, Never>?
    private let shutdownTimeout: TimeInterval
    let logger: Logger

    /// Starts to listen. Redis and the provider may still be down: the gateway answers 503 until the store is there.
    public static func start(_ options: GatewayOptions, logger: Logger) async throws -> Gateway {
        let reactor = try Reactor(name: "fanfare-io")
        let steps = StartSteps()
        steps.begun { reactor.stop() }
        do {
            return try await Gateway(options, reactor, steps, logger)
        } catch {
            await steps.takeBack()
            throw error
        }
    }

    private init(
        _ options: GatewayOptions, _ reactor: Reactor, _ steps: StartSteps, _ logger: Logger
    ) async throws {
        self.reactor = reactor
        self.logger = logger
        shutdownTimeout = options.shutdownTimeout
        let tls = try options.tls.map { try ListenerTLS($0, logger: logger) }
        self.tls = tls
        var redisOptions = RedisClientOptions()
        redisOptions.commandDeadline = options.redisTimeout
        redisOptions.scripts = GatewayStore.scripts
        redisOptions.rights = GatewayStore.rights
        redisOptions.replicasToWait = options.replicasToWait
        redisOptions.replicaMark = GatewayStore.commitMark
        let refusals = RefusalLog(logger)
        redisOptions.refused = { refusals.refused($0, $1) }
        let (redisChanges, redisChanged) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        redisOptions.rightsChanged = { _ in redisChanged.yield() }
        redisOptions.stateChanged = { state in
            switch state {
            case .disconnected(_, let reason):
                logger.warning(
                    "Redis connection lost",
                    metadata: [
                        "reason": "\(reason)",
                        "remedy": "run fanfare doctor; the gateway connects again automatically",
                    ])
            case .connected:
                logger.info("Redis connected")
                redisChanged.yield()
            case .connecting, .shutDown: break
            }
        }
        redis = RedisClient(reactor: reactor, endpoint: options.redis, options: redisOptions)
        steps.begun { [redis] in await redis.shutdown() }
        let storeClock =
            options.clock == nil
            ? StoreClock(
                maximumSkew: options.surveillance.maximumClockSkew, local: options.surveillance.machineClock) : nil
        let clock: @Sendable () -> WallTime = options.clock ?? { storeClock?.now ?? WallTime.now() }
        store = GatewayStore(
            redis: redis, wallClock: clock, lifetime: options.lifetime, minimumInterval: options.minimumInterval,
            updateBudget: options.updateBudget, maximumPerDevice: options.maximumPerDevice, events: options.events,
            sealer: try Gateway.sealer(options), identity: options.identitySecrets,
            reportLife: storeClock == nil ? nil : GatewayStore.reportLife,
            clockBounds: { storeClock?.bounds ?? ClockBounds(clock()) },
            clockState: { storeClock?.state ?? .trusted })
        events = try GatewayEvents(options, clock: clock, refused: { refusals.refused($0, $1) })
        steps.begun { [events] in await events.stop() }
        let watch = StoreWatch(
            store: store, clients: [redis, events.redis], clock: storeClock, settings: options.surveillance,
            logger: logger)
        storeWatch = watch
        steps.begun { watch.stop() }
        try await watch.settleLayout()
        watch.start(onChange: redisChanges)
        if options.surveillance.rule == .strict { try await watch.confirm() }
        let readiness = ReadinessBoard()
        readiness.add { watch.reasons }
        let sealing = SealingWatch(
            store: store, secrets: options.webhooks.policy.secrets, key: options.sealingKey,
            settings: options.surveillance, logger: logger)
        sealingWatch = sealing
        steps.begun { sealing.stop() }
        await sealing.start(patience: .seconds(1))
        readiness.add { [sealing.reason].compactMap { $0 } }
        let sharedTokens = StoredProviderTokens(store) { account in
            logger.warning(
                "shared provider token from another key, using own token",
                metadata: account.metadata.merging([
                    "remedy": "configure the same key on all gateways (apns.key_file, or fcm.service_account_file)"
                ]) { $1 })
        }
        let providers = try ProviderWiring(options, reactor, store, sharedTokens: sharedTokens, logger: logger)
        channelKeepers = providers.channelKeepers
        clients = providers.clients
        credentials = providers.credentials
        probes = providers.probes
        let log = BroadcastLog(logger: logger)
        let traces = BroadcastTraces(InstrumentationSystem.tracer)
        var jobSettings = options.jobs
        jobSettings.maximumBroadcasts = options.api.maximumBroadcasts
        jobSettings.requiredTier = options.api.requiredTier
        jobs = JobWorker(
            store: store, eventStore: events.store, reactor: reactor,
            apps: providers.apps, settings: jobSettings,
            onEvent: { event in
                log.write(event)
                traces?.write(event)
            })
        readiness.add { [jobs] in jobs.pauses.map(ReadinessReason.init) }
        for client in clients { PushClientLog.attach(to: client, logger) }
        for sender in providers.android { SendQuotaLog.attach(to: sender, logger) }
        let stopFlag = StopFlag()
        self.stopFlag = stopFlag
        let isStopping: @Sendable () -> Bool = { stopFlag.isSet }
        let shares = GatewayShares(options.api)
        let descriptors = DescriptorLimit.raise()
        let budget = DescriptorBudget(options, limit: descriptors)
        budget.write(to: logger, limit: descriptors)
        let connections = Listener.connections(options.connections, maximum: budget.connections)
        let requestTime = Gateway.requestTime(of: shutdownTimeout)
        var apiSettings = options.api
        apiSettings.webhooks = options.webhooks.policy
        apiSettings.bodyDeadlineWhenStopping = TimeInterval(
            nanoseconds: requestTime.nanoseconds - Gateway.timeToRead.nanoseconds)
        let requests = RequestMetrics()
        let pollers = try FeedPollers(
            options.feeds, store: store,
            receiver: TopicIntake(store: store, jobs: jobs, settings: options.api, clock: clock), logger: logger)
        feeds = pollers
        readiness.add { pollers.snapshots.compactMap { ReadinessReason($0, now: clock()) } }
        let audit = AuditLog(
            file: options.auditFile.map { AuditFile(path: $0) }, store: events.store, logger: logger)
        self.audit = audit
        await audit.open()
        steps.begun { await audit.stop() }
        let updates = DirectUpdates(
            store: store, jobs: jobs, settings: apiSettings, clock: clock, requestMetrics: requests, audit: audit,
            logger: logger, isStopping: isStopping)
        self.updates = updates
        let reports = DeviceReports(
            store: store, jobs: jobs, settings: apiSettings, shares: shares, updates: updates, logger: logger,
            isStopping: isStopping)
        let metrics = GatewayMetrics(
            clients: clients, channels: channelKeepers, feeds: pollers, redis: redis, storeWatch: watch,
            quotaRefusals: store.quotaRefusals, jobs: jobs,
            requests: requests,
            reports: reports, shares: shares, events: events, connections: connections, audit: audit, tls: tls,
            build: options.build)
        let isOnMainListener = options.metrics.isEnabled && options.metrics.port == nil
        let page: MetricSource = { await metrics.page($0) }
        let router = GatewayRouter(
            store: store, jobs: jobs, settings: apiSettings, shares: shares, clock: clock, requestMetrics: requests,
            metrics: isOnMainListener ? page : nil, readiness: readiness, audit: audit, updates: updates,
            logger: logger, isStopping: isStopping)
        endpoints = router.endpoints
        let main = Listener.main(router, reports, connections, tls, options, logger)
        let metricsListener =
            options.metrics.isEnabled
            ? options.metrics.port.map {
                Listener.watching(
                    MetricsRouter(metrics: page).responder(),
                    Listener.Place(host: options.metrics.host, port: $0, section: "metrics"), logger)
            } : nil
        let health = HealthRouter(store: store, readiness: readiness, isStopping: isStopping)
        let healthListener = options.health.port.map {
            Listener.watching(
                health, Listener.Place(host: options.health.host, port: $0, section: "health"), logger)
        }
        let consoleTLS = options.console.isLocal ? nil : tls
        let console = ConsoleRouter(
            router, store: store, settings: apiSettings, shares: shares,
            gateway: ConsoleGateway(
                readiness: readiness, metrics: page, version: options.build.version, commit: options.build.commit),
            host: options.console.host, isEncrypted: consoleTLS != nil)
        let consoleListener = options.console.port.map { [store, jobs] in
            // Devices report nothing there, so it has none of those that answer them.
            Listener.console(
                console,
                DeviceReports(
                    store: store, jobs: jobs, settings: apiSettings, shares: shares, logger: logger,
                    isStopping: isStopping),
                consoleTLS, Listener.Place(host: options.console.host, port: $0, section: "console"),
                options, logger)
        }
        let listeners = [main, metricsListener, healthListener, consoleListener].compactMap { $0 }
        server = ServiceGroup(configuration: Gateway.serviceConfiguration(listeners, requestTime, logger))
        serving = Task { [server] in try await server.run() }
        var ports: [String: Int] = [:]
        for listener in listeners {
            guard let port = await listener.port() else {
                // The server ended before it listened; its error says why.
                try await serving.value
                throw CancellationError()
            }
            ports[listener.place.section] = port
        }
        port = ports[main.place.section] ?? options.port
        metricsPort = ports["metrics"] ?? (isOnMainListener ? port : nil)
        healthPort = ports["health"]
        consolePort = ports["console"]
        trimming = Task { await HeapMemory.keepTrimming() }
        tlsLooking = tls.map { tls in Task { await tls.keepLooking() } }
        jobs.start()
        await events.start()
        for keeper in channelKeepers { keeper.start() }
        feeds.start()
        if options.triesCredentials {
            CredentialTrial.begin(providers.probes, logger)
        }
    }

    /// Reads the listener's certificate anew now, rather than within the seconds in which a change is seen; nothing
    /// without one. A pair that cannot be used leaves the one before it in force, and the log says why.
    public func readCertificate() {
        tls?.look(isAsked: true)
    }

    /// Answers true as soon as the thread that sends pushes and speaks to Redis has come to it; not before.
    public func isResponsive() async -> Bool {
        await reactor.call(stopped: true) { $0(true) }
    }

    /// Receivers' certificates are checked against those of this file (PEM), beside the system's, from the next
    /// connection on. Throws when it cannot be used; those before stay then.
    public func trustReceivers(_ caFile: String?) throws {
        try events.trust(caFile)
    }

    /// Returns when the server has ended by itself.
    public func run() async throws {
        try await serving.value
    }

    /// Stops in order. Refuses new work (503 `SHUTTING_DOWN`), finishes the pages in progress, and hands the rest of
    /// the broadcasts over. Then answers the waiting requests and closes everything.
    public func stop() async {
        stopFlag.set()
        trimming.cancel()
        tlsLooking?.cancel()
        storeWatch.stop()
        sealingWatch.stop()
        async let delivered: Void = events.stopDelivering()
        await feeds.stop()
        await withDiscardingTaskGroup { group in
            for keeper in channelKeepers { group.addTask { await keeper.stop() } }
        }
        await jobs.reachCheckpoint(within: TimeInterval(nanoseconds: shutdownTimeout.nanoseconds / 8))
        // Pushes without an answer at that time are recorded as unanswered.
        let deadline = TimeInterval(nanoseconds: shutdownTimeout.nanoseconds / 2)
        await withDiscardingTaskGroup { group in
            for client in clients { group.addTask { await client.shutdown(deadline: deadline) } }
        }
        await jobs.stop(within: TimeInterval(nanoseconds: shutdownTimeout.nanoseconds / 8))
        await server.triggerGracefulShutdown()
        _ = try? await serving.value
        await delivered
        await audit.stop()
        await events.stop()
        await store.shutdown()
        await redis.shutdown()
        reactor.stop()
        logger.info("stopped")
    }

    private static func serviceConfiguration(
        _ services: [Listener], _ requestTime: TimeInterval, _ logger: Logger
    ) -> ServiceGroupConfiguration {
        var configuration = ServiceGroupConfiguration(services: services, logger: logger)
        // All requests have their answers by then. Only connections are left that no client closes.
        configuration.maximumGracefulShutdownDuration = .nanoseconds(Int64(clamping: requestTime.nanoseconds))
        return configuration
    }

    /// The time for unfinished request bodies during a stop: the part that broadcasts leave. A stop without late bodies
    /// needs none of it.
    static func requestTime(of shutdownTimeout: TimeInterval) -> TimeInterval {
        max(.seconds(2), TimeInterval(nanoseconds: shutdownTimeout.nanoseconds / 4))
    }

    /// The part of that time in which a client can read the answer to its incomplete body.
    private static let timeToRead = TimeInterval.milliseconds(1250)
}
