public import TimeCore

/// Events of streams and of the need for them. These come once for each push, so they do little.
extension ConnectionPool {
    /// Streams were opened on the connection that `leastLoaded` had named, no more than it has `room` for.
    public mutating func streamsOpened(_ id: ConnectionID, _ count: Int, now: MonotonicTime) {
        guard count > 0, let connection = self[id] else { return }
        guard connection.state == .ready, connection.open + count <= connection.limit else {
            preconditionFailure(
                "\(count) streamsOpened in \(connection.state) with \(connection.open) of \(connection.limit) open")
        }
        connections[id.slot]?.open += count
        connections[id.slot]?.started += count
        lastStreamOpened = now
        if connection.open == 0 {
            connections[id.slot]?.lastProgress =
                connection.cancelledAt.map { connection.lastProgress + (now - $0) } ?? now
            wake(at: now + configuration.stallTimeout)
        }
        if connection.started + count >= configuration.maximumStreamsPerConnection {
            drain(id, .retired, now)
            arrange(now)
        }
    }

    /// Streams have ended, by answers that speak of no trouble or (`answered` false) by resets from either side.
    public mutating func streamsEnded(_ id: ConnectionID, _ count: Int, answered: Bool, now: MonotonicTime) {
        guard count > 0, let connection = self[id] else { return }
        guard connection.open >= count else {
            preconditionFailure("\(count) streamsEnded with \(connection.open) open in \(connection.state)")
        }
        connections[id.slot]?.open -= count
        if answered {
            connections[id.slot]?.lastProgress = now
            connections[id.slot]?.cancelledAt = nil
            connections[id.slot]?.window.served(count)
            connections[id.slot]?.remember(good: count)
            if connection.troubles > 0 { connections[id.slot]?.troubles = 0 }
            if connection.rejections > 0 { connections[id.slot]?.rejections = 0 }
            if !connection.hasAnswered {
                connections[id.slot]?.hasAnswered = true
            }
            if failures > 0, showsService(connection) {
                failures = 0
                nextAttempt = now
            }
        }
        guard connection.open == count else { return }
        if connection.isDraining {
            if !answered { orderlyEndReached(connection, now) }
            forget(id)
            act(.close(id, .drained))
            arrange(now)
        } else if let idleTimeout = configuration.idleTimeout {
            wake(at: now + idleTimeout)
        }
    }

    /// True if an answer on the connection ends the failures in a row. A server may end each connection after one
    /// request.
    private func showsService(_ connection: PooledConnection) -> Bool {
        guard connection.orderlyEnd != nil else { return connection.state == .ready }
        return lastFailure.map { connection.openedAt > $0 } ?? true
    }

    /// Records a stream that was reset because no answer had come. A connection without any answer for half of the
    /// stall timeout is drained.
    /// - Parameter isLate: False if the push was cancelled before its deadline. That alone is no trouble, but the time
    ///   without an answer counts on.
    public mutating func streamTimedOut(
        _ id: ConnectionID, isLate: Bool = true, now: MonotonicTime, random: UInt64
    ) {
        guard let connection = self[id] else { return }
        // The stream was opened after the push was taken, so it has waited for less than the whole deadline.
        let patience = TimeInterval(nanoseconds: configuration.stallTimeout.nanoseconds / 2)
        if connection.state == .ready, connection.lastProgress + patience <= now {
            if !connection.hasAnswered { failed(connection, now, random) }
            drain(id, .stalled, now)
        }
        if connection.open == 1 { connections[id.slot]?.cancelledAt = now }
        streamsEnded(id, 1, answered: false, now: now)
        // A connection that answers other streams is well.
        if isLate, connection.lastProgress + configuration.answersLately <= now { noteTrouble(id, now) }
        arrange(now)
    }

    /// Records the number of ordinary pushes, and of pushes to suspect tokens, that found no room.
    /// - Parameter isFresh: True after a time without any. An attempt is then made soon, without the backoff.
    public mutating func demandChanged(waiting: Int, suspects: Int = 0, isFresh: Bool = false, now: MonotonicTime) {
        self.waiting = waiting
        self.suspects = suspects
        if isFresh, let lastFailure { nextAttempt = min(nextAttempt, lastFailure + configuration.backoff.first) }
        if waiting > 0 || suspects > 0 { arrange(now) }
    }
}
