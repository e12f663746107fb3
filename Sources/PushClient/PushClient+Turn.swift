import FlatMemory
import PoolCore
import PushProtocol
public import Reactor
import TimeCore

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
        while pushes.waitingCount > 0, let id = pool.leastLoaded(), let connection = connections[id.slot] {
            let token = connection.providerToken ?? current
            if connection.tokenUsedSince == nil {
                connection.providerToken = token
                connection.tokenUsedSince = now
            }
            let count = place(min(pool.room(id), PushClient.runLength), on: connection, token)
            pool.streamsOpened(id, count, now: now)
            if count == 0, pushes.waitingCount > 0 { streamsRefused(connection, now) }
            if connection.pendingOutput >= PushClient.flushLimit { flush(connection) }
        }
    }

    /// Opens streams for at most so many waiting pushes; how many it were.
    private func place(_ limit: Int, on connection: PushConnection, _ token: ProviderToken) -> Int {
        var count = 0
        while count < limit, let index = pushes.firstWaiting {
            let record = pushes.records[Int(index)]
            guard let source = sources[Int(record.source)] else {
                preconditionFailure("a waiting push without a source")
            }
            guard connection.load(source, token) else {
                end(index, .unsent(.unsendable, mayHaveBeenDelivered: false))
                continue
            }
            let stream = connection.open(source, pushes.token(index), slot: record.slot, tag: index)
            guard let stream else { break }
            pushes.placed(index, connection: connection.id.slot, stream: stream, tokenEpoch: token.epoch)
            count += 1
        }
        return count
    }

    /// The engine takes no stream although the pool counts on it: it is finished, or waits for the provider.
    private func streamsRefused(_ connection: PushConnection, _ now: MonotonicTime) {
        if connection.isFinished {
            pool.connectionOutdated(connection.id, now: now)
        } else {
            flush(connection)
            if !connection.acceptsStreams { pool.writabilityChanged(connection.id, isWritable: false) }
        }
    }

    private func flushConnections() {
        for connection in connections {
            if let connection, connection.pendingOutput > 0 { flush(connection) }
        }
    }

    private func flush(_ connection: PushConnection) {
        connection.flush()
        noteWritability(connection)
    }

    /// Pushes given to a connection before another one is looked for: few enough to keep the load even, enough to
    /// spare the looking.
    private static let runLength = 32
    /// Plaintext is encrypted in pieces of about this size, so that it is still in the cache.
    static let flushLimit = 65_536

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
            if self.sources.removeIfIdle(source) {
                for connection in connections { connection?.unload(source.index) }
            }
        }
    }

    private func announceRoom() {
        defer { announcedRoom = room }
        guard room > announcedRoom, closing == nil, !listeners.isEmpty else { return }
        // A different one is first each time, so that none lives on what the others leave.
        listeners.append(listeners.removeFirst())
        for listener in listeners where room > 0 { listener.roomGrew(self) }
    }
}
