import Reactor
import TimeCore

// Holds back replies of a cluster's node until a replica has the writes before them.
extension RedisNode {
    /// The time without waits after a wait that no replica answered. WAIT blocks the connection, so a node without
    /// replicas would serve nothing else.
    private static let recess = TimeInterval.seconds(10)

    /// Calls `RoutedCall.replicated` after a wait, or at once if there are no waits now. Calls that come during a wait
    /// share the next wait.
    func awaitReplica(_ call: RoutedCall) {
        guard isReady, reactor.now >= waitsAgainAt else { return call.replicated(by: 0) }
        waitLimit = call.command.replicationWait
        if waits.joined(call) { beginWait() }
    }

    private func beginWait() {
        let deadline = reactor.now + .milliseconds(Int(waitLimit)) + options.commandDeadline
        enqueue(RedisCommand("WAIT", 1, Int(waitLimit)), until: deadline, .view { [self] in waitEnded($0) })
    }

    private func waitEnded(_ result: Result<RedisReplyView, RedisError>) {
        var (members, beginsNext) = waits.ended()
        let replicas = (try? result.get().integer) ?? 0
        if replicas == 0 {
            if !result.isLoss { waitsAgainAt = reactor.now + RedisNode.recess }
            // The next wait would fail too, or prove nothing: another connection has none of the writes.
            members += waits.ended().members
            beginsNext = false
        }
        if beginsNext { beginWait() }
        for call in members { call.replicated(by: replicas) }
    }
}

extension Result<RedisReplyView, RedisError> {
    /// True if the connection was lost or the deadline passed before the answer.
    fileprivate var isLoss: Bool {
        switch self {
        case .failure(.unavailable), .failure(.timedOut): true
        case .success, .failure: false
        }
    }
}
