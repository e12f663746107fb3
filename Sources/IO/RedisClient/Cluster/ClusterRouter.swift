import Reactor
import TimeCore

/// Sends each command to the cluster node with its slot, over one connection for each master. Confined to the reactor.
///
/// A command that cannot be sent now, or that came back without effect, is parked. It waits until its slot has a
/// serving node or its pause ends, at most until its deadline. Parked commands are sent in their order at the end of
/// the turn with the change. Later commands of that turn are parked behind them. Commands of one slot thus keep their
/// order, except those that a node has refused.
///
/// Call `shutDown` before the last reference is released, because commands and router retain each other.
final class ClusterRouter: TurnParticipant {
    let reactor: Reactor
    let endpoint: RedisEndpoint
    let options: RedisClientOptions
    let counts: ClusterCounter
    let metrics: RedisMetrics
    private let stateChanged: (RedisConnectionState) -> Void
    let rightsChanged: (RedisNode) -> Void

    /// The first connected node, until the topology is known.
    var seed: RedisNode?
    var topology: ClusterTopology?
    /// All opened nodes, with the time of the last use by a command or of the last appearance as a master.
    var nodes: [ClusterAddress: (node: RedisNode, usedAt: MonotonicTime)] = [:]

    var refresh = ClusterRefresh()
    var refreshTimer: ReactorTimer?
    /// The topology query in progress: its number, its timer, and a node that was opened only for it.
    var question = 0
    var questionTimer: ReactorTimer?
    var probe: RedisNode?
    var lastRefresh = MonotonicTime(nanoseconds: 0)
    var tickTimer: ReactorTimer?

    var parked: [RoutedCall] = []
    var isReleaseDue = false
    var wakeTimer: ReactorTimer?
    var wakeAt = MonotonicTime(nanoseconds: .max)

    private(set) var openCalls = 0
    private(set) var lastNumber: UInt64 = 0
    /// The reason why no node is reachable, and the time since when.
    var unreachable: (since: MonotonicTime, reason: String)?
    private(set) var isShutDown = false

    /// - Parameter seed: An authenticated node.
    init(
        seed: RedisNode, counts: ClusterCounter, stateChanged: @escaping (RedisConnectionState) -> Void,
        rightsChanged: @escaping (RedisNode) -> Void
    ) {
        self.rightsChanged = rightsChanged
        reactor = seed.reactor
        endpoint = seed.endpoint
        options = seed.options
        metrics = seed.metrics
        self.seed = seed
        self.counts = counts
        self.stateChanged = stateChanged
    }

    /// Takes the commands that wait for the first node, and queries the topology.
    func start() {
        guard let seed else { return }
        seed.owner = self
        while let call = seed.waiting.popFirst() {
            guard !call.sink.isAbandoned, let command = call.command else { continue }
            enqueue(command, until: call.deadline, call.sink)
        }
        scheduleTick()
        wantRefresh()
    }

    func shutDown() {
        guard !isShutDown else { return }
        isShutDown = true
        for timer in [refreshTimer, questionTimer, tickTimer, wakeTimer] {
            if let timer { reactor.cancel(timer) }
        }
        let ending = nodes.values.map(\.node) + [seed, probe].compactMap(\.self)
        nodes = [:]
        (seed, probe) = (nil, nil)
        publishState()
        for node in ending { node.shutDown() }
        failParked(.unavailable(ClusterRouter.shutDownReason, mayHaveBeenExecuted: false))
    }

    private static let shutDownReason = "the client has been shut down"

    // MARK: Commands

    func enqueue(_ command: RedisCommand, until deadline: MonotonicTime, _ sink: ReplySink) {
        if isShutDown {
            return sink.fail(.unavailable(ClusterRouter.shutDownReason, mayHaveBeenExecuted: false))
        }
        guard openCalls < options.commandLimit else {
            metrics.failed(.overloaded)
            return sink.fail(.overloaded)
        }
        if let unreachable {
            return sink.fail(.unavailable(unreachable.reason, mayHaveBeenExecuted: false))
        }
        let route = CommandRoute(command)
        guard route != .unsupported else {
            return sink.fail(.rejected("transactions are not possible in a cluster; a script does the same"))
        }
        lastNumber += 1
        openCalls += 1
        let call = RoutedCall(command, route, until: deadline, number: lastNumber, sink, router: self)
        if isReleaseDue { park(call) } else { dispatch(call) }
    }

    /// Counts a command's outcome.
    func callEnded() {
        openCalls -= 1
    }

    /// Sends a command to the node of its slot, or parks it.
    func dispatch(_ call: RoutedCall) {
        guard let address = address(call.route) else {
            park(call)
            return wantRefresh()
        }
        send(call, to: address, asking: false)
    }

    private func send(_ call: RoutedCall, to address: ClusterAddress, asking: Bool) {
        let node = node(at: address)
        let now = reactor.now
        nodes[address]?.usedAt = now
        if case .refuse = node.life.admission(now) {
            // A failover takes less time; a node that is unreachable for longer fails its commands.
            if case .disconnected(let since, let reason) = node.life.publicState, now - since > ClusterRouter.patience {
                return call.fail(.unavailable(reason, mayHaveBeenExecuted: false))
            }
            park(call)
            return wantRefresh()
        }
        call.send(to: node, asking: asking)
    }

    /// The time for which commands wait for an unreachable master.
    private static let patience = TimeInterval.seconds(15)

    private func address(_ route: CommandRoute) -> ClusterAddress? {
        switch route {
        case .slot(let slot): return topology?.master(of: slot)
        case .any, .unsupported:
            guard let masters = topology?.masters else { return nil }
            // Prefers the node with the fewest calls, because calls accumulate on a node that no longer answers.
            let ready = masters.compactMap { address in
                nodes[address].flatMap { $0.node.isReady ? (address, $0.node.openCalls) : nil }
            }
            return ready.min { $0.1 < $1.1 }?.0 ?? masters.first
        }
    }

    /// Handles a command whose connection failed before it was written, or could not be opened.
    func returned(_ call: RoutedCall, _ error: RedisError) {
        guard !isShutDown else { return call.fail(error) }
        if let unreachable { return call.fail(.unavailable(unreachable.reason, mayHaveBeenExecuted: false)) }
        park(call)
        wantRefresh()
    }

    /// Handles a node's error reply.
    func refused(_ call: RoutedCall, _ message: String) {
        let error = RedisError(errorReply: message)
        guard !isShutDown, let answer = ClusterAnswer(message, asked: call.node?.endpoint.host ?? endpoint.host) else {
            return call.fail(error)
        }
        switch answer {
        case .moved(let slot, let address):
            if topology?.master(of: slot) != address {
                topology?.moved(slot, to: address)
                requestRelease()
            }
            wantRefresh()
            counts.change { $0.redirections += 1 }
        case .ask: counts.change { $0.redirections += 1 }
        case .notNow: wantRefresh()
        case .tryAgain: break
        }
        switch call.retry.refused(answer, random: options.random()) {
        case .resend:
            if case .moved(_, let address) = answer { send(call, to: address, asking: false) }
        case .ask(let address): send(call, to: address, asking: true)
        case .pause(let interval):
            call.notBefore = reactor.now + interval
            park(call)
        case .giveUp:
            // For the caller, a slot that no node accepts is an unavailable server.
            call.fail(.unavailable(message, mayHaveBeenExecuted: false))
        }
    }

    // MARK: State

    func publishState() {
        stateChanged(publicState)
    }

    private var publicState: RedisConnectionState {
        if isShutDown { return .shutDown }
        if let unreachable { return .disconnected(since: unreachable.since, reason: unreachable.reason) }
        return topology != nil && hasReadyNode ? .connected : .connecting
    }

    var hasReadyNode: Bool { nodes.values.contains { $0.node.isReady } }

    func turnEnded() {
        release()
    }
}
