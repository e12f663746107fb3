import Reactor
public import TimeCore

extension RedisClient {
    /// Sends a command and gives its reply to `completion`, once and at the latest when `deadline` (or
    /// `options.commandDeadline`) has passed. The view is valid only while `completion` runs. `completion` may be
    /// called before this returns. An error reply of the server is a failure. On the reactor.
    public func send(
        _ command: RedisCommand, deadline: TimeInterval? = nil,
        completion: @escaping (Result<RedisReplyView, RedisError>) -> Void
    ) {
        enqueue(command, deadline, .view(completion))
    }

    /// The same with a copy of the reply, which may be kept. On the reactor.
    public func call(
        _ command: RedisCommand, deadline: TimeInterval? = nil,
        completion: @escaping (Result<RedisValue, RedisError>) -> Void
    ) {
        enqueue(command, deadline, .view { completion($0.map { $0.copy() }) })
    }

    /// Calls a script by its digest, or by its source when the server does not know it. On the reactor.
    public func run(
        _ script: RedisScript, keys: [some RedisArgumentConvertible],
        arguments: [any RedisArgumentConvertible] = [], deadline: TimeInterval? = nil,
        completion: @escaping (Result<RedisReplyView, RedisError>) -> Void
    ) {
        send(RedisCommand(script: script, keys: keys, arguments: arguments), deadline: deadline, completion: completion)
    }

    func enqueue(_ command: RedisCommand, _ deadline: TimeInterval?, _ sink: ReplySink) {
        assert(reactor.isOnReactor)
        if command.changesProtocol {
            sink.fail(.rejected("the command would change the protocol of a shared connection"))
            return
        }
        guard waiting.count + (connection?.calls.count ?? 0) < options.commandLimit else {
            sink.fail(.overloaded)
            return
        }
        let now = reactor.now
        let end = now + (deadline ?? options.commandDeadline)
        switch life.admission(now) {
        case .send:
            guard let connection else {
                sink.fail(.unavailable("not connected", mayHaveBeenExecuted: false))
                return
            }
            scheduleSweep(end)
            connection.send(command, PendingCall(sink: sink, sent: now, deadline: end, command: nil))
        case .wait:
            scheduleSweep(end)
            waiting.append(PendingCall(sink: sink, sent: now, deadline: end, command: command))
        case .refuse(let reason):
            sink.fail(.unavailable(reason, mayHaveBeenExecuted: false))
        }
    }

    // MARK: Commands that wait for a connection

    func releaseWaiting() {
        while let connection, case .ready = life.state, var call = waiting.popFirst() {
            guard !call.sink.isAbandoned, let command = call.command else { continue }
            call.sent = reactor.now
            connection.send(command, call)
        }
    }

    func failWaiting(_ reason: String) {
        var failed = Ring<PendingCall>()
        swap(&failed, &waiting)
        while let call = failed.popFirst() {
            call.sink.fail(.unavailable(reason, mayHaveBeenExecuted: false))
        }
    }

    // MARK: Deadlines

    /// One timer for all commands, at the earliest deadline.
    private func scheduleSweep(_ deadline: MonotonicTime) {
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
        for sink in expired { sink.fail(.timedOut(mayHaveBeenExecuted: false)) }
    }
}
