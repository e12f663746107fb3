import Reactor
import TimeCore

/// What the user may do on this server.
extension RedisNode {
    /// Asks on a connection that is signed in, and then goes on, whatever comes of it. Not called when the connection
    /// ends.
    func checkRights(on connection: RedisConnection, then: @escaping () -> Void) {
        guard let rights = options.rights else { return then() }
        let never = MonotonicTime(nanoseconds: .max)
        RedisRightsCheck(
            rights, user: endpoint.user,
            send: { command, sink in
                connection.send(
                    command, PendingCall(sink: sink, sent: connection.reactor.now, deadline: never, command: nil))
            },
            completion: { [weak self] outcome in
                self?.rightsKnown(outcome)
                then()
            }
        ).run()
    }

    /// Asks once more, unless that is being done.
    func checkRights() {
        guard isReady, let connection, !isCheckingRights else { return }
        isCheckingRights = true
        checkRights(on: connection) { [weak self] in self?.isCheckingRights = false }
    }

    private func rightsKnown(_ outcome: RedisRightsCheck.Outcome) {
        let missing: MissingRights?
        switch outcome {
        case .complete: missing = nil
        case .missing(let rights): missing = rights
        case .unknown: return
        }
        missingRights = missing
        owner?.nodeRightsChanged(self)
    }

    /// Answers a script's call in the server's place while a right is missing that scripts need: the server would carry
    /// out what comes before the command that it refuses.
    func refuses(_ command: RedisCommand, _ sink: ReplySink) -> Bool {
        guard let missingRights, command.script != nil else { return false }
        metrics.failed(.rejected)
        sink.fail(.rejected(missingRights.refusal))
        return true
    }
}
