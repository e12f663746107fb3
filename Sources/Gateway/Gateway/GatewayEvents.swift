import GatewayAPI
import GatewayStore
import Reactor
import RedisClient
import TimeCore
import Webhooks

/// The event delivery of a gateway. Its thread and its Redis connection are separate from those for pushes.
final class GatewayEvents: Sendable {
    let store: GatewayStore
    private let reactor: Reactor
    let redis: RedisClient
    private let dispatcher: WebhookDispatcher

    init(
        _ options: GatewayOptions, clock: @escaping @Sendable () -> WallTime,
        refused: @escaping @Sendable (RedisRefusal, String) -> Void
    ) throws {
        reactor = try Reactor(name: "fanfare-events")
        var redisOptions = RedisClientOptions()
        redisOptions.commandDeadline = options.redisTimeout
        redisOptions.scripts = GatewayStore.scripts
        redisOptions.rights = GatewayStore.rights
        redisOptions.refused = refused
        redis = RedisClient(reactor: reactor, endpoint: options.redis, options: redisOptions)
        store = GatewayStore(redis: redis, wallClock: clock, rules: options.rules)
        dispatcher = try WebhookDispatcher(store: store, options: options.webhooks)
    }

    func start() async {
        await dispatcher.start()
    }

    /// Returns the use of the resources that tenants share.
    func usage() async -> [SharedResourceUsage] {
        let (deliveries, lookups) = await dispatcher.usage()
        return [("webhook_deliveries", deliveries), ("webhook_lookups", lookups)].map { name, use in
            SharedResourceUsage(name: name, capacity: use.capacity, used: use.used, refusals: use.waits)
        }
    }

    /// Trusts the authorities in a PEM file in addition to the system's.
    func trust(_ caFile: String?) throws { try dispatcher.trust(caFile) }

    func snapshot() async -> WebhookSnapshot { await dispatcher.snapshot() }

    /// Starts no further delivery.
    func stopDelivering() async {
        await dispatcher.stop()
    }

    func stop() async {
        await store.flushNews()
        await redis.shutdown()
        reactor.stop()
    }
}
