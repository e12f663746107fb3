import Glibc
public import Reactor
import TimeCore

/// A client of a Redis server or of a Redis Cluster: hiredis on a reactor, one connection that all callers share (in a
/// cluster one for each master), commands of one turn in one write. Connects at once, reconnects by itself, and gives
/// every command an outcome by its deadline.
///
/// Whether the server is a node of a cluster it says when it is connected to. Then each command goes to the node that
/// has its key's slot, follows slots that move and nodes that fail, and keeps its place only among the commands of the
/// same slot: see `keepsOrderAcrossKeys`.
///
/// Confined to its reactor: what is documented as "on the reactor" may be called on its thread only. The async
/// calls, `connectionState` and `shutdown` may be called from anywhere; that is what makes it `Sendable`.
///
/// Call `shutdown` before the reactor is stopped. A client whose last reference goes fails what waits and closes.
///
/// Not for commands that block (BLPOP, XREAD BLOCK), because all others would wait behind them: give those a client
/// of their own. Commands that change the protocol (SUBSCRIBE, MONITOR, HELLO and their like) are rejected.
public final class RedisClient: @unchecked Sendable {
    /// What the client lives on.
    public let reactor: Reactor
    /// Where it connects to.
    public let endpoint: RedisEndpoint
    /// As it was given them.
    public let options: RedisClientOptions

    private let published = Locked(RedisConnectionState.connecting)
    private let counts = ClusterCounter()
    private let knownMissingRights = Locked<MissingRights?>(nil)

    // Touched on the reactor only.
    let metrics = RedisMetrics()
    /// The server that was configured: the only one, or the first that is known of a cluster.
    let node: RedisNode
    /// In a cluster, from the moment on when that is known.
    private(set) var router: ClusterRouter?
    /// Whether the server has said that it is not part of a cluster.
    private(set) var isSingle = false
    let replicaWait: ReplicaWait

    /// Begins to connect. May be called from anywhere.
    public init(reactor: Reactor, endpoint: RedisEndpoint, options: RedisClientOptions = RedisClientOptions()) {
        self.reactor = reactor
        self.endpoint = endpoint
        self.options = options
        node = RedisNode(reactor: reactor, endpoint: endpoint, options: options, metrics: metrics)
        replicaWait = ReplicaWait(reactor, endpoint, options, counts)
        reactor.execute { self.start() }
    }

    deinit {
        // Confined to the reactor: nobody else has them any more.
        nonisolated(unsafe) let node = node
        nonisolated(unsafe) let router = router
        nonisolated(unsafe) let replicaWait = replicaWait
        reactor.execute {
            node.shutDown()
            router?.shutDown()
            replicaWait.shutDown()
        }
    }

    /// The state as of the reactor's last turn.
    public var connectionState: RedisConnectionState {
        published.withLock { $0 }
    }

    /// Fails what waits and what is in flight, and closes the connection; then nothing is sent any more.
    public func shutdown() async {
        await reactor.call(stopped: ()) { done in
            self.shutdownOnReactor()
            done(())
        }
    }

    /// The same, on the reactor.
    public func shutdownOnReactor() {
        assert(reactor.isOnReactor)
        node.shutDown()
        router?.shutDown()
        replicaWait.shutDown()
    }

    private func start() {
        RedisClient.blockBrokenPipeSignal()
        metrics.onRefusal = { [weak self] kind, message in
            guard let self else { return }
            options.refused?(kind, RedisRefusal.words(message))
            // The rights may have been taken while the connection lives.
            if kind == .noPermission { checkRights() }
        }
        node.owner = self
        node.start()
    }

    /// The library writes with write(2), which raises SIGPIPE on the writing thread when the peer has gone.
    private static func blockBrokenPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    fileprivate func publish(_ state: RedisConnectionState) {
        let isNew = published.withLock { value in
            defer { value = state }
            return value != state
        }
        if isNew { options.stateChanged?(state) }
    }
}

extension RedisClient {
    /// True with a single server, which carries out commands with different keys in the order in which they were given.
    /// Replies come in that order too, except those that wait for replicas. In a cluster only commands of one slot keep
    /// their order. There, send a command that must follow another one after the reply to the first. False while the
    /// kind of server is not known yet. On the reactor.
    public var keepsOrderAcrossKeys: Bool { router == nil && isSingle }

    /// Whether the server is a cluster; false while that is not known yet. On the reactor.
    public var isCluster: Bool { router != nil }

    /// What the user lacks of `options.rights`, as far as the servers have said. While that is something, calls of
    /// scripts are refused here and not sent. From any thread.
    public var missingRights: MissingRights? { knownMissingRights.withLock { $0 } }

    /// Has the rights looked at once more, on all connections. On the reactor.
    public func checkRights() {
        for node in allNodes { node.checkRights() }
    }

    /// Asks the server for its role, and leaves a server that has become a replica. Does nothing in a cluster. On the
    /// reactor.
    public func checkRole() {
        for node in allNodes { node.checkRole() }
    }

    private var allNodes: [RedisNode] { router.map { $0.nodes.values.map(\.node) } ?? [node] }

    /// The client's counts of a cluster so far. At a single server only `replicated` and `unreplicated` grow. From any
    /// thread.
    public var clusterCounts: RedisClusterCounts { counts.value }
}

extension RedisClient: RedisNodeOwner {
    func nodeGreeted(_ node: RedisNode, _ greeting: RedisGreeting) {
        isSingle = !greeting.isCluster || !options.followsCluster
        guard !isSingle, router == nil else { return }
        let router = ClusterRouter(
            seed: node, counts: counts, stateChanged: { [weak self] in self?.publish($0) },
            rightsChanged: { [weak self] in self?.nodeRightsChanged($0) })
        self.router = router
        router.start()
    }

    func nodeStateChanged(_ node: RedisNode) {
        if router == nil { publish(node.life.publicState) }
    }

    func nodeRightsChanged(_ node: RedisNode) {
        let missing = allNodes.lazy.compactMap(\.missingRights).first
        let isNew = knownMissingRights.withLock { value in
            defer { value = missing }
            return value != missing
        }
        if isNew { options.rightsChanged?(missing) }
    }
}
