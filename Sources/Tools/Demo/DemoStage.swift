import APNs
import AsyncHTTPClient
import FCM
import Feeds
import Foundation
import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import Logging
import MockAPNs
import MockFCM
import MockFeed
import NIOCore
import NIOHTTP1
import PushClient
import Reactor
import RedisClient
import RedisServerProcess
import TLS
import TimeCore

/// The servers of the demo, which it starts and stops: redis-server, mock providers, feed and gateway, with a tenant.
final class DemoStage: Sendable {
    let redis: RedisServerProcess
    let providers: DemoProviders
    let feed: MockFeed
    let gateway: Gateway
    let tenant: TenantSecrets
    let http: HTTPClient
    private let directory: String

    /// - Parameter logger: The gateway's logger.
    static func start(_ options: DemoOptions, logger: Logger) async throws -> DemoStage {
        let directory = NSTemporaryDirectory() + "fanfare-demo-\(UniqueID.random().description.prefix(8))"
        do {
            return try await DemoStage(directory, options, logger)
        } catch {
            try? FileManager.default.removeItem(atPath: directory)
            throw error
        }
    }

    private init(_ directory: String, _ options: DemoOptions, _ logger: Logger) async throws {
        self.directory = directory
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        var redisOptions = RedisServerOptions()
        redisOptions.executable = options.redisExecutable
        redis = try await RedisServerProcess.start(in: "\(directory)/redis", options: redisOptions)
        do {
            providers = try DemoProviders(directory: directory)
        } catch {
            await redis.stop()
            throw error
        }
        do {
            feed = try await MockFeed.start(MockFeed.Options())
        } catch {
            providers.stop()
            await redis.stop()
            throw error
        }
        do {
            tenant = try await DemoStage.createTenant(redis.endpoint)
            let gatewayOptions = DemoStage.gatewayOptions(redis.endpoint, providers, feed, tenant)
            gateway = try await Gateway.start(gatewayOptions, logger: logger)
        } catch {
            await feed.stop()
            providers.stop()
            await redis.stop()
            throw error
        }
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = options.concurrency
        http = HTTPClient(configuration: configuration)
    }

    private static func gatewayOptions(
        _ redis: RedisEndpoint, _ providers: DemoProviders, _ feed: MockFeed, _ tenant: TenantSecrets
    ) -> GatewayOptions {
        let mock = providers.apns
        var options = GatewayOptions(
            redis: redis, push: PushClientOptions(url: mock.url, trust: .file(mock.caFile)),
            credential: ProviderCredential(
                keyFile: mock.keyFile, keyIdentifier: mock.keyID, teamIdentifier: mock.teamID),
            bundleIdentifier: mock.bundleID)
        options.sandboxURL = providers.sandbox.url
        var android = FCMOptions(
            serviceAccountFile: providers.fcm.serviceAccountFile, url: providers.fcm.url,
            trust: .file(providers.fcm.caFile))
        android.messages.messagesPerMinute = DemoProviders.messagesPerMinute
        android.rampUp = .zero
        options.fcm = android
        var channels = ChannelOptions()
        channels.managementURL = mock.channelsURL
        channels.sandboxManagementURL = providers.sandbox.channelsURL
        channels.threshold = 1
        options.channels = channels
        var feedOptions = FeedOptions(number: 0, tenantID: tenant.tenantID, url: feed.url)
        feedOptions.interval = .milliseconds(200)
        feedOptions.look = .milliseconds(200)
        options.feeds = [feedOptions]
        options.port = 0
        options.api.waitTimeout = .seconds(600)
        return options
    }

    func takeDown() async {
        try? await http.shutdown()
        await gateway.stop()
        await feed.stop()
        providers.stop()
        await redis.stop()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Creates the tenant before the gateway starts.
    private static func createTenant(_ endpoint: RedisEndpoint) async throws -> TenantSecrets {
        let reactor = try Reactor(name: "demo")
        defer { reactor.stop() }
        var options = RedisClientOptions()
        options.scripts = GatewayStore.scripts
        let redis = RedisClient(reactor: reactor, endpoint: endpoint, options: options)
        let store = GatewayStore(redis: redis)
        let tenant: TenantSecrets
        do {
            try await store.layout.settle()
            tenant = try await store.tenants.createTenant(name: "demo", tier: .growth)
        } catch {
            await store.shutdown()
            await redis.shutdown()
            throw error
        }
        await store.shutdown()
        await redis.shutdown()
        return tenant
    }

    /// Posts as the marketing system and returns the reply.
    func call(_ endpoint: String, _ body: String) async throws -> JSONValue {
        try await send(.POST, "/api/v1/live-activity/\(endpoint)", customer, body)
    }

    /// The topic as the gateway returns it; an object without members if there is none.
    func topic(_ name: String) async throws -> JSONValue {
        try await send(.GET, "/api/v1/topics/\(name)", customer, "", orIfNone: "{}")
    }

    /// True if no recent broadcast of a topic is under way.
    func isQuiet(_ topic: String) async throws -> Bool {
        let broadcasts = try await self.topic(topic).member("broadcasts")
        return try broadcasts?.elements.allSatisfy { try $0.member("finished_at") != nil } ?? false
    }

    func setFollowers(_ topic: String, _ insiderIDs: [String]) async throws {
        let list = insiderIDs.joined(separator: "\n")
        _ = try await send(.PUT, "/api/v1/topics/\(topic)/followers", customer, list, type: "text/csv")
    }

    /// Posts as a device.
    func report(_ endpoint: String, _ body: String) async throws {
        _ = try await send(.POST, "/api/v1/sdk/\(endpoint)", device, body)
    }

    /// Follows a topic like a device whose user taps the bell.
    func follow(_ topic: String, _ body: String) async throws {
        _ = try await send(.PUT, "/api/v1/sdk/topics/\(topic)/follow", device, body)
    }

    private var customer: (String, String) { ("X-Api-Key", tenant.apiKey) }
    private var device: (String, String) { ("X-Sdk-Key", tenant.sdkKey) }

    /// - Parameter none: The result of a 404 reply; nil if a 404 is an error.
    private func send(
        _ method: HTTPMethod, _ path: String, _ key: (String, String), _ body: String,
        type: String = "application/json",
        orIfNone none: String? = nil
    ) async throws -> JSONValue {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(gateway.port)\(path)")
        request.method = method
        request.headers.add(name: key.0, value: key.1)
        if !body.isEmpty {
            request.headers.add(name: "Content-Type", value: type)
            request.body = .bytes(ByteBuffer(string: body))
        }
        var (status, bytes) = try await execute(request)
        // Redis may be slow on a busy machine. Device reports and requests other than POST are idempotent.
        let isRepeatable = method != .POST || path.hasPrefix("/api/v1/sdk/")
        for pause in DemoStage.pauses where isRepeatable && status == .serviceUnavailable {
            try await Task.sleep(for: pause)
            (status, bytes) = try await execute(request)
        }
        if status == .notFound, let none { return try JSONDocument(parsing: Array(none.utf8)).root }
        guard status == .ok else {
            throw DemoError("\(path) answered \(status.code): \(String(decoding: bytes, as: UTF8.self))")
        }
        return try JSONDocument(parsing: bytes).root
    }

    private func execute(_ request: HTTPClientRequest) async throws -> (HTTPResponseStatus, [UInt8]) {
        let response = try await http.execute(request, timeout: .seconds(660))
        return (response.status, Array(try await response.body.collect(upTo: 16 << 20).readableBytesView))
    }

    /// The pauses before retries of a call that the gateway answered with 503.
    private static let pauses: [Duration] = [.seconds(1), .seconds(2), .seconds(4), .seconds(8)]
}
