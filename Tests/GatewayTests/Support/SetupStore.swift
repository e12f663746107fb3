import GatewayStore
import Reactor
import RedisClient
import TimeCore

/// A store beside the gateways', for what a test needs to be there.
struct SetupStore: Sendable {
    let store: GatewayStore
    private let redis: RedisClient
    private let reactor: Reactor

    init(_ endpoint: RedisEndpoint, clock: TestClock?) throws {
        reactor = try Reactor(name: "setup")
        var options = RedisClientOptions()
        options.commandDeadline = .seconds(60)
        options.scripts = GatewayStore.scripts
        redis = RedisClient(reactor: reactor, endpoint: endpoint, options: options)
        store = GatewayStore(
            redis: redis, wallClock: { clock?.now ?? WallTime.now() },
            identity: IdentitySecrets(keyMaterial: TestStage.sealingKey))
    }

    func close() async {
        await store.shutdown()
        await redis.shutdown()
        reactor.stop()
    }
}
