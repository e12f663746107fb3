import APNs
import AsyncHTTPClient
import Foundation
import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import Logging
import MockAPNs
import NIOCore
import NIOHTTP1
import PushClient
import Reactor
import RedisClient
import RedisServerProcess
import Synchronization
import TLS
import TestStore
import TimeCore
import Webhooks

/// Everything a test needs, all of it real: a redis-server, a mock provider over TLS, gateways, a tenant.
final class TestStage: Sendable {
    /// The store that the gateways share.
    let redis: StoreBackend
    let mock: MockAPNs
    let gateways: [Gateway]
    let options: GatewayOptions
    let tenant: TenantSecrets
    let directory: String
    let http: HTTPClient
    /// The clock of the gateways, if the test has given them one.
    let clock: TestClock?
    /// The activity for which each device has reported `updateToken`.
    let firstActivities = Mutex<[Int: String]>([:])

    var store: GatewayStore { gateways[0].store }
    /// The secret of the signatures by the tenant's servers.
    var identitySecret: String { tenant.identitySecret ?? "" }
    /// The key that seals secrets.
    static let sealingKey = [UInt8](repeating: 7, count: 32)
    /// Prepares the store of a test, through a connection with a long deadline. The gateways' own deadlines are the
    /// subject of tests.
    let setup: SetupStore

    /// Runs `body` on a fresh stage and takes everything down afterwards.
    static func run(
        gateways count: Int = 1, tier: Tenant.Tier = .growth, signatures: SignatureDemand = .none,
        redis: RedisServerOptions = RedisServerOptions(), clock: TestClock? = nil,
        logger: Logger = TestStage.silent, mock: (inout MockAPNs.Options) -> Void = { _ in },
        configure: (inout GatewayOptions) -> Void = { _ in },
        _ body: (TestStage) async throws -> Void
    ) async throws {
        let stage = try await TestStage(count, tier, signatures, redis, clock, logger, mock, configure)
        do {
            try await body(stage)
        } catch {
            await stage.takeDown()
            throw error
        }
        await stage.takeDown()
    }

    private init(
        _ count: Int, _ tier: Tenant.Tier, _ signatures: SignatureDemand,
        _ redis: RedisServerOptions, _ clock: TestClock?, _ logger: Logger,
        _ configureMock: (inout MockAPNs.Options) -> Void, _ configure: (inout GatewayOptions) -> Void
    ) async throws {
        directory = "/tmp/fanfare-test-\(UniqueID.random())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        self.clock = clock
        self.redis = try await StoreBackend.start(
            in: "\(directory)/redis", onCluster: StoreBackend.isCluster, options: redis)
        var mockOptions = MockAPNs.Options(directory: "\(directory)/apns")
        mockOptions.ledger = .full
        configureMock(&mockOptions)
        mock = try MockAPNs.start(mockOptions)
        let credential = ProviderCredential(
            keyFile: mock.keyFile, keyIdentifier: mock.keyID, teamIdentifier: mock.teamID)
        var options = GatewayOptions(
            redis: self.redis.endpoint,
            push: PushClientOptions(url: mock.url, trust: .file(mock.caFile)), credential: credential,
            bundleIdentifier: mock.bundleID)
        options.port = 0
        // A busy machine may leave Redis without a core for seconds.
        options.redisTimeout = .seconds(30)
        // Most tests send updates one behind the other, and are about something else.
        options.rules.minimumInterval = .zero
        options.api.requestsPerMinute = 1_000_000
        options.shutdownTimeout = .seconds(10)
        // The first connection is made when there is a push, and so after the test has written the provider's script.
        options.triesCredentials = false
        // No name of a receiver leads out of this machine.
        options.webhooks.resolve = { _ in [] }
        options.webhooks.policy.secrets = WebhookSecrets(keyMaterial: TestStage.sealingKey)
        options.identitySecrets = IdentitySecrets(keyMaterial: TestStage.sealingKey)
        if let clock { options.clock = { clock.now } }
        configure(&options)
        options.channels?.managementURL = mock.channelsURL
        options.channels?.sandboxManagementURL = mock.channelsURL
        self.options = options
        var started: [Gateway] = []
        for _ in 0..<count { started.append(try await Gateway.start(options, logger: logger)) }
        gateways = started
        setup = try SetupStore(self.redis.endpoint, clock: clock)
        tenant = try await setup.store.tenants.createTenant(name: "test", tier: tier, signatures: signatures)
        // Most tests let a few phones do what many would, and are about something else.
        _ = try await setup.store.tenants.setTenant(
            tenant.tenantID, limits: [(.deviceRequests, 0), (.userRequests, 0)])
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        if options.tls != nil {
            configuration.tlsConfiguration = TestTLS.clientConfiguration
            // A connection is not used in the moment in which the gateway closes it.
            configuration.connectionPool.idleTimeout = .seconds(1)
        }
        // Tests read only the spans of the gateway.
        configuration.tracing.tracer = nil
        http = HTTPClient(configuration: configuration)
    }

    /// One more gateway, which the test stops.
    func startGateway() async throws -> Gateway {
        try await Gateway.start(options, logger: TestStage.silent)
    }

    static var silent: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }

    private func takeDown() async {
        try? await http.shutdown()
        for gateway in gateways { await gateway.stop() }
        await setup.close()
        mock.stop()
        await redis.stop()
        try? FileManager.default.removeItem(atPath: directory)
    }

    // MARK: Requests

    struct Answer: Sendable {
        let status: Int
        let headers: [String: String]
        let bytes: [UInt8]
        private let document: JSONDocument?

        init(status: Int, headers: [String: String], bytes: [UInt8]) {
            self.status = status
            self.headers = headers
            self.bytes = bytes
            document = try? JSONDocument(parsing: bytes)
        }

        var text: String { String(decoding: bytes, as: UTF8.self) }

        subscript(_ path: String...) -> JSONValue? {
            var value = document?.root
            for name in path { value = (try? value?.member(name)).flatMap { $0 } }
            return value
        }

        var code: String? { self["code"]?.string }
        var accepted: Int? { self["sessions_triggered"]?.int64.map { Int($0) } }
        func skipped(_ reason: String) -> Int { self["skipped", reason]?.int64.map { Int($0) } ?? 0 }
        func failed(_ reason: String) -> Int { self["failed", reason]?.int64.map { Int($0) } ?? 0 }
    }

    func send(
        _ method: String, _ path: String, _ body: String?, headers: [String: String], gateway: Int = 0,
        port: Int? = nil
    ) async throws -> Answer {
        try await send(
            method, path, bytes: body.map { Array($0.utf8) }, headers: headers, gateway: gateway, port: port)
    }

    func send(
        _ method: String, _ path: String, bytes: [UInt8]?, headers: [String: String], gateway: Int = 0,
        port: Int? = nil
    ) async throws -> Answer {
        let scheme = options.tls == nil ? "http" : "https"
        var request = HTTPClientRequest(url: "\(scheme)://127.0.0.1:\(port ?? gateways[gateway].port)\(path)")
        request.method = .init(rawValue: method)
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let bytes { request.body = .bytes(ByteBuffer(bytes: bytes)) }
        let response = try await http.execute(request, timeout: .seconds(180))
        let body = try await response.body.collect(upTo: 16 << 20)
        var fields: [String: String] = [:]
        for header in response.headers { fields[header.name.lowercased()] = header.value }
        return Answer(status: Int(response.status.code), headers: fields, bytes: Array(body.readableBytesView))
    }

    /// A command to the stage's Redis, past everything.
    func redis(_ command: RedisCommand) async throws -> RedisValue {
        try await withRedis { try await $0.value(command) }
    }

    /// All keys that match.
    func keys(_ pattern: String) async throws -> [String] {
        try await withRedis { try await self.redis.keys(pattern, by: $0) }
    }

    func withRedis<Value: Sendable>(_ body: (RedisClient) async throws -> Value) async throws -> Value {
        let reactor = try Reactor(name: "test-redis")
        let client = RedisClient(reactor: reactor, endpoint: redis.endpoint)
        let result: Result<Value, any Error>
        do { result = .success(try await body(client)) } catch { result = .failure(error) }
        await client.shutdown()
        reactor.stop()
        return try result.get()
    }

    /// A customer's call: `call("start", …)`.
    /// - Parameter port: of a gateway that is not one of the stage's.
    func call(
        _ endpoint: String, _ body: String, headers: [String: String] = [:], gateway: Int = 0, port: Int? = nil
    ) async throws -> Answer {
        let own = ["X-Api-Key": tenant.apiKey, "Content-Type": "application/json"]
        return try await send(
            "POST", "/api/v1/live-activity/\(endpoint)", body, headers: own.merging(headers) { $1 }, gateway: gateway,
            port: port)
    }

    /// A device's call: `report("POST", "sync", …)`.
    func report(
        _ method: String, _ endpoint: String, _ body: String, headers: [String: String] = [:], gateway: Int = 0
    ) async throws -> Answer {
        let own = ["X-Sdk-Key": tenant.sdkKey, "Content-Type": "application/json"]
        return try await send(
            method, "/api/v1/sdk/\(endpoint)", body, headers: own.merging(headers) { $1 }, gateway: gateway)
    }
}
