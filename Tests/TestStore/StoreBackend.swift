import Foundation
import Reactor
public import RedisClient
public import RedisServerProcess
import TimeCore

/// The Redis of a store under test: by default a redis-server of its own. `FANFARE_TEST_REDIS=cluster` selects a
/// cluster, and `FANFARE_TEST_REDIS=tls` a server with TLS alone.
public enum StoreBackend: Sendable {
    case server(RedisServerProcess)
    case cluster(RedisCluster)

    public static let isCluster = ProcessInfo.processInfo.environment["FANFARE_TEST_REDIS"] == "cluster"

    public static let isEncrypted = ProcessInfo.processInfo.environment["FANFARE_TEST_REDIS"] == "tls"

    public static func start(
        in directory: String, onCluster: Bool, options: RedisServerOptions = RedisServerOptions()
    ) async throws -> StoreBackend {
        if onCluster {
            // Long enough that a busy machine or a test's pause causes no failover.
            let nodeTimeout = TimeInterval.seconds(5)
            if options.persistence == .none, options.arguments.isEmpty {
                return .cluster(try await LoneCluster.lender.lend(nodeTimeout: nodeTimeout, keepsScripts: true))
            }
            return .cluster(
                try await .start(in: directory, options: options, nodeTimeout: nodeTimeout, deadline: .seconds(60)))
        }
        var options = options
        if isEncrypted { options.tls = TestTLS.server }
        return .server(try await .start(in: directory, options: options, deadline: .seconds(60)))
    }

    public var endpoint: RedisEndpoint {
        switch self {
        case .server(let server): server.endpoint
        case .cluster(let cluster): cluster.endpoint
        }
    }

    private var servers: [RedisServerProcess] {
        switch self {
        case .server(let server): [server]
        case .cluster(let cluster): cluster.servers
        }
    }

    public var processIdentifiers: [Int32] { servers.compactMap(\.processIdentifier) }

    public func kill() {
        for server in servers { server.kill() }
    }

    public func restart() async throws {
        for server in servers { try await server.start(deadline: .seconds(30)) }
        if case .cluster(let cluster) = self { _ = await cluster.becomesWell() }
    }

    public func pause() {
        for server in servers { server.pause() }
    }

    public func resume() {
        for server in servers { server.resume() }
    }

    public func stop() async {
        switch self {
        case .server(let server): await server.stop()
        case .cluster(let cluster):
            if await LoneCluster.lender.giveBack(cluster) { return }
            await cluster.stop()
        }
    }

    /// Returns the matching keys of all nodes.
    public func keys(_ pattern: String, by redis: RedisClient) async throws -> [String] {
        let command = RedisCommand("KEYS", pattern)
        guard case .cluster(let cluster) = self else {
            return try await redis.value(command).array?.compactMap(\.string) ?? []
        }
        var keys: Set<String> = []
        for server in cluster.servers {
            keys.formUnion(try await cluster.call(command, on: server).get().array?.compactMap(\.string) ?? [])
        }
        return Array(keys)
    }
}
