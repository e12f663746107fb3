import Connecting
import Delivery
import FlatMemory
import HealthCore
import MetricsCore
import PoolCore
public import Reactor
import TimeCore

/// The work of a whole turn of the reactor: it places pushes on streams, writes them, and delivers outcomes.
extension PushClient: TurnParticipant {
    public func turnEnded() {
        isTurnRequested = false
        carryOutActions()
        requeueRefused()
        breaker.connectionsChanged(ready: pool.readyCount, isNeeded: lastDemand > 0, now: reactor.now)
        if isSweepDue { endWithdrawn() }
        placeWaiting()
        flushConnections()
        requeueRefused()
        noteDemand()
        carryOutActions()
        room = roomNow()
        deliverResults()
        announceHealth()
        announceRoom()
        watchHealth()
        if let closing { advance(closing) }
    }

    /// Gives waiting pushes to connections, the oldest first, as long as there are streams.
    func placeWaiting() {
        guard pushes.waitingCount > 0 || pushes.waitingSuspectCount > 0, maySend(reactor.now) else { return }
        let allowance = breaker.allowance(now: reactor.now) ?? .max
        guard allowance > 0 else { return }
        authorization.refresh()
        guard let current = authorization.usable else {
            if let failure = authorization.failure {
                lastFailure = failure
                breaker.authorizationMissing(failure, now: reactor.now, random: random())
            }
            return
        }
        var left = allowance
        placeWaiting(.ordinary, current, &left)
        if pushes.waitingSuspectCount > 0, left > 0 { placeWaiting(.suspects, current, &left) }
        if left < allowance, breaker.isPaused { probeBegan() }
    }

    private func placeWaiting(_ purpose: ConnectionPurpose, _ current: AuthorizationValue, _ left: inout Int) {
        let now = reactor.now
        let isSuspect = purpose == .suspects
        while left > 0, pushes.firstWaiting(isSuspect: isSuspect) != nil, let id = pool.leastLoaded(purpose),
            let connection = connections[id.slot]
        {
            let authorization = connection.authorization ?? current
            if connection.authorizedSince == nil {
                connection.authorization = authorization
                connection.authorizedSince = now
            }
            let count = place(
                min(pool.room(id), PushClient.runLength, left), isSuspect, on: connection, authorization)
            left -= count
            pool.streamsOpened(id, count, now: now)
            if count == 0, pushes.firstWaiting(isSuspect: isSuspect) != nil { streamsRefused(connection, now) }
            if connection.pendingOutput >= PushClient.flushLimit { flushRecords(connection) }
        }
    }

    /// Opens streams for waiting pushes, at most `limit`, and returns their number.
    private func place(
        _ limit: Int, _ isSuspect: Bool, on connection: PushConnection, _ authorization: AuthorizationValue
    ) -> Int {
        var count = 0
        let epoch = authorization.epoch
        // A push that has waited for too long is not sent. Its answer might come after the deadline, which cancels it,
        // and its outcome would be unknown.
        let now = reactor.now
        let latest = now.nanoseconds + options.pushDeadline.nanoseconds / 2
        // A push was taken this long before its deadline.
        let takenBefore = options.pushDeadline.nanoseconds
        let sentAt = PushRecord.clock(now)
        var checked = UInt32.max
        var isCounted = true
        while count < limit, let index = pushes.firstWaiting(isSuspect: isSuspect) {
            let source = pushes.records[Int(index)].source
            let deadline = pushes.records[Int(index)].deadlineNanoseconds
            guard deadline >= latest else {
                end(index, .unsent(.noCapacity, mayHaveBeenDelivered: false))
                continue
            }
            // All pushes of a source have the same end of time.
            if source != checked {
                if sources[source].isOver(now) {
                    end(index, .unsent(.expired, mayHaveBeenDelivered: false))
                    continue
                }
                checked = source
                isCounted = !(sources[source].receiver is OwnProbe)
            }
            let identity = sources.identity(source)
            if !connection.isLoaded(source, identity: identity, epoch: epoch) {
                guard let request = sources[source].request(dialect, authorization, authority: url.authority) else {
                    let cause: UnsentCause = sources[source].isWithdrawn ? .shutDown : .unsendable
                    end(index, .unsent(cause, mayHaveBeenDelivered: false))
                    continue
                }
                connection.load(request, source, identity: identity, epoch: epoch)
            }
            let slot = pushes.records[Int(index)].slot
            guard let stream = connection.open(source, pushes.token(index), slot: slot, tag: index) else { break }
            pushes.placed(
                index, connection: connection.id.slot, stream: stream, epoch: epoch, sentAt: sentAt)
            if isCounted { metrics.queued.record(nanoseconds: now.nanoseconds &+ takenBefore &- deadline) }
            count += 1
            lastPlaced = index
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

    private func flushRecords(_ connection: PushConnection) {
        connection.flushRecords()
        noteWritability(connection)
    }

    private func flush(_ connection: PushConnection) {
        connection.flush()
        noteWritability(connection)
    }

    /// The pushes that a connection gets before another one is selected. More pushes make fewer writes, and fewer
    /// pushes spread the load and small broadcasts.
    static let runLength = 128
    /// Plaintext is encrypted in pieces of about this size, so that it is still in the cache.
    static let flushLimit = 32_768

    /// Calls the receivers with their outcomes. A receiver may push at once. The next turn delivers the outcomes of
    /// these pushes.
    private func deliverResults() {
        deliverAccepted()
        guard !reporting.isEmpty else { return }
        let indexes = reporting
        reporting.removeAll(keepingCapacity: true)
        for index in indexes {
            let source = sources[index]
            let results = source.results
            source.results = []
            source.isListed = false
            results.withUnsafeBufferPointer { source.receiver.pushesEnded($0) }
            outcomesTold(index, results.count)
        }
    }

    /// In runs of the same source, which are about as long as the runs in which pushes were given.
    private func deliverAccepted() {
        guard !accepted.isEmpty else { return }
        swap(&accepted, &delivering)
        let all = delivering.all
        var start = 0
        while start < all.count {
            let index = all[start].source
            var end = start + 1
            while end < all.count, all[end].source == index { end += 1 }
            let source = sources[index]
            if !source.isTopicProven { topicProven(source) }
            metrics.ended(source.event, PushOutcomeNames.accepted, count: end - start)
            source.receiver.pushesAccepted(UnsafeBufferPointer(rebasing: all[start..<end]))
            outcomesTold(index, end - start)
            start = end
        }
        delivering.removeAll()
    }

    private func topicProven(_ source: PushSource) {
        source.isTopicProven = true
        if let topic = source.push.topic { provenTopics.insert(topic) }
    }

    /// True if the provider has accepted a push for the topic of this push.
    func isTopicProven(_ index: UInt32) -> Bool {
        sources[pushes.records[Int(index)].source].push.topic.map(provenTopics.contains) ?? true
    }

    private func outcomesTold(_ index: UInt32, _ count: Int) {
        guard sources.outcomesTold(index, count) else { return }
        for connection in connections { connection?.unload(index) }
    }

    private func announceRoom() {
        defer { announcedRoom = room }
        guard room > announcedRoom, closing == nil, !listeners.isEmpty else { return }
        // A different one is first each time, so that none lives on what the others leave.
        listeners.append(listeners.removeFirst())
        for listener in listeners where room > 0 { listener.roomGrew() }
    }
}
