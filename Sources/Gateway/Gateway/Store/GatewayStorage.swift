import GatewayAPI
import GatewayStore
import Logging
import Reactor
import RedisClient
import TimeCore
import Webhooks

/// A gateway's Redis, with what watches it.
struct GatewayStorage: Sendable {
    let redis: RedisClient
    let store: GatewayStore
    let clock: @Sendable () -> WallTime
    let events: GatewayEvents
    let watch: StoreWatch
    let sealing: SealingWatch

    /// Redis may still be down.
    static func open(
        _ options: GatewayOptions, _ reactor: Reactor, _ steps: StartSteps, _ logger: Logger
    ) async throws -> GatewayStorage {
        let refusals = RefusalLog(logger)
        let (changes, changed) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let redis = RedisClient(
            reactor: reactor, endpoint: options.redis, options: redisOptions(options, refusals, changed, logger))
        steps.begun { await redis.shutdown() }
        let storeClock =
            options.clock == nil
            ? StoreClock(
                maximumSkew: options.surveillance.maximumClockSkew, local: options.surveillance.machineClock) : nil
        let clock: @Sendable () -> WallTime = options.clock ?? { storeClock?.now ?? WallTime.now() }
        let store = try store(options, redis, storeClock, clock)
        let events = try GatewayEvents(options, clock: clock, refused: { refusals.refused($0, $1) })
        steps.begun { await events.stop() }
        let watch = StoreWatch(
            store: store, clients: [redis, events.redis], clock: storeClock, settings: options.surveillance,
            logger: logger)
        steps.begun { watch.stop() }
        try await watch.settleLayout()
        watch.start(onChange: changes)
        if options.surveillance.rule == .strict { try await watch.confirm() }
        let sealing = SealingWatch(
            store: store, secrets: options.webhooks.policy.secrets, key: options.sealingKey,
            settings: options.surveillance, logger: logger)
        steps.begun { sealing.stop() }
        await sealing.start(patience: .seconds(1))
        return GatewayStorage(
            redis: redis, store: store, clock: clock, events: events, watch: watch, sealing: sealing)
    }

    private static func redisOptions(
        _ options: GatewayOptions, _ refusals: RefusalLog, _ changed: AsyncStream<Void>.Continuation, _ logger: Logger
    ) -> RedisClientOptions {
        var redis = RedisClientOptions()
        redis.commandDeadline = options.redisTimeout
        redis.scripts = GatewayStore.scripts
        redis.rights = GatewayStore.rights
        redis.replicasToWait = options.replicasToWait
        redis.replicaMark = GatewayStore.commitMark
        redis.refused = { refusals.refused($0, $1) }
        redis.rightsChanged = { _ in changed.yield() }
        redis.stateChanged = { state in
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
                changed.yield()
            case .connecting, .shutDown: break
            }
        }
        return redis
    }

    private static func store(
        _ options: GatewayOptions, _ redis: RedisClient, _ storeClock: StoreClock?,
        _ clock: @escaping @Sendable () -> WallTime
    ) throws -> GatewayStore {
        var rules = options.rules
        rules.reportLife = storeClock == nil ? nil : GatewayStore.reportLife
        return GatewayStore(
            redis: redis, wallClock: clock, rules: rules, sealer: try Gateway.sealer(options),
            identity: options.identitySecrets,
            clockBounds: { storeClock?.bounds ?? ClockBounds(clock()) },
            clockState: { storeClock?.state ?? .trusted })
    }

    /// Stops all but what a broadcast in progress needs.
    func stopWatching() {
        watch.stop()
        sealing.stop()
    }

    func shutdown() async {
        await events.stop()
        await store.shutdown()
        await redis.shutdown()
    }
}
