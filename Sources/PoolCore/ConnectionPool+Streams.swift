public import TimeCore

/// Events of streams and of the need for them. These come once for each push, so they do little.
extension ConnectionPool {
    /// A stream was opened on the connection that `leastLoaded` had named.
    public mutating func streamOpened(_ id: ConnectionID, now: MonotonicTime) {
        guard let connection = self[id] else { return }
        guard connection.state == .ready, connection.open < connection.limit else {
            preconditionFailure(
                "streamOpened in \(connection.state) with \(connection.open) of \(connection.limit) streams open")
        }
        connections[id.slot]?.open += 1
        connections[id.slot]?.started += 1
        lastStreamOpened = now
        if connection.open == 0 {
            connections[id.slot]?.lastProgress = now
            wake(at: now + configuration.stallTimeout)
        }
        if connection.started + 1 >= configuration.maximumStreamsPerConnection {
            drain(id, .retired, now)
            arrange(now)
        }
    }

    /// A stream has ended, by an answer or (`answered` false) by a reset from either side.
    public mutating func streamEnded(_ id: ConnectionID, answered: Bool, now: MonotonicTime) {
        guard let connection = self[id] else { return }
        guard connection.open > 0 else { preconditionFailure("streamEnded with none open in \(connection.state)") }
        connections[id.slot]?.open -= 1
        if answered {
            connections[id.slot]?.lastProgress = now
            if !connection.hasAnswered {
                connections[id.slot]?.hasAnswered = true
            }
            if backoff.failures > 0, connection.state == .ready {
                backoff.succeeded()
                nextAttempt = now
            }
        }
        if connection.isDraining, connection.open == 1 {
            forget(id)
            act(.close(id, .drained))
            arrange(now)
        }
    }

    /// A stream was given up because its answer had not come by the push's deadline. A connection that has answered
    /// nothing else for long either is suspect.
    public mutating func streamTimedOut(_ id: ConnectionID, now: MonotonicTime, random: UInt64) {
        guard let connection = self[id] else { return }
        // The stream was opened after the push was taken, so it has waited for less than the whole deadline.
        let patience = TimeInterval(nanoseconds: configuration.stallTimeout.nanoseconds / 2)
        if connection.state == .ready, connection.lastProgress + patience <= now {
            if !connection.hasAnswered { failed(now, random) }
            drain(id, .stalled, now)
        }
        streamEnded(id, answered: false, now: now)
        arrange(now)
    }

    /// So many pushes found no room.
    public mutating func demandChanged(waiting: Int, now: MonotonicTime) {
        self.waiting = waiting
        if waiting > 0 { arrange(now) }
    }
}
