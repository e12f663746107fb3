import Reactor
import TimeCore

/// The user's rights on this server.
extension RedisNode {
    /// Checks the rights on an authenticated connection, then calls `then` with any result. Does not call it if the
    /// connection ends.
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

    /// Checks the rights again, unless a check is in progress.
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

    /// Rejects a script's call locally while a right is missing. The server would run the script up to the refused
    /// command.
    func refuses(_ command: RedisCommand, _ sink: ReplySink) -> Bool {
        guard let missingRights, command.script != nil else { return false }
        metrics.failed(.rejected)
        sink.fail(.rejected(missingRights.refusal))
        return true
    }
}
