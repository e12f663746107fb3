import FlatMemory
import PoolCore
import PushProtocol
import Reactor
import TimeCore

/// How pushes end.
extension PushClient {
    /// Ends a push. Its stream, if it has one, has been accounted for.
    func end(_ index: UInt32, _ outcome: PushOutcome) {
        let record = pushes.records[Int(index)]
        pushes.remove(index)
        guard let source = sources[Int(record.source)] else { preconditionFailure("a push without a source") }
        report(source, PushResult(tag: record.tag, slot: record.slot, outcome: outcome))
    }

    func report(_ source: PushSource, _ result: PushResult) {
        switch result.outcome {
        case .accepted: counts.accepted += 1
        case .rejected: counts.rejected += 1
        case .unsent: counts.unsent += 1
        }
        source.outstanding -= 1
        source.results.append(result)
        if !source.isListed {
            source.isListed = true
            reporting.append(source)
        }
    }

    /// Puts the pushes whose streams were refused back, before all others and in their old order; those that were
    /// refused too often end.
    func requeueRefused() {
        guard !refused.isEmpty else { return }
        let indices = refused.sorted { pushes.records[Int($0)].sequence > pushes.records[Int($1)].sequence }
        refused.removeAll(keepingCapacity: true)
        for index in indices {
            let times = pushes.refused(index)
            pushes.requeued(index)
            if times > options.refusalLimit {
                end(index, .unsent(.refusedTooOften, mayHaveBeenDelivered: false))
            } else {
                counts.requeued += 1
            }
        }
    }

    /// Ends or puts back what is on a connection that is over.
    func endPushes(on connection: PushConnection, _ reason: String) {
        // Those refused before are not the connection's any more.
        requeueRefused()
        let slot = Int32(connection.id.slot)
        for index in 0..<pushes.records.count {
            let record = pushes.records[index]
            guard record.isInUse, record.connection == slot else { continue }
            if connection.isWritten(record.stream) {
                end(UInt32(index), .unsent(.connectionLost(reason), mayHaveBeenDelivered: true))
            } else {
                refused.append(UInt32(index))
            }
        }
        requeueRefused()
        requestTurn()
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

    /// One timer serves all pushes, because their deadlines come in the order in which they were taken.
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
            return end(index, .unsent(causeOfWaiting(), mayHaveBeenDelivered: false))
        }
        let wasWritten = connection.cancel(record.stream)
        pool.streamTimedOut(connection.id, now: reactor.now, random: random())
        end(index, .unsent(wasWritten ? .timedOut : .noCapacity, mayHaveBeenDelivered: wasWritten))
    }

    private func causeOfWaiting() -> UnsentCause {
        let isConnected = pool.identifiers.contains { pool.state($0) == .ready }
        return isConnected ? .noCapacity : .noConnection(lastFailure ?? "no answer yet from \(url.authority)")
    }
}
