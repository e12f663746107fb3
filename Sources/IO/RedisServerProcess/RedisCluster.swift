import Glibc
import Reactor
public import RedisClient
public import TimeCore

/// A Redis Cluster of private servers, children of this process on ports of 127.0.0.1: three masters, each with one
/// replica. For tests and trials; its nodes take each other for failed after a second or two.
///
/// May be used from any thread. `stop` ends the children in good order; if the last reference goes while they run, they
/// are killed.
public final class RedisCluster: Sendable {
    /// The number of masters that share the slots.
    public static let masterCount = 3
    static let slotCount = 16_384

    /// At first the masters of the first, second and last third of the slots, then a replica of each in the same order.
    public let servers: [RedisServerProcess]
    /// The reactor of the clients that call a single node.
    private let reactor: Reactor

    private init(servers: [RedisServerProcess], reactor: Reactor) {
        self.servers = servers
        self.reactor = reactor
    }

    deinit {
        reactor.stop()
    }

    /// Starts the nodes and forms the cluster; returns when all nodes agree that it is well and the replicas are in
    /// sync.
    /// - Parameters:
    ///   - directory: The directory to create, with a directory for each node in it. The latter must not exist yet.
    ///   - nodeTimeout: The time that a node may be silent before the others take it for failed.
    public static func start(
        in directory: String, options: RedisServerOptions = RedisServerOptions(),
        nodeTimeout: TimeInterval = .milliseconds(1500), deadline: TimeInterval = .seconds(30)
    ) async throws(RedisServerError) -> RedisCluster {
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
            throw .unusableDirectory("\(directory): \(String(cString: strerror(errno)))")
        }
        let end = MonotonicTime.now() + deadline
        var options = options
        options.listensOnTCP = true
        options.clusterNodeTimeout = Int(nodeTimeout.millisecondsRoundedUp)
        var servers: [RedisServerProcess] = []
        for number in 0..<(2 * masterCount) {
            let place = "\(directory)/node-\(number)"
            guard access(place, F_OK) != 0 else { throw .unusableDirectory("\(place) already exists") }
            servers.append(try await .start(in: place, options: options, deadline: deadline))
        }
        let reactor: Reactor
        do {
            reactor = try Reactor(name: "redis-cluster")
        } catch {
            throw .cannotStart(reason: error.description)
        }
        let cluster = RedisCluster(servers: servers, reactor: reactor)
        try await cluster.form(until: end)
        return cluster
    }

    /// The first node, with all others as further places to begin at.
    public var endpoint: RedisEndpoint {
        let places = servers.compactMap { $0.tcpEndpoint }
        guard var first = places.first else { return servers[0].endpoint }
        first.seeds = places.dropFirst().map(\.location)
        return first
    }

    /// The server that is master of the slot now, as the nodes that run see it; nil while there is none.
    public func master(of slot: Int) async -> RedisServerProcess? {
        for server in servers where server.isRunning {
            for range in await view(of: server).slots where range.slots.contains(slot) {
                if let master = running(range.ports.first), master.isRunning { return master }
            }
        }
        return nil
    }

    /// SIGKILL, as in a crash.
    public func kill(_ server: RedisServerProcess) {
        server.kill()
    }

    /// Starts a server again that was killed or stopped. It returns in the role that the others give it by then.
    public func restart(_ server: RedisServerProcess) async throws(RedisServerError) {
        try await server.start()
    }

    /// Waits until all slots have a master, all nodes run and agree on it, and every replica is in sync. Returns false
    /// at the deadline.
    public func becomesWell(within limit: TimeInterval = .seconds(30)) async -> Bool {
        await wait(until: .now() + limit) { await self.isWell() }
    }

    /// Calls one node, regardless of its slots.
    public func call(_ command: RedisCommand, on server: RedisServerProcess) async -> Result<RedisValue, RedisError> {
        var options = RedisClientOptions()
        options.followsCluster = false
        options.commandDeadline = .seconds(5)
        let client = RedisClient(reactor: reactor, endpoint: server.endpoint, options: options)
        let result = await client.call(command)
        await client.shutdown()
        return result
    }

    /// Ends all nodes. Kills the nodes that write no file, because they have nothing to save.
    public func stop() async {
        for server in servers {
            if server.options.persistence == .none { server.kill() } else { await server.stop() }
        }
    }

    func running(_ port: Int64?) -> RedisServerProcess? {
        servers.first { server in
            guard case .tcp(_, let number)? = server.tcpEndpoint?.location else { return false }
            return Int64(number) == port
        }
    }

    func wait(until end: MonotonicTime, _ condition: () async -> Bool) async -> Bool {
        while MonotonicTime.now() < end {
            if await condition() { return true }
            for _ in 0..<4 { await pauseBriefly() }
        }
        return false
    }
}
