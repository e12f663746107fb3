import GatewayStore
import Reactor
import RedisClient

/// What a gateway has for events: a thread and a connection to Redis of their own, away from those of pushes.
final class GatewayEvents: Sendable {
    let store: GatewayStore
    private let reactor: Reactor
    private let redis: RedisClient

    init(_ options: GatewayOptions) throws {
        reactor = try Reactor(name: "fanfare-events")
        var redisOptions = RedisClientOptions()
        redisOptions.commandDeadline = options.redisTimeout
        redisOptions.scripts = GatewayStore.scripts
        redis = RedisClient(reactor: reactor, endpoint: options.redis, options: redisOptions)
        store = GatewayStore(redis: redis, wallClock: options.clock, lifetime: options.lifetime, events: options.events)
    }

    func stop() async {
        await redis.shutdown()
        reactor.stop()
    }
}
