import Glibc
public import Reactor
import TimeCore

/// A client of a Redis server or a Redis Cluster: hiredis on a reactor. All callers share one connection (in a cluster,
/// one for each master), and the commands of a turn share a write. It connects immediately and reconnects
/// automatically. Every command has an outcome by its deadline.
///
/// The client detects a cluster when it connects. Then each command goes to the node with its key's slot, also after
/// moved slots and failed nodes. It keeps its order only among commands of the same slot: see `keepsOrderAcrossKeys`.
///
/// Confined to its reactor: members documented as "on the reactor" may be called on its thread only. The async calls,
/// `connectionState` and `shutdown` may be called from any thread, therefore it is `Sendable`.
///
/// Call `shutdown` before the reactor stops. The release of the last reference fails pending commands and closes the
/// connection.
///
/// Use a separate client for blocking commands (BLPOP, XREAD BLOCK), because they delay all others. Commands that
/// change the protocol (SUBSCRIBE, MONITOR, HELLO and similar) are rejected.
public final class RedisClient: @unchecked Sendable {
    /// The reactor of the client.
    public let reactor: Reactor
    /// The configured server.
    public let endpoint: RedisEndpoint
    /// The options, unchanged.
    public let options: RedisClientOptions

    private let published = Locked(RedisConnectionState.connecting)
    private let counts = ClusterCounter()
    private let knownMissingRights = Locked<MissingRights?>(nil)

    // Used on the reactor only.
    let metrics = RedisMetrics()
    /// The configured server: the only one, or the first node of a cluster.
    let node: RedisNode
    /// Set after a cluster is detected.
    private(set) var router: ClusterRouter?
    /// True after the server has reported that it is not part of a cluster.
    private(set) var isSingle = false
    let replicaWait: ReplicaWait

    /// Begins to connect. May be called from any thread.
    public init(reactor: Reactor, endpoint: RedisEndpoint, options: RedisClientOptions = RedisClientOptions()) {
        self.reactor = reactor
        self.endpoint = endpoint
        self.options = options
        node = RedisNode(reactor: reactor, endpoint: endpoint, options: options, metrics: metrics)
        replicaWait = ReplicaWait(reactor, endpoint, options, counts)
        reactor.execute { self.start() }
    }

    deinit {
        // These are confined to the reactor and have no other owner.
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

    /// Fails pending commands and closes the connection. No more commands are sent.
    public func shutdown() async {
        await reactor.call(stopped: ()) { done in
            self.shutdownOnReactor()
            done(())
        }
    }

    /// Shuts down, on the reactor.
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
            // The rights may have been revoked during the connection.
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
    /// True with a single server, which executes commands with different keys in their order. Replies come in that
    /// order too, except those that wait for replicas. In a cluster only commands of one slot keep their order; send a
    /// dependent command after the reply to the first. False until the kind of server is known. On the reactor.
    public var keepsOrderAcrossKeys: Bool { router == nil && isSingle }

    /// True if the server is a cluster; false until that is known. On the reactor.
    public var isCluster: Bool { router != nil }

    /// The rights of `options.rights` that the user lacks, as far as the servers have reported. Until it is nil, calls
    /// of scripts are rejected locally. From any thread.
    public var missingRights: MissingRights? { knownMissingRights.withLock { $0 } }

    /// Checks the rights again on all connections. On the reactor.
    public func checkRights() {
        for node in allNodes { node.checkRights() }
    }

    /// Checks the server's role, and leaves a server that has become a replica. Has no effect in a cluster. On the
    /// reactor.
    public func checkRole() {
        for node in allNodes { node.checkRole() }
    }

    private var allNodes: [RedisNode] { router.map { $0.nodes.values.map(\.node) } ?? [node] }

    /// The counts of a cluster so far. With a single server only `replicated` and `unreplicated` grow. From any thread.
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
