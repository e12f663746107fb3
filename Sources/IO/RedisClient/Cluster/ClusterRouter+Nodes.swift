import Reactor
import TimeCore

// The connections to the nodes.
extension ClusterRouter: RedisNodeOwner {
    /// The node at an address, opened when it is not known yet.
    func node(at address: ClusterAddress) -> RedisNode {
        if let known = nodes[address] { return known.node }
        let node: RedisNode
        // One with several places may be connected to any of them, now or later.
        if let seed, seed.endpoint.location == address.location, seed.endpoint.seeds.isEmpty {
            node = seed
            self.seed = nil
            nodes[address] = (node, reactor.now)
        } else {
            node = RedisNode(
                reactor: reactor, endpoint: endpoint.node(address.location), options: options, metrics: metrics)
            node.owner = self
            nodes[address] = (node, reactor.now)
            node.start()
        }
        return node
    }

    func nodeGreeted(_ node: RedisNode, _ greeting: RedisGreeting) {}

    func nodeRightsChanged(_ node: RedisNode) { rightsChanged(node) }

    func nodeStateChanged(_ node: RedisNode) {
        guard !isShutDown, node !== probe, node !== seed else { return }
        if node.isReady {
            unreachable = nil
        } else if case .disconnected = node.life.publicState {
            wantRefresh()
        }
        requestRelease()
        publishState()
    }

    /// Every slot has a master that is connected to.
    var isSettled: Bool {
        guard let topology else { return false }
        return topology.coveredSlots == ClusterSlot.count
            && topology.masters.allSatisfy { nodes[$0]?.node.isReady == true }
    }

    // MARK: Once a second

    private static let tick = TimeInterval.seconds(1)
    /// The topology is asked for at least this often, so that replicas are known before they are needed.
    private static let refreshInterval = TimeInterval.seconds(30)
    /// A node that is no master is kept for so long after it was last used.
    private static let idleTime = TimeInterval.seconds(30)
    /// A node that has left a command unanswered for so long may have been replaced.
    private static let silence = TimeInterval.seconds(1)

    func scheduleTick() {
        tickTimer = reactor.schedule(after: ClusterRouter.tick) { [weak self] in
            guard let self, !isShutDown else { return }
            lookAround(reactor.now)
            scheduleTick()
        }
    }

    private func lookAround(_ now: MonotonicTime) {
        var isRefreshWanted = now - lastRefresh > ClusterRouter.refreshInterval || !isSettled
        let masters = Set(topology?.masters ?? [])
        for (address, (node, usedAt)) in nodes {
            if node.isSilent(since: now, for: ClusterRouter.silence) { isRefreshWanted = true }
            guard !masters.contains(address), now - usedAt > ClusterRouter.idleTime, node.openCalls == 0 else {
                continue
            }
            nodes[address] = nil
            node.shutDown()
        }
        if isRefreshWanted { wantRefresh() }
    }
}

extension RedisNode {
    /// Whether a command has waited for its reply for `time`, and no other reply has come either.
    func isSilent(since now: MonotonicTime, for time: TimeInterval) -> Bool {
        guard isReady, let connection, let sent = connection.calls.first?.sent else { return false }
        return now - sent > time && now - connection.lastReply > time
    }
}
