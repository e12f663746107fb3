import Connecting
import Delivery
import FlatMemory
import HTTP2Core
import HealthCore
import MetricsCore
import PoolCore
import Reactor
import TimeCore

/// Events of connections, and the commands of the pool.
extension PushClient {
    func connectionEstablished(_ connection: PushConnection) {
        counts.connectionsOpened += 1
        pool.connectionOpened(connection.id, now: reactor.now)
        requestTurn()
    }

    func connectionReceived(_ connection: PushConnection) {
        pool.bytesReceived(connection.id, now: reactor.now)
        handleEvents(connection)
        noteWritability(connection)
        requestTurn()
        if let failure = connection.failure {
            connection.flush()
            connectionEnded(connection, "\(connection.address.map { "\($0): " } ?? "")\(failure)")
        }
    }

    func connectionDrained(_ connection: PushConnection) {
        noteWritability(connection)
        requestTurn()
    }

    /// A connection takes pushes while its socket and the provider's window keep up.
    func noteWritability(_ connection: PushConnection) {
        let isWritable =
            connection.backlog <= PushClient.backlogLimit && connection.pendingOutput < 2 * PushClient.flushLimit
            && connection.hasSendWindow
        pool.writabilityChanged(connection.id, isWritable: isWritable)
    }

    /// Above this a connection takes nothing until its socket has caught up.
    static let backlogLimit = 262_144

    /// The provider ended the connection, or the attempt failed.
    func connectionEnded(_ connection: PushConnection, _ reason: String) {
        if connection.isEndingOrderly, pool.openStreams(connection.id) == 0 { return remove(connection, reason) }
        lastFailure = reason
        if connection.isEstablished { counts.connectionsLost += 1 } else { counts.attemptsFailed += 1 }
        switch pool.state(connection.id) {
        case .opening, .awaitingSettings: attemptFailed(reason)
        case .ready where pool.openStreams(connection.id) > 0:
            troubled(ProviderTrouble(kind: .noAnswer, name: "NoAnswer"), on: connection.id)
        default: break
        }
        onEvent?(connection.isEstablished ? .connectionLost(reason: reason) : .failing(reason: reason))
        remove(connection, reason)
    }

    private func remove(_ connection: PushConnection, _ reason: String) {
        connection.close(abruptly: true)
        endPushes(on: connection, reason)
        connections[connection.id.slot] = nil
        pool.connectionLost(connection.id, now: reactor.now, random: random())
        requestTurn()
    }

    /// Handles the events of the bytes that were received, in order.
    func handleEvents(_ connection: PushConnection) {
        let now = reactor.now
        let id = connection.id
        let clock = PushRecord.clock(now)
        // Nearly all events are acceptances. The pool gets their number at once.
        var count = 0
        let refusedBefore = refused.count
        connection.takeEvents { event in
            if case .accepted(let tag) = event {
                count += 1
                return endAccepted(tag, now: clock)
            }
            served(id, count, now: now)
            count = 0
            handle(event, connection, now)
        }
        served(id, count, now: now)
        lookForProbe()
        if refused.count > refusedBefore { streamsRefused(connection, from: refusedBefore, now) }
    }

    /// The provider has refused streams, and keeps the connection or leaves it.
    private func streamsRefused(_ connection: PushConnection, from first: Int, _ now: MonotonicTime) {
        let count = refused.count - first
        // A provider may refuse streams just before it lowers its limit.
        let isOverLimit = pool.openStreams(connection.id) > pool.streamLimit(connection.id)
        guard pool.state(connection.id) == .ready, !isOverLimit else {
            displaced.append(contentsOf: refused[first...])
            refused.removeSubrange(first...)
            return pool.streamsEnded(connection.id, count, answered: false, now: now)
        }
        let repeated = refused[first...].count { pushes.records[Int($0)].refusals > 0 }
        pool.streamsRefused(connection.id, count, repeated: repeated, now: now)
        // Answers to suspect tokens say nothing about other pushes.
        if pool.purpose(connection.id) == .ordinary { breaker.refused(count, now: now, random: random()) }
    }

    private func handle(_ event: HTTP2Event, _ connection: PushConnection, _ now: MonotonicTime) {
        switch event {
        case .accepted: break
        case .answered(let tag, let status, let details):
            rejected(tag, status, connection.takeDetails(details), connection)
        case .reset(let tag, let errorCode):
            if errorCode == HTTP2ErrorCode.refusedStream {
                // The refusal of a stream that was opened under a higher limit says nothing about push or provider.
                let isUnderLimit = pushes.records[Int(tag)].stream >= connection.firstUnderLimit
                if isUnderLimit {
                    refused.append(tag)
                } else {
                    displaced.append(tag)
                    pool.streamsEnded(connection.id, 1, answered: false, now: now)
                }
            } else {
                pool.streamReset(connection.id, now: now)
                if !isProbe(tag) { troubled(.noAnswer, on: connection.id) }
                end(tag, .unsent(.streamReset(errorCode), mayHaveBeenDelivered: true))
            }
        case .settings(let maximum):
            let isNew = pool.state(connection.id) == .awaitingSettings
            let former = pool.streamLimit(connection.id)
            pool.settingsReceived(connection.id, maximumConcurrentStreams: maximum, now: now)
            if pool.streamLimit(connection.id) < former { connection.limitLowered() }
            if isNew {
                onEvent?(
                    .connectionReady(
                        address: connection.address?.description ?? "",
                        streamLimit: pool.streamLimit(connection.id)))
            }
            lastFailure = nil
        case .goAway(let errorCode):
            metrics.goAwayReceived(errorCode: errorCode)
            // A provider may send one with each frame.
            if connection.noteGoAway(errorCode) {
                onEvent?(.goAway(address: connection.address?.description ?? "", errorCode: errorCode))
            }
            pool.goAwayReceived(
                connection.id, isOrderly: connection.isEndingOrderly, now: now, random: random())
        case .pingAcknowledged:
            pool.pingAcknowledged(connection.id, now: now)
        }
    }

    private func rejected(
        _ tag: UInt32, _ status: UInt16, _ details: HTTP2AnswerDetails, _ connection: PushConnection
    ) {
        var (rejection, reaction) = dialect.rejection(status: status, details)
        if rejection.classification.mayBlameTopic, !isTopicProven(tag) { rejection = rejection.blamingTopic }
        observer?.pushRejected(rejection)
        let epoch = pushes.records[Int(tag)].epoch
        let now = reactor.now
        let isOwn = isOwn(tag)
        if !isOwn {
            metrics.answered.record(nanoseconds: pushes.records[Int(tag)].underWay(PushRecord.clock(now)))
        }
        if rejection.classification.isAboutAddress, !isOwn { suspects.insert(pushes.token(tag)) }
        if let trouble = rejection.trouble {
            if trouble.isWeighty, trouble.kind != .topic {
                pool.streamTroubled(connection.id, now: now)
            } else {
                pool.streamRejected(connection.id, now: now)
            }
            // A connection that is left is one trouble, however many pushes it had.
            let isTold =
                reaction.contains(.leaveConnection) && !trouble.isWeighty && pool.state(connection.id) != .ready
            if !isProbe(tag), !isTold { troubled(trouble, on: connection.id) }
        } else {
            pool.streamRejected(connection.id, now: now)
            if !isProbe(tag) { breaker.served(1, now: now) }
            if rejection.classification.isDoubtful, !isOwn, askAnother(tag, rejection, connection) { return }
        }
        end(tag, .rejected(rejection))
        // Before the outcome, so that the caller's one retry goes out with the new authorization.
        if reaction.contains(.renewAuthorization) { authorization.expiryReported(epoch: epoch) }
        if reaction.contains(.keepAuthorization) { authorization.tooManyChangesReported() }
        if reaction.contains(.leaveConnection) {
            pool.connectionSuspected(connection.id, now: reactor.now, random: random())
        }
    }

    /// The provider counts changes of the authorization on each connection, and takes only one credential's there. A
    /// connection whose one is too young to be changed again, or of another credential, is replaced.
    func authorizationSettled(_ change: AuthorizationChange) {
        requestTurn()
        guard change != .none else { return }
        counts.authorizations += 1
        onEvent?(.authorizationRenewed(identity))
        for connection in connections {
            guard let connection, let since = connection.authorizedSince else { continue }
            if change == .renewed, reactor.now - since >= options.tokenChangeInterval {
                connection.authorization = authorization.current
                connection.authorizedSince = reactor.now
            } else {
                pool.connectionOutdated(connection.id, now: reactor.now)
            }
        }
    }

    // MARK: The pool's wishes

    func carryOutActions() {
        while let action = pool.nextAction() {
            switch action {
            case .open(let id): open(id)
            case .ping(let id):
                connection(id)?.ping()
                requestTurn()
            case .close(let id, let reason): close(id, reason)
            case .schedule(let time): schedule(time)
            }
        }
    }

    private func connection(_ id: ConnectionID) -> PushConnection? {
        guard let connection = connections[id.slot], connection.id == id else { return nil }
        return connection
    }

    private func open(_ id: ConnectionID) {
        let connection = PushConnection(id, self)
        connections[id.slot] = connection
        connection.start()
    }

    private func close(_ id: ConnectionID, _ reason: CloseReason) {
        guard let connection = connection(id) else { return }
        switch reason {
        case .drained, .idle, .shutDown:
            connection.close()
        case .drainTimedOut:
            connection.close()
            endPushes(on: connection, "the connection was closed after GOAWAY or a stall")
        case .pingTimedOut:
            lastFailure = "\(url.authority) did not answer a PING"
            counts.connectionsLost += 1
            onEvent?(.connectionLost(reason: "no answer to a PING"))
            connection.close(abruptly: true)
            endPushes(on: connection, "no answer to a PING")
        case .shut:
            lastFailure = "\(url.authority) allows no stream"
            attemptFailed("\(url.authority) allows no stream")
            connection.close()
        case .attemptTimedOut:
            lastFailure = lastFailure ?? "no connection to \(url.authority) in time"
            counts.attemptsFailed += 1
            attemptFailed("no connection to \(url.authority) in time")
            onEvent?(.failing(reason: "no connection to \(url.authority) in time"))
            connection.close(abruptly: true)
        }
        connections[id.slot] = nil
    }

    private func schedule(_ time: MonotonicTime) {
        if let poolTimer { reactor.cancel(poolTimer) }
        poolTimer = reactor.schedule(at: time) { [weak self] in
            guard let self else { return }
            self.poolTimer = nil
            self.pool.timerFired(now: MonotonicTime.now(), random: self.random())
            self.requestTurn()
        }
    }
}
