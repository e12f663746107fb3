import APNs
import APNsCore
import Delivery
import Foundation
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import Reactor
import RedisClient
import RedisServerProcess
import Synchronization
import TLS
import TimeCore

/// A mock APNs, a redis-server, and gateways' ways to both, each with a reactor of its own.
final class TokenStage: Sendable {
    let mock: MockAPNs
    let server: RedisServerProcess
    let directory: String
    /// The clock of the gateways, in seconds since 1970.
    let clock: Atomic<UInt64>

    private init(_ directory: String, _ server: RedisServerProcess) throws {
        self.directory = directory
        self.server = server
        var options = MockAPNs.Options(directory: directory + "/mock")
        options.checksPayload = false
        mock = try MockAPNs.start(options)
        clock = Atomic(UInt64(time(nil)))
    }

    static func run(_ body: (TokenStage) async throws -> Void) async throws {
        let directory = "/tmp/fanfare-tokens-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let server = try await RedisServerProcess.start(in: directory + "/redis", deadline: .seconds(30))
        let stage = try TokenStage(directory, server)
        let result: Result<Void, any Error>
        do { result = .success(try await body(stage)) } catch { result = .failure(error) }
        stage.mock.stop()
        await server.stop()
        try result.get()
    }

    func advance(_ seconds: UInt64) {
        clock.wrappingAdd(seconds, ordering: .relaxed)
    }

    /// The tokens that the mock was sent, each once, in the order of their first use.
    var tokensSeen: [String] {
        var seen: [String] = []
        for entry in mock.ledgerEntries() {
            let token = entry.header("authorization") ?? ""
            if !seen.contains(token) { seen.append(token) }
        }
        return seen
    }

    /// The different tokens of the last pushes.
    func lastTokens(_ count: Int) -> Set<String> {
        Set(mock.ledgerEntries().suffix(count).compactMap { $0.header("authorization") })
    }

    /// A command to Redis past all gateways.
    @discardableResult
    func redis(_ command: RedisCommand) async throws -> RedisValue {
        let reactor = try Reactor(name: "hand")
        defer { reactor.stop() }
        let client = RedisClient(reactor: reactor, endpoint: server.endpoint)
        let result = await client.call(command)
        await client.shutdown()
        return try result.get()
    }

    /// The key of the shared token.
    var slot: String { "fanfare:{p:\(mock.teamID):\(mock.keyID)}" }
}

/// The part of a gateway that handles provider tokens.
final class TokenGateway: Sendable {
    let client: PushClient
    let redis: RedisClient
    private let reactor: Reactor
    private let unusable: Counter
    private let bundleID: String

    final class Counter: Sendable {
        let count = Atomic(0)
    }

    /// - Parameters:
    ///   - keyFile: another private key than the mock's.
    ///   - commandDeadline: for what is asked of Redis.
    init(
        _ stage: TokenStage, keyFile: String? = nil, commandDeadline: TimeCore.TimeInterval = .seconds(2)
    ) async throws {
        reactor = try Reactor(name: "gateway")
        var redisOptions = RedisClientOptions()
        redisOptions.commandDeadline = commandDeadline
        redisOptions.scripts = GatewayStore.scripts
        redis = RedisClient(reactor: reactor, endpoint: stage.server.endpoint, options: redisOptions)
        let counter = Counter()
        unusable = counter
        let tokens = StoredProviderTokens(GatewayStore(redis: redis)) { _ in
            counter.count.add(1, ordering: .relaxed)
        }
        bundleID = stage.mock.bundleID
        var options = PushClientOptions(url: stage.mock.url, trust: .file(stage.mock.caFile))
        options.pushDeadline = .seconds(60)
        options.connectTimeout = .seconds(20)
        client = try PushClient(
            reactor: reactor, options: options,
            credential: ProviderCredential(
                keyFile: keyFile ?? stage.mock.keyFile, keyIdentifier: stage.mock.keyID,
                teamIdentifier: stage.mock.teamID),
            sharedTokens: tokens,
            wallClock: { stage.clock.load(ordering: .relaxed) })
        // So that a paused server is one that was there.
        _ = await waitForRedis()
    }

    /// Waits until Redis answers; false if it does not.
    func waitForRedis() async -> Bool {
        let end = MonotonicTime.now() + .seconds(20)
        while MonotonicTime.now() < end {
            if case .success = await redis.call(RedisCommand("PING")) { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    /// The number of tokens reported to the operator.
    var unusableTokens: Int { unusable.count.load(ordering: .relaxed) }

    /// Sends this many pushes and returns their outcomes.
    func push(_ count: Int) async throws -> [PushOutcome] {
        let template = try PushTemplate(
            destination: .pushToStartToken, event: .start,
            headers: try PushHeaders(
                topic: PushHeaders.liveActivityTopic(bundleIdentifier: bundleID), priority: .immediate,
                expiration: 1_900_000_000),
            identifier: PushIdentifier(broadcast: UniqueID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)),
            body: #"{"aps":{"timestamp":1700000000,"event":"start","content-state":{}}}"#.utf8)
        return await withCheckedContinuation { continuation in
            let receiver = Outcomes(client, template, count) { continuation.resume(returning: $0) }
            reactor.execute { receiver.start() }
        }
    }

    func close() async {
        await client.shutdown(deadline: .seconds(2))
        await redis.shutdown()
        reactor.stop()
    }
}

/// Gives pushes as there is room, and gathers outcomes until all are there.
private final class Outcomes: PushOutcomeReceiver, RoomListener, @unchecked Sendable {
    private let client: PushClient
    private let template: PushTemplate
    private var outcomes: [PushOutcome] = []
    private let total: Int
    private var given = 0
    private let finished: ([PushOutcome]) -> Void

    init(_ client: PushClient, _ template: PushTemplate, _ total: Int, _ finished: @escaping ([PushOutcome]) -> Void) {
        self.client = client
        self.template = template
        self.total = total
        self.finished = finished
    }

    func start() {
        client.add(self)
        roomGrew()
    }

    func roomGrew() {
        while given < total {
            let number = given
            let token = (0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4)) ^ $0) }
            let taken = token.withUnsafeBytes { token in
                withUnsafePointer(to: PendingPush(token: token, slot: UInt32(number), tag: UInt64(number))) {
                    client.push(UnsafeBufferPointer(start: $0, count: 1), template, to: self)
                }
            }
            guard taken == 1 else { return }
            given += 1
        }
    }

    var pushesWaiting: Int { total - given }

    private func note(_ outcome: PushOutcome, _ count: Int) {
        for _ in 0..<count { outcomes.append(outcome) }
        guard outcomes.count == total else { return roomGrew() }
        client.remove(self)
        finished(outcomes)
    }

    func pushesAccepted(_ pushes: UnsafeBufferPointer<AcceptedPush>) { note(.accepted, pushes.count) }

    func pushesEnded(_ outcomes: UnsafeBufferPointer<PushResult>) {
        for result in outcomes { note(result.outcome, 1) }
    }
}
