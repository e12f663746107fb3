import Reactor
import TimeCore

/// One command on its way through a cluster. Sent as often as its node, its budget and its deadline allow; has one
/// outcome. Confined to the reactor.
final class RoutedCall {
    private enum State {
        /// With the router: not sent, or refused without effect.
        case parked
        /// With a node.
        case sent
        /// Answered, and waiting for a replica.
        case held(RedisValue)
        case done
    }

    let command: RedisCommand
    let route: CommandRoute
    let deadline: MonotonicTime
    /// Grows with every command: the order in which parked commands are sent.
    let number: UInt64
    /// Not to be sent before; nil while it waits for its slot to have a node that can serve.
    var notBefore: MonotonicTime?
    var retry = ClusterRetry()
    /// True if it was ever parked.
    var isDelayed = false

    private let router: ClusterRouter
    private let sink: ReplySink
    private var state = State.parked
    private var isAsking = false
    /// The node to which it was sent last.
    private(set) var node: RedisNode?

    init(
        _ command: RedisCommand, _ route: CommandRoute, until deadline: MonotonicTime, number: UInt64,
        _ sink: ReplySink,
        router: ClusterRouter
    ) {
        self.command = command
        self.route = route
        self.deadline = deadline
        self.number = number
        self.sink = sink
        self.router = router
    }

    var isDone: Bool {
        if case .done = state { true } else { false }
    }

    // MARK: Sending

    private static let asking = RedisCommand("ASKING")

    /// Gives the command to a node; behind ASKING when the slot is not the node's yet.
    func send(to node: RedisNode, asking: Bool) {
        state = .sent
        notBefore = nil
        isAsking = asking
        self.node = node
        if asking { node.enqueue(RoutedCall.asking, until: deadline, .view { _ in }) }
        node.enqueue(command, until: deadline, .routed(self))
    }

    /// The node has given the command back unsent. False if it has its outcome already.
    func takeBack() -> Bool {
        guard case .sent = state else { return false }
        state = .parked
        return true
    }

    /// Sends a script's source on the connection that did not know its digest, with what belongs to it.
    func sendAgain(_ command: RedisCommand, _ call: PendingCall, on connection: RedisConnection) {
        if isAsking {
            let asking = PendingCall(
                sink: .view { _ in }, sent: connection.reactor.now, deadline: deadline, command: nil)
            connection.send(RoutedCall.asking, asking)
        }
        connection.send(command, call)
    }

    /// Gives the held reply.
    /// - Parameter replicas: the number of replicas that have the write.
    func replicated(by replicas: Int64) {
        guard case .held(let reply) = state else { return }
        router.counts.change { counts in
            if replicas > 0 { counts.replicated += 1 } else { counts.unreplicated += 1 }
        }
        finish()
        RedisReplyView.withView(of: reply) { sink.succeed($0) }
    }

    // MARK: Outcomes of one sending

    func answered(_ reply: RedisReplyView) {
        guard case .sent = state else { return }
        if command.replicationWait > 0, let node {
            state = .held(reply.copy())
            node.awaitReplica(self)
        } else {
            finish()
            sink.succeed(reply)
        }
    }

    func failed(_ error: RedisError) {
        guard case .sent = state else { return }
        if case .unavailable(_, mayHaveBeenExecuted: false) = error {
            state = .parked
            router.returned(self, error)
        } else {
            fail(error)
        }
    }

    func refused(_ message: String) {
        guard case .sent = state else { return }
        state = .parked
        router.refused(self, message)
    }

    // MARK: The outcome

    func fail(_ error: RedisError) {
        guard !isDone else { return }
        finish()
        sink.fail(error)
    }

    private func finish() {
        state = .done
        node = nil
        router.callEnded()
    }
}
