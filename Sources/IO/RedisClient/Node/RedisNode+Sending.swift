import Reactor
import TimeCore

extension RedisNode {
    /// The number of commands without an outcome.
    var openCalls: Int { waiting.count + (connection?.calls.count ?? 0) + (retiring?.calls.count ?? 0) }

    /// Sends a command, or queues it while a connection may open soon.
    func enqueue(_ command: RedisCommand, until end: MonotonicTime, _ sink: ReplySink) {
        guard !refuses(command, sink) else { return }
        let now = reactor.now
        switch life.admission(now) {
        case .send:
            guard let connection else {
                metrics.failed(.unavailable)
                sink.fail(.unavailable("not connected", mayHaveBeenExecuted: false))
                return
            }
            scheduleSweep(end)
            connection.send(command, PendingCall(sink: sink, sent: now, deadline: end, command: nil))
        case .wait:
            scheduleSweep(end)
            waiting.append(PendingCall(sink: sink, sent: now, deadline: end, command: command))
        case .refuse(let reason):
            metrics.failed(.unavailable)
            sink.fail(.unavailable(reason, mayHaveBeenExecuted: false))
        }
    }

    // MARK: Commands that wait for a connection

    func releaseWaiting() {
        while let connection, case .ready = life.state, var call = waiting.popFirst() {
            guard !call.sink.isAbandoned, let command = call.command, !refuses(command, call.sink) else { continue }
            call.sent = reactor.now
            connection.send(command, call)
        }
    }

    func failWaiting(_ reason: String) {
        var failed = Ring<PendingCall>()
        swap(&failed, &waiting)
        while let call = failed.popFirst() {
            if !call.sink.isAbandoned { metrics.failed(.unavailable) }
            call.sink.fail(.unavailable(reason, mayHaveBeenExecuted: false))
        }
    }

    // MARK: Deadlines

    /// Schedules the one timer of all commands, at the earliest deadline.
    func scheduleSweep(_ deadline: MonotonicTime) {
        guard deadline < sweepAt else { return }
        if let sweepTimer { reactor.cancel(sweepTimer) }
        sweepAt = deadline
        sweepTimer = reactor.schedule(at: deadline) { [weak self] in self?.sweep() }
    }

    private func sweep() {
        let now = MonotonicTime.now()
        sweepTimer = nil
        sweepAt = MonotonicTime(nanoseconds: .max)
        var earliest: MonotonicTime?
        var expired: [ReplySink] = []
        waiting.forEach { _, call in
            guard !call.sink.isAbandoned else { return }
            if call.deadline > now {
                earliest = min(earliest ?? call.deadline, call.deadline)
            } else {
                expired.append(call.sink)
                call.sink = .abandoned
            }
        }
        if let earliest { scheduleSweep(earliest) }
        if let next = connection?.sweep(now) { scheduleSweep(next) }
        for sink in expired {
            metrics.failed(.timedOut)
            sink.fail(.timedOut(mayHaveBeenExecuted: false))
        }
    }
}
