import PoolCore
public import Reactor

/// What is done once for a whole turn of the reactor: placing pushes on streams, writing, telling outcomes.
extension PushClient: TurnParticipant {
    public func turnEnded() {
        isTurnRequested = false
        carryOutActions()
        requeueRefused()
        placeWaiting()
        flushConnections()
        requeueRefused()
        pool.demandChanged(waiting: pushes.waitingCount, now: reactor.now)
        carryOutActions()
        room = max(0, pool.freeStreams + options.queueLimit - pushes.waitingCount)
        deliverResults()
        announceRoom()
        if let closing { advance(closing) }
    }

    /// Gives waiting pushes to connections, the oldest first, as long as there are streams.
    private func placeWaiting() {
        guard pushes.waitingCount > 0 else { return }
        if tokens.refresh() { providerTokenChanged() }
        guard let current = tokens.current else {
            lastFailure = tokens.failure
            return
        }
        let now = reactor.now
        while let index = pushes.firstWaiting, let id = pool.leastLoaded(), let connection = connections[id.slot] {
            let record = pushes.records[Int(index)]
            guard let source = sources[Int(record.source)] else {
                preconditionFailure("a waiting push without a source")
            }
            let token = connection.providerToken ?? current
            if connection.tokenUsedSince == nil {
                connection.providerToken = token
                connection.tokenUsedSince = now
            }
            let stream = connection.session.submit(
                source.template, token, deviceToken: pushes.token(index), slot: record.slot, tag: index)
            guard let stream else {
                pool.connectionOutdated(id, now: now)
                continue
            }
            pushes.placed(index, connection: id.slot, stream: stream, tokenEpoch: token.epoch)
            pool.streamOpened(id, now: now)
            connection.unflushed += 1
            if connection.unflushed >= PushClient.flushLimit { flush(connection) }
        }
    }

    private func flushConnections() {
        for connection in connections {
            if let connection { flush(connection) }
        }
    }

    private func flush(_ connection: PushConnection) {
        connection.flush()
        if connection.backlog > PushClient.backlogLimit {
            pool.writabilityChanged(connection.id, isWritable: false)
        }
        handleEvents(connection)
    }

    /// Pushes submitted to a connection before they are encrypted, so that the session does not hold too many.
    private static let flushLimit = 128
    /// Above this a connection takes no pushes until its socket has caught up.
    private static let backlogLimit = 262_144

    private func deliverResults() {
        guard !reporting.isEmpty else { return }
        let sources = reporting
        reporting.removeAll(keepingCapacity: true)
        for source in sources {
            // The receiver may push from within the call, which may give new results at once.
            let results = source.results
            source.results = []
            source.isListed = false
            results.withUnsafeBufferPointer { source.receiver.pushesEnded($0) }
            if source.results.isEmpty, source.results.capacity == 0 {
                source.results.reserveCapacity(results.count)
            }
        }
        self.sources.removeIdle()
    }

    private func announceRoom() {
        defer { announcedRoom = room }
        guard room > announcedRoom, closing == nil, !listeners.isEmpty else { return }
        // A different one is first each time, so that none lives on what the others leave.
        listeners.append(listeners.removeFirst())
        for listener in listeners where room > 0 { listener.roomGrew(self) }
    }
}
