import APNs
import AsyncHTTPClient
import FCM
import Foundation
import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import Logging
import MockAPNs
import MockFCM
import NIOCore
import NIOHTTP1
import PushClient
import RedisServerProcess
import TLS
import TimeCore

/// Everything that the demo runs, started by itself and gone afterwards: redis-server, provider, gateway, tenant.
final class DemoStage: Sendable {
    let redis: RedisServerProcess
    let providers: DemoProviders
    let gateway: Gateway
    let tenant: TenantSecrets
    let http: HTTPClient
    private let directory: String

    /// - Parameter logger: where the gateway logs to.
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
            let mock = providers.apns
            let credential = ProviderCredential(
                keyFile: mock.keyFile, keyIdentifier: mock.keyID, teamIdentifier: mock.teamID)
            var gatewayOptions = GatewayOptions(
                redis: redis.endpoint,
                push: PushClientOptions(url: mock.url, trust: .file(mock.caFile)), credential: credential,
                bundleIdentifier: mock.bundleID)
            gatewayOptions.sandboxURL = providers.sandbox.url
            var android = FCMOptions(
                serviceAccountFile: providers.fcm.serviceAccountFile, url: providers.fcm.url,
                trust: .file(providers.fcm.caFile))
            android.messages.messagesPerMinute = DemoProviders.messagesPerMinute
            android.rampUp = .zero
            gatewayOptions.fcm = android
            var channels = ChannelOptions()
            channels.managementURL = mock.channelsURL
            channels.sandboxManagementURL = providers.sandbox.channelsURL
            channels.threshold = 1
            gatewayOptions.channels = channels
            gatewayOptions.port = 0
            gatewayOptions.api.waitTimeout = .seconds(600)
            gateway = try await Gateway.start(gatewayOptions, logger: logger)
            tenant = try await gateway.store.tenants.createTenant(name: "demo", tier: .growth)
        } catch {
            providers.stop()
            await redis.stop()
            throw error
        }
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = options.concurrency
        http = HTTPClient(configuration: configuration)
    }

    func takeDown() async {
        try? await http.shutdown()
        await gateway.stop()
        providers.stop()
        await redis.stop()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Posts as the marketing system and gives the reply.
    func call(_ endpoint: String, _ body: String) async throws -> JSONValue {
        try await post("/api/v1/live-activity/\(endpoint)", ("X-Api-Key", tenant.apiKey), body)
    }

    /// Posts as a device.
    func report(_ endpoint: String, _ body: String) async throws {
        _ = try await post("/api/v1/sdk/\(endpoint)", ("X-Sdk-Key", tenant.sdkKey), body)
    }

    private func post(_ path: String, _ key: (String, String), _ body: String) async throws -> JSONValue {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(gateway.port)\(path)")
        request.method = .POST
        request.headers.add(name: key.0, value: key.1)
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: body))
        let response = try await http.execute(request, timeout: .seconds(660))
        let bytes = Array(try await response.body.collect(upTo: 16 << 20).readableBytesView)
        guard response.status == .ok else {
            throw DemoError("\(path) answered \(response.status.code): \(String(decoding: bytes, as: UTF8.self))")
        }
        return try JSONDocument(parsing: bytes).root
    }
}
