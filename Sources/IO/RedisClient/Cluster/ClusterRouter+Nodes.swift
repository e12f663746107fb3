import Reactor
import TimeCore

// The connections to the nodes.
extension ClusterRouter: RedisNodeOwner {
    /// Returns the node at an address, opened if it is unknown.
    func node(at address: ClusterAddress) -> RedisNode {
        if let known = nodes[address] { return known.node }
        let node: RedisNode
        // A node with several locations may be connected to any of them, now or later.
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

    /// True if every slot has a connected master.
    var isSettled: Bool {
        guard let topology else { return false }
        return topology.coveredSlots == ClusterSlot.count
            && topology.masters.allSatisfy { nodes[$0]?.node.isReady == true }
    }

    // MARK: Once a second

    private static let tick = TimeInterval.seconds(1)
    /// The maximum time between topology queries. Replicas are thus known before they are needed.
    private static let refreshInterval = TimeInterval.seconds(30)
    /// The time after its last use for which a node that is not a master is kept.
    private static let idleTime = TimeInterval.seconds(30)
    /// The time without a reply to a waiting command, after which a node may have been replaced.
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
    /// True if a command has waited for its reply for `time`, and no other reply has arrived.
    func isSilent(since now: MonotonicTime, for time: TimeInterval) -> Bool {
        guard isReady, let connection, let sent = connection.calls.first?.sent else { return false }
        return now - sent > time && now - connection.lastReply > time
    }
}
