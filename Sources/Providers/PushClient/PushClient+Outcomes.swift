import Connecting
import Delivery
import FlatMemory
import HealthCore
import MetricsCore
import PoolCore
import Reactor
import TimeCore

/// The ends of pushes.
extension PushClient {
    /// Ends a push with a 200. Its stream is already accounted for.
    @inline(__always)
    func endAccepted(_ index: UInt32, now: UInt32) {
        let record = pushes.records[Int(index)]
        metrics.answered.record(nanoseconds: record.underWay(now))
        if record.isSuspect { suspects.remove(pushes.token(index)) }
        pushes.remove(index)
        counts.accepted += 1
        accepted.append(AcceptedPush(tag: record.tag, slot: record.slot, source: record.source))
    }

    /// Ends a push in any other way. Its stream, if any, is already accounted for.
    func end(_ index: UInt32, _ outcome: PushOutcome) {
        let record = pushes.records[Int(index)]
        if isProbe(index) { probeEnded(outcome) }
        let outcome = doubts.isEmpty ? outcome : withDoubt(index, outcome)
        pushes.remove(index)
        var sentAgo: TimeInterval?
        if case .rejected = outcome {
            sentAgo = TimeInterval(nanoseconds: record.underWay(PushRecord.clock(reactor.now)))
        }
        report(
            record.source, PushResult(tag: record.tag, slot: record.slot, outcome: outcome, sentAgo: sentAgo))
    }

    func report(_ index: UInt32, _ result: PushResult) {
        let source = sources[index]
        if !(source.receiver is OwnProbe) {
            if case .rejected = result.outcome { counts.rejected += 1 } else { counts.unsent += 1 }
            metrics.ended(source.event, metrics.names.place(result.outcome), count: 1)
        }
        source.results.append(result)
        if !source.isListed {
            source.isListed = true
            reporting.append(index)
        }
    }

    /// Requeues pushes without streams. Those displaced by their connection's end or limit come first, in their old
    /// order. Refused ones come last, so that they delay no others.
    func requeueRefused() {
        guard !refused.isEmpty || !displaced.isEmpty else { return }
        let displaced = displaced.sorted { pushes.records[Int($0)].sequence > pushes.records[Int($1)].sequence }
        self.displaced.removeAll(keepingCapacity: true)
        for index in displaced {
            if isProbe(index) { probeLost() }
            pushes.displaced(index)
            counts.requeued += 1
        }
        let refused = refused.sorted { pushes.records[Int($0)].sequence < pushes.records[Int($1)].sequence }
        self.refused.removeAll(keepingCapacity: true)
        for index in refused {
            if isProbe(index) { probeEnded(served: ProviderTrouble(kind: .refused, name: "Refused")) }
            pushes.refused(index)
            let record = pushes.records[Int(index)]
            // A suspect has been refused before.
            if record.refusals >= (record.isSuspect ? 1 : PushClient.mostRefusals) {
                refusedTooOften(index)
            } else {
                pushes.requeued(index)
                counts.requeued += 1
            }
        }
    }

    /// The number of refusals after which a push is returned to its caller.
    private static let mostRefusals = 4

    private func refusedTooOften(_ index: UInt32) {
        let slot = Int(pushes.records[Int(index)].connection)
        // If other pushes are served, this push itself is the cause, and the next one to this device will probably be
        // refused too.
        if let connection = connections[slot], pool.servesMost(connection.id) { suspects.insert(pushes.token(index)) }
        end(index, .unsent(.refusedTooOften, mayHaveBeenDelivered: false))
    }

    /// Ends or requeues the pushes of a connection that has ended.
    func endPushes(on connection: PushConnection, _ reason: String) {
        // Pushes that were refused before no longer belong to the connection.
        requeueRefused()
        let slot = Int32(connection.id.slot)
        settleAnswered(on: connection)
        for index in 0..<pushes.records.count {
            let record = pushes.records[index]
            guard record.isInUse, record.connection == slot else { continue }
            if connection.isWritten(record.stream) {
                end(UInt32(index), .unsent(.connectionLost(reason), mayHaveBeenDelivered: true))
            } else {
                displaced.append(UInt32(index))
            }
        }
        requeueRefused()
        requestTurn()
    }

    /// Ends the pushes whose status has arrived, but not the whole answer.
    private func settleAnswered(on connection: PushConnection) {
        var isAny = false
        for index in 0..<pushes.records.count {
            let record = pushes.records[index]
            guard record.isInUse, record.connection == Int32(connection.id.slot) else { continue }
            if connection.settle(record.stream) { isAny = true }
        }
        if isAny { handleEvents(connection) }
    }

    // MARK: Deadlines

    func setDeadlineTimer() {
        guard let first = pushes.firstDeadline else {
            isDeadlineTimerSet = false
            return
        }
        isDeadlineTimerSet = true
        reactor.schedule(at: first.deadline) { [weak self] in self?.deadlineTimerFired() }
    }

    /// One timer serves all pushes, because their deadlines have the order of their arrival.
    private func deadlineTimerFired() {
        requeueRefused()
        let now = MonotonicTime.now()
        while let first = pushes.firstDeadline, first.deadline <= now { deadlinePassed(first.index) }
        setDeadlineTimer()
        requestTurn()
    }

    private func deadlinePassed(_ index: UInt32) {
        let record = pushes.records[Int(index)]
        guard record.connection != PushRecord.waiting, let connection = connections[Int(record.connection)] else {
            return end(index, .unsent(causeOfWaiting(record), mayHaveBeenDelivered: false))
        }
        cancel(index, record.stream, on: connection, isLate: true)
    }

    /// True if the provider has served a push since this one was sent.
    private func hasServed(since record: PushRecord) -> Bool {
        breaker.lastServed.map { record.isSent(before: PushRecord.clock($0)) } ?? false
    }

    /// Ends a push that has a stream. An answer that has begun counts, because its body may never arrive.
    /// - Parameter isLate: True if its deadline has passed, which is trouble of the provider.
    private func cancel(_ index: UInt32, _ stream: UInt32, on connection: PushConnection, isLate: Bool) {
        if connection.settle(stream) { return handleEvents(connection) }
        let wasWritten = connection.cancel(stream)
        if wasWritten, isLate, !isProbe(index) {
            troubled(.noAnswer, on: connection.id, pauses: !hasServed(since: pushes.records[Int(index)]))
        }
        pool.streamTimedOut(connection.id, isLate: isLate, now: reactor.now, random: random())
        end(index, .unsent(wasWritten ? .timedOut : .noCapacity, mayHaveBeenDelivered: wasWritten))
    }

    /// Cancels the receiver's unanswered pushes, except a probe. They end as at their deadline, but do not count as
    /// trouble, because the provider may only be slow. On the reactor only.
    public func cancelUnanswered(_ receiver: any PushOutcomeReceiver) {
        requeueRefused()
        let given = sources.indexes(of: receiver)
        guard !given.isEmpty else { return }
        for index in 0..<UInt32(pushes.records.count) {
            let record = pushes.records[Int(index)]
            guard record.isInUse, record.connection != PushRecord.waiting, given.contains(record.source),
                !isProbe(index), let connection = connections[Int(record.connection)]
            else { continue }
            cancel(index, record.stream, on: connection, isLate: false)
        }
        requestTurn()
    }

    private func causeOfWaiting(_ record: PushRecord) -> UnsentCause {
        if record.refusals > 0 { return .refusedTooOften }
        let isConnected = pool.identifiers.contains { pool.state($0) == .ready }
        return isConnected ? .noCapacity : .noConnection(lastFailure ?? "no answer yet from \(url.authority)")
    }
}
