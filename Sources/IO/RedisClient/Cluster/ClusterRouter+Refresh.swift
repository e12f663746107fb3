import Reactor
import TimeCore

// Performs the decisions of `ClusterRefresh`.
extension ClusterRouter {
    func wantRefresh() {
        guard !isShutDown else { return }
        perform(refresh.wanted(reactor.now))
    }

    private func perform(_ actions: [ClusterRefresh.Action]) {
        for action in actions where !isShutDown {
            switch action {
            case .schedule(let time):
                if let refreshTimer { reactor.cancel(refreshTimer) }
                refreshTimer = reactor.schedule(at: time) { [weak self] in
                    guard let self else { return }
                    refreshTimer = nil
                    perform(refresh.due(.now(), sources: sources()))
                }
            case .ask(let address): ask(address)
            case .roundFailed(let reason): roundFailed(reason)
            }
        }
    }

    /// Returns the nodes to query: connected ones, other known ones, then configured ones.
    private func sources() -> [ClusterAddress?] {
        guard let topology else { return [nil] }
        var ready = nodes.filter(\.value.node.isReady).map(\.key)
        // The order varies, because a node's view may be outdated.
        ready.shuffle(by: options.random)
        var others = (topology.masters + topology.replicas).filter { !ready.contains($0) }
        others.shuffle(by: options.random)
        let known: [ClusterAddress?] = ready + others
        return known.prefix(ClusterRefresh.maximumSources - 1) + [nil]
    }

    // MARK: Asking one node

    /// The timeout of one node.
    private static let answerTime = TimeInterval.seconds(1)
    private static let slots = RedisCommand("CLUSTER", "SLOTS")

    private func ask(_ address: ClusterAddress?) {
        question += 1
        let current = question
        let node = node(toAsk: address)
        let asked = node.endpoint.host
        questionTimer = reactor.schedule(after: ClusterRouter.answerTime) { [weak self] in
            self?.answered(current, .failure("\(node.endpoint) did not name the slots in time"))
        }
        // The timer above limits the time, because a command's deadline would close a slow node's connection.
        node.enqueue(
            ClusterRouter.slots, until: reactor.now + options.commandDeadline,
            .view { [weak self] result in
                switch result {
                case .success(let reply):
                    let topology = ClusterTopology(reply.copy(), asked: asked)
                    self?.answered(
                        current, topology.map { .success($0) } ?? .failure("\(node.endpoint) names no slots"))
                case .failure(let error): self?.answered(current, .failure(error.description))
                }
            })
    }

    private enum Answer {
        case success(ClusterTopology)
        case failure(String)
    }

    private func node(toAsk address: ClusterAddress?) -> RedisNode {
        if let address, let known = nodes[address]?.node, known.isReady { return known }
        if address == nil, let seed, seed.isReady { return seed }
        let configured = [endpoint.location] + endpoint.seeds
        var options = options
        options.scripts = []
        options.stateChanged = nil
        options.connectDeadline = min(options.connectDeadline, ClusterRouter.answerTime)
        let probe = RedisNode(
            reactor: reactor, endpoint: endpoint.node(address?.location ?? configured[question % configured.count]),
            options: options, metrics: metrics)
        self.probe = probe
        probe.start()
        return probe
    }

    private func answered(_ number: Int, _ answer: Answer) {
        guard number == question, !isShutDown else { return }
        question += 1
        if let questionTimer { reactor.cancel(questionTimer) }
        questionTimer = nil
        let probe = probe
        self.probe = nil
        let now = reactor.now
        switch answer {
        case .success(let topology):
            adopt(topology, now)
            perform(refresh.answered(now, isSettled: isSettled, random: options.random()))
        case .failure(let reason):
            perform(refresh.failed(reason, now, random: options.random()))
        }
        probe?.shutDown()
    }

    private func adopt(_ topology: ClusterTopology, _ now: MonotonicTime) {
        self.topology = topology
        lastRefresh = now
        unreachable = nil
        counts.change { $0.refreshes += 1 }
        for address in topology.masters {
            _ = node(at: address)
            nodes[address]?.usedAt = now
        }
        // The seed has answered. If it is a master, it is kept under its own address.
        seed?.shutDown()
        seed = nil
        requestRelease()
        publishState()
    }

    private func roundFailed(_ reason: String) {
        guard !hasReadyNode else { return }
        if unreachable == nil { unreachable = (.now(), reason) }
        unreachable?.reason = reason
        publishState()
        failParked(.unavailable(reason, mayHaveBeenExecuted: false))
    }
}

extension Array {
    fileprivate mutating func shuffle(by random: () -> Double) {
        for place in indices.dropFirst().reversed() {
            swapAt(place, Swift.min(place, Int(random() * Double(place + 1))))
        }
    }
}
