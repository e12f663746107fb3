import Foundation
import Reactor
import RedisClient
public import RedisServerProcess
public import TimeCore

/// Clusters for one test at a time. Because forming one takes seconds, an unchanged cluster is emptied and lent again.
/// A changed one is stopped. All are killed when the process ends.
public actor LoneCluster {
    public static let lender = LoneCluster()

    private struct Idle {
        let cluster: RedisCluster
        let nodeTimeout: TimeCore.TimeInterval
        let keepsScripts: Bool
        /// Nil if they could not be read; then the cluster is not lent again.
        let traits: [RedisValue]?
    }

    private static let running = Locked<[ObjectIdentifier: (processes: [Int32], directory: String)]>([:])
    private var idle: [Idle] = []
    private var lent: [ObjectIdentifier: Idle] = [:]
    private var begun = 0

    private init() {
        atexit {
            LoneCluster.running.withLock { running in
                for (processes, directory) in running.values {
                    for process in processes { kill(process, SIGKILL) }
                    try? FileManager.default.removeItem(atPath: directory)
                }
            }
        }
    }

    /// Returns an empty, healthy cluster of three masters and three replicas.
    /// - Parameters:
    ///   - tls: The TLS options of its nodes; nil for none.
    ///   - keepsScripts: True if its nodes may know scripts that earlier tests loaded. Compiling all scripts takes the
    ///     nodes longer than most tests do.
    public func lend(
        nodeTimeout: TimeCore.TimeInterval, tls: RedisServerOptions.TLS? = nil, keepsScripts: Bool = false
    ) async throws -> RedisCluster {
        let place = { (idle: Idle) in
            idle.nodeTimeout == nodeTimeout && idle.keepsScripts == keepsScripts
                && idle.cluster.servers[0].options.tls == tls
        }
        if let index = idle.firstIndex(where: place) {
            let found = idle.remove(at: index)
            lent[ObjectIdentifier(found.cluster)] = found
            return found.cluster
        }
        begun += 1
        let directory = "/tmp/fanfare-lone-cluster-\(getpid())-\(begun)"
        var options = RedisServerOptions()
        options.tls = tls
        let cluster = try await RedisCluster.start(
            in: directory, options: options, nodeTimeout: nodeTimeout, deadline: .seconds(60))
        let identifier = ObjectIdentifier(cluster)
        let processes = cluster.servers.compactMap(\.processIdentifier)
        LoneCluster.running.withLock { $0[identifier] = (processes, directory) }
        lent[identifier] = Idle(
            cluster: cluster, nodeTimeout: nodeTimeout, keepsScripts: keepsScripts, traits: await traits(cluster))
        return cluster
    }

    /// Takes back a cluster. Returns false if it was not lent here.
    public func giveBack(_ cluster: RedisCluster) async -> Bool {
        guard let place = lent.removeValue(forKey: ObjectIdentifier(cluster)) else { return false }
        for server in cluster.servers { server.resume() }
        if let traits = place.traits, await empties(place), await self.traits(cluster) == traits {
            idle.append(place)
        } else {
            await cluster.stop()
            let left = LoneCluster.running.withLock { $0.removeValue(forKey: ObjectIdentifier(cluster)) }
            if let left { try? FileManager.default.removeItem(atPath: left.directory) }
        }
        return true
    }

    private func empties(_ place: Idle) async -> Bool {
        let cluster = place.cluster
        let commands = [RedisCommand("FLUSHALL")] + (place.keepsScripts ? [] : [RedisCommand("SCRIPT", "FLUSH")])
        for server in cluster.servers[..<RedisCluster.masterCount] {
            for command in commands {
                guard server.isRunning, case .success(let reply) = await cluster.call(command, on: server),
                    reply.string == "OK"
                else { return false }
            }
        }
        return await cluster.becomesWell(within: .seconds(5))
    }

    /// Returns the properties, besides data, that a test may change: processes, roles, slots, settings, users.
    private func traits(_ cluster: RedisCluster) async -> [RedisValue]? {
        var traits: [RedisValue] = []
        for server in cluster.servers {
            traits.append(.integer(Int64(server.processIdentifier ?? 0)))
            for command in [
                RedisCommand("CONFIG", "GET", "*"), RedisCommand("ACL", "LIST"), RedisCommand("CLUSTER", "SLOTS"),
            ] {
                guard case .success(let reply) = await cluster.call(command, on: server) else { return nil }
                traits.append(reply)
            }
            guard case .success(let role) = await cluster.call(RedisCommand("ROLE"), on: server) else { return nil }
            traits.append(role.array?.first ?? .null)
        }
        return traits
    }
}
