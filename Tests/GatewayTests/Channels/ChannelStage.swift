import APNs
import Delivery
import Foundation
import GatewayStore
import LiveActivity
import Logging
import MockAPNs
import MockKit
import PushClient
import Reactor
import RedisClient
import TLS
import TestStore
import TimeCore

@testable import Gateway

/// Keepers of channels on a Redis, a mock of APNs over TLS, and a clock that the test turns. Rounds are the test's to
/// ask for.
final class ChannelStage: Sendable {
    let mock: MockAPNs
    let store: GatewayStore
    let redis: RedisClient
    let clock = TestClock()
    let log = CapturedLog()
    private let backend: StoreBackend
    private let reactor: Reactor
    private let directory: String

    private init() async throws {
        directory = "/tmp/fanfare-channels-\(UniqueID.random())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        backend = try await StoreBackend.start(in: "\(directory)/redis", onCluster: StoreBackend.isCluster)
        var options = MockAPNs.Options(directory: "\(directory)/apns")
        options.ledger = .full
        mock = try MockAPNs.start(options)
        reactor = try Reactor(name: "channels")
        var redisOptions = RedisClientOptions()
        redisOptions.scripts = GatewayStore.scripts
        redis = RedisClient(reactor: reactor, endpoint: backend.endpoint, options: redisOptions)
        let clock = clock
        store = GatewayStore(redis: redis, wallClock: { clock.now })
    }

    static func run(_ body: (ChannelStage) async throws -> Void) async throws {
        let stage = try await ChannelStage()
        let result: Result<Void, any Error>
        do { result = .success(try await body(stage)) } catch { result = .failure(error) }
        await stage.redis.shutdown()
        stage.reactor.stop()
        stage.mock.stop()
        await stage.backend.stop()
        try? FileManager.default.removeItem(atPath: stage.directory)
        try result.get()
    }

    /// One more gateway's keeper.
    func keeper(_ configure: (inout ChannelOptions) -> Void = { _ in }) throws -> ChannelKeeper {
        var options = ChannelOptions()
        options.managementURL = mock.channelsURL
        // Each round compares.
        options.comparison = .zero
        configure(&options)
        let credential = ProviderCredential(
            keyFile: mock.keyFile, keyIdentifier: mock.keyID, teamIdentifier: mock.teamID)
        let tokens = try ProviderTokenSource(
            credential, shared: nil, reactor: reactor, wallClock: { UInt64(time(nil)) })
        let calls = try ChannelCalls(
            PushClientOptions(url: mock.channelsURL, trust: .file(mock.caFile)), bundleIdentifier: mock.bundleID,
            authorization: tokens, on: reactor)
        return ChannelKeeper(
            StoredChannels(store, bundleIdentifier: mock.bundleID, environment: .production), calls,
            bundleIdentifier: mock.bundleID, environment: .production, options: options, wallClock: store.wallClock,
            logger: log.logger(.info))
    }

    /// The mock answers calls of a kind so.
    func answer(_ event: MockRule.Event, _ status: Int, _ reason: String, limit: Int? = nil) {
        var script = MockScript()
        script.rules = [.init(.init(event: event), .answer(status: status, reason: reason), limit: limit)]
        mock.setScript(script)
    }

    /// Has an activity in a state, as its hash has it.
    func put(_ activity: UniqueID, _ state: Activity.State, endedAt: WallTime? = nil, channel: String?) async throws {
        var fields = [key(of: activity), "state", String(state.rawValue)]
        if let endedAt { fields += ["ended_at", String(endedAt.milliseconds)] }
        if let channel { fields += ["channels", "3=\(channel)"] }
        _ = try await redis.call(RedisCommand("HSET", arguments: fields)).get()
    }

    private func key(of activity: UniqueID) -> String { "fanfare:{\(activity.low % 64)}:a:\(activity)" }

    /// The channels in an activity's hash.
    func channels(of activity: UniqueID) async throws -> String? {
        try await redis.call(RedisCommand("HGET", key(of: activity), "channels")).get().string
    }

    /// The mock's channels, in order.
    var channels: [String] { mock.channels().keys.sorted() }
}
