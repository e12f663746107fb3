import Broadcasts
import Feeds
import GatewayAPI
import GatewayStore
import Logging
import Reactor
import TimeCore
import Tracing
import Webhooks

/// The parts of a gateway behind its listeners.
struct GatewayParts: Sendable {
    let options: GatewayOptions
    /// The settings for requests, with bounds that follow from other options.
    let api: APISettings
    let reactor: Reactor
    let storage: GatewayStorage
    let providers: ProviderWiring
    let jobs: JobWorker
    let feeds: FeedPollers
    let audit: AuditLog
    let readiness: ReadinessBoard
    let isStopping: StopFlag
    let logger: Logger

    var store: GatewayStore { storage.store }
    var clock: @Sendable () -> WallTime { storage.clock }

    init(
        _ options: GatewayOptions, _ reactor: Reactor, _ steps: StartSteps, _ logger: Logger
    ) async throws {
        self.options = options
        self.reactor = reactor
        self.logger = logger
        isStopping = StopFlag()
        api = GatewayParts.settings(options)
        let storage = try await GatewayStorage.open(options, reactor, steps, logger)
        self.storage = storage
        let sharedTokens = StoredProviderTokens(storage.store) { account in
            logger.warning(
                "shared provider token from another key, using own token",
                metadata: account.metadata.merging([
                    "remedy": "configure the same key on all gateways (apns.key_file, or fcm.service_account_file)"
                ]) { $1 })
        }
        providers = try ProviderWiring(
            options, reactor, storage.store, sharedTokens: sharedTokens, logger: logger)
        let jobs = GatewayParts.jobs(options, reactor, storage, providers.apps, logger)
        self.jobs = jobs
        for client in providers.clients { PushClientLog.attach(to: client, logger) }
        for sender in providers.android { SendQuotaLog.attach(to: sender, logger) }
        let feeds = try FeedPollers(
            options.feeds, store: storage.store,
            receiver: TopicIntake(store: storage.store, jobs: jobs, settings: options.api, clock: storage.clock),
            logger: logger)
        self.feeds = feeds
        readiness = ReadinessBoard()
        readiness.add { storage.watch.reasons }
        readiness.add { [storage.sealing.reason].compactMap { $0 } }
        readiness.add { jobs.pauses.map(ReadinessReason.init) }
        readiness.add { feeds.snapshots.compactMap { ReadinessReason($0, now: storage.clock()) } }
        let audit = AuditLog(
            file: options.auditFile.map { AuditFile(path: $0) }, store: storage.events.store, logger: logger)
        self.audit = audit
        await audit.open()
        steps.begun { await audit.stop() }
    }

    private static func settings(_ options: GatewayOptions) -> APISettings {
        var settings = options.api
        settings.webhooks = options.webhooks.policy
        settings.bodyDeadlineWhenStopping = TimeInterval(
            nanoseconds: requestTime(of: options.shutdownTimeout).nanoseconds - timeToRead.nanoseconds)
        return settings
    }

    private static func jobs(
        _ options: GatewayOptions, _ reactor: Reactor, _ storage: GatewayStorage, _ apps: AppDirectory, _ logger: Logger
    ) -> JobWorker {
        let log = BroadcastLog(logger: logger)
        let traces = BroadcastTraces(InstrumentationSystem.tracer)
        var settings = options.jobs
        settings.maximumBroadcasts = options.api.maximumBroadcasts
        settings.requiredTier = options.api.requiredTier
        return JobWorker(
            store: storage.store, eventStore: storage.events.store, reactor: reactor, apps: apps, settings: settings,
            onEvent: { event in
                log.write(event)
                traces?.write(event)
            })
    }

    /// The time for unfinished request bodies during a stop: the part that broadcasts leave. A stop without late bodies
    /// needs none of it.
    static func requestTime(of shutdownTimeout: TimeInterval) -> TimeInterval {
        max(.seconds(2), TimeInterval(nanoseconds: shutdownTimeout.nanoseconds / 4))
    }

    /// The part of that time in which a client can read the answer to its incomplete body.
    private static let timeToRead = TimeInterval.milliseconds(1250)

    /// Starts what works without a request.
    func start() async {
        jobs.start()
        await storage.events.start()
        for keeper in providers.channelKeepers { keeper.start() }
        feeds.start()
        if options.triesCredentials { CredentialTrial.begin(providers.probes, logger) }
    }
}
