import Delivery
import FlatMemory
import PoolCore
import Reactor
public import TimeCore

/// The shutdown of a client.
extension PushClient {
    /// A shutdown in progress.
    final class Closing {
        /// The callers that wait for the end.
        var waiters: [@Sendable () -> Void] = []
        var isOver = false
        var timer: ReactorTimer?
    }

    /// Stops accepting pushes, waits at most `deadline` for the outcomes, and closes all connections in order (GOAWAY,
    /// close_notify). Remaining pushes end as `unsent(.shutDown)`. From any thread; a second call waits for the same
    /// end.
    public func shutdown(deadline: TimeInterval) async {
        await reactor.call(stopped: ()) { [self] finished in
            let closing = self.closing ?? Closing()
            if closing.isOver { return finished(()) }
            closing.waiters.append { finished(()) }
            if self.closing == nil {
                self.closing = closing
                closing.timer = reactor.schedule(after: deadline) { [weak self] in self?.endRemaining() }
            }
            requestTurn()
        }
    }

    /// Called at the end of each turn during a shutdown.
    func advance(_ closing: Closing) {
        // A probe of the credential delays no shutdown.
        if pushes.count == 1, let last = pushes.firstDeadline, isOwn(last.index) { return endRemaining() }
        guard !closing.isOver, pushes.count == 0, reporting.isEmpty, accepted.isEmpty else { return }
        closing.isOver = true
        pool.shutdownRequested()
        carryOutActions()
        for timer in [poolTimer, closing.timer] {
            if let timer { reactor.cancel(timer) }
        }
        stopWatching()
        room = 0
        listeners.removeAll()
        let waiters = closing.waiters
        closing.waiters = []
        for waiter in waiters { waiter() }
    }

    private func endRemaining() {
        requeueRefused()
        while let first = pushes.firstDeadline {
            let record = pushes.records[Int(first.index)]
            var wasWritten = false
            if record.connection != PushRecord.waiting, let connection = connections[Int(record.connection)] {
                wasWritten = connection.cancel(record.stream)
                pool.streamsEnded(connection.id, 1, answered: false, now: reactor.now)
            }
            end(first.index, .unsent(.shutDown, mayHaveBeenDelivered: wasWritten))
        }
        requestTurn()
    }
}
