import Foundation
import Reactor
public import RedisClient
public import RedisServerProcess
import TimeCore

/// What a store under test keeps its data in: a redis-server of its own, or with `FANFARE_TEST_REDIS=cluster` a cluster.
public enum StoreBackend: Sendable {
    case server(RedisServerProcess)
    case cluster(RedisCluster)

    public static let isCluster = ProcessInfo.processInfo.environment["FANFARE_TEST_REDIS"] == "cluster"

    public static func start(
        in directory: String, onCluster: Bool, options: RedisServerOptions = RedisServerOptions()
    ) async throws -> StoreBackend {
        if onCluster {
            // Long enough that a busy machine, or a pause that a test makes, is no failover.
            let nodeTimeout = TimeInterval.seconds(5)
            if options.persistence == .none, options.arguments.isEmpty {
                return .cluster(try await LoneCluster.lender.lend(nodeTimeout: nodeTimeout))
            }
            return .cluster(
                try await .start(in: directory, options: options, nodeTimeout: nodeTimeout, deadline: .seconds(60)))
        }
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

    /// Everything is gone afterwards.
    public func flush(by redis: RedisClient) async throws {
        guard case .cluster(let cluster) = self else {
            _ = try await redis.value(RedisCommand("FLUSHALL"))
            return
        }
        for server in cluster.servers { _ = await cluster.call(RedisCommand("FLUSHALL"), on: server) }
    }

    /// All keys that match, of all nodes.
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

/// One cluster for all tests of this process that can do with some of its keys: it takes seconds to form one. Killed when
/// the process ends.
public actor SharedCluster {
    public static let shared = SharedCluster()
    private static let leftovers = Locked<(processes: [Int32], directory: String)>(([], ""))
    private var starting: Task<StoreBackend, any Error>?

    public func backend() async throws -> StoreBackend {
        if let starting { return try await starting.value }
        let directory = "/tmp/fanfare-store-cluster-\(getpid())"
        let task = Task {
            let backend = try await StoreBackend.start(in: directory, onCluster: true)
            SharedCluster.leftovers.withLock { $0 = (backend.processIdentifiers, directory) }
            atexit {
                SharedCluster.leftovers.withLock { leftovers in
                    for process in leftovers.processes { kill(process, SIGKILL) }
                    try? FileManager.default.removeItem(atPath: leftovers.directory)
                }
            }
            return backend
        }
        starting = task
        return try await task.value
    }
}
