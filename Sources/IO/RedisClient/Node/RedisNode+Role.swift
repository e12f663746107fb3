import Reactor
import TimeCore

// Leaves a single server that refuses writes. After a failover, the primary's address or another configured place leads
// to the new primary. In a cluster the router does this.
extension RedisNode {
    /// Time for the replies of commands that were sent before the refusal.
    private static let retirement = TimeInterval.seconds(1)

    func connectionRefused(_ connection: RedisConnection, _ message: String) {
        guard isSingle, options.needsPrimary, connection === self.connection, case .ready = life.state else { return }
        let reason = RedisRefusal.words(message)
        self.connection = nil
        retiring?.close(reason)
        retiring = connection
        connection.retire(reason)
        reactor.schedule(after: RedisNode.retirement) { [weak connection] in connection?.close(reason) }
        metrics.connectionsLost += 1
        firstPlace = place + 1
        perform(life.connectionLost("\(reason) (\(endpoint))", .now(), random: options.random()))
    }

    /// Asks the server for its role, unless a question is under way. Without writes nothing else would reveal that the
    /// server has become a replica.
    func checkRole() {
        guard isSingle, isReady, let connection, !isAskingRole else { return }
        isAskingRole = true
        let now = reactor.now
        let sink = ReplySink.view { [weak self] result in
            guard let self else { return }
            isAskingRole = false
            guard let refusal = RedisGreeting(try? result.get()).refusal else { return }
            connectionRefused(connection, refusal)
        }
        scheduleSweep(now + options.commandDeadline)
        connection.send(
            RedisGreeting.question.asProbe(),
            PendingCall(sink: sink, sent: now, deadline: now + options.commandDeadline, command: nil))
    }
}
