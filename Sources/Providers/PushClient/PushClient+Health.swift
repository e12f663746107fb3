import Delivery
import FlatMemory
import HealthCore
import PoolCore
import Reactor
import TimeCore

/// What the client makes of its breaker: how much it takes, what it asks for, whom it tells.
extension PushClient {
    /// After so long without work the next push is tried at once, whatever the pauses say.
    static let idleTime = TimeInterval.seconds(5)
    /// After so long without work the client probes with a push of its own.
    static let ownProbeDelay = TimeInterval.seconds(2)

    // MARK: What is heard

    /// So many pushes of a connection were answered well.
    @inline(__always)
    func served(_ id: ConnectionID, _ count: Int, now: MonotonicTime) {
        guard count > 0 else { return }
        pool.streamsEnded(id, count, answered: true, now: now)
        breaker.served(count, now: now)
    }

    /// A push other than the probe failed for the provider's sake.
    /// - Parameter pauses: See `CircuitBreaker.troubled`.
    func troubled(_ trouble: ProviderTrouble, on id: ConnectionID, pauses: Bool = true) {
        // Answers to suspect tokens say nothing about other pushes.
        guard pool.purpose(id) == .ordinary else { return }
        let advice = breaker.troubled(
            trouble, slot: id.slot, isAlone: pool.isAlone(id), pauses: pauses, now: reactor.now, random: random())
        guard advice == .slowDown else { return }
        pool.slowDown()
        observer?.troublesGathered()
    }

    func attemptFailed(_ reason: String) {
        breaker.attemptFailed(reason, now: reactor.now, random: random())
    }

    /// The push that was placed last tries whether the provider serves again.
    func probeBegan() {
        let record = pushes.records[Int(lastPlaced)]
        guard let connection = connections[Int(record.connection)] else { return }
        breaker.probeBegan(now: reactor.now)
        probe = (lastPlaced, record.sequence, connection.id)
    }

    /// Whether this push is the probe under way.
    func isProbe(_ index: UInt32) -> Bool {
        guard let probe else { return false }
        return probe.index == index && pushes.records[Int(index)].sequence == probe.sequence
    }

    /// The probe has ended otherwise than by a 200.
    func probeEnded(_ outcome: PushOutcome) {
        switch outcome {
        case .accepted: probeEnded(served: nil)
        case .rejected(let rejection):
            let trouble = rejection.trouble
            // What a single device is told says nothing, unless it is what all were told.
            let isSame = trouble.map { isPaused(for: $0) } ?? false
            probeEnded(served: trouble.flatMap { $0.isWeighty || isSame ? $0 : nil })
        case .unsent(.timedOut, _), .unsent(_, mayHaveBeenDelivered: true): probeEnded(served: .noAnswer)
        case .unsent: probeLost()
        }
    }

    private func isPaused(for trouble: ProviderTrouble) -> Bool {
        guard case .paused(let reason, _) = breaker.health else { return false }
        return reason.name == trouble.name
    }

    /// Nil: it was served. Otherwise the next one asks by another connection, which may lead to another server, unless
    /// the credential or the topic was refused.
    func probeEnded(served trouble: ProviderTrouble?) {
        if let probe, let trouble, !trouble.kind.isConfiguration {
            pool.connectionOutdated(probe.connection, now: reactor.now)
        }
        probe = nil
        breaker.probeEnded(trouble, now: reactor.now, random: random())
        // What one push at a time is told is for the breaker to weigh, not for the connections' windows.
        pool.startSlowly()
    }

    func probeLost() {
        probe = nil
        breaker.probeLost(now: reactor.now, random: random())
    }

    /// After accepted pushes were taken out in one piece.
    func lookForProbe() {
        guard let probe else { return }
        let record = pushes.records[Int(probe.index)]
        if !record.isInUse || record.sequence != probe.sequence { probeEnded(served: nil) }
    }

    // MARK: What is given

    func roomNow() -> Int {
        let now = reactor.now
        // What may not be sent now is better not taken: it would only wait for its deadline.
        guard closing == nil, maySend(now) else { return 0 }
        if let allowance = breaker.allowance(now: now) {
            return pushes.waitingCount + pushes.waitingSuspectCount > 0 ? 0 : allowance
        }
        guard pool.readyCount > 0 else { return 0 }
        return max(0, pool.freeStreams + options.queueLimit - pushes.waitingCount)
    }

    /// Tells the pool and the breaker what is needed.
    func noteDemand() {
        let now = reactor.now
        probeByOneself(now)
        lastDemand = demand()
        let isFresh = lastDemand > 0 && (idleSince.map { now - $0 >= PushClient.idleTime } ?? false)
        noteIdleness(now)
        if isFresh { breaker.workCame(now: now) }
        pool.demandChanged(
            waiting: lastDemand, suspects: pushes.waitingSuspectCount, isFresh: isFresh && pool.failures > 0, now: now)
        breaker.connectionsChanged(ready: pool.readyCount, isNeeded: lastDemand > 0, now: now)
    }

    private func noteIdleness(_ now: MonotonicTime) {
        if lastDemand > 0 {
            idleSince = nil
        } else if idleSince == nil {
            idleSince = now
        }
    }

    /// The pushes for which there is no stream: those in the queue, and those that wait outside when there is no
    /// stream, or nothing can be sent. While paused one connection is enough.
    private func demand() -> Int {
        let waiting = pushes.waitingCount
        let isFull = waiting >= options.queueLimit || pool.freeStreams == 0
        guard closing == nil, breaker.isPaused || isFull || pool.readyCount == 0 else {
            return waiting
        }
        let all = listeners.reduce(waiting) { $0 + $1.pushesWaiting }
        return breaker.isPaused ? min(all, 1) : all
    }

    /// Pushes of withdrawn sources need no stream to end.
    func endWithdrawn() {
        isSweepDue = false
        for index in 0..<pushes.records.count {
            let record = pushes.records[index]
            guard record.isInUse, record.connection == PushRecord.waiting, sources[record.source].isWithdrawn else {
                continue
            }
            end(UInt32(index), .unsent(.shutDown, mayHaveBeenDelivered: false))
        }
    }

    // MARK: Who is told

    func announceHealth() {
        guard breaker.health != announcedHealth else { return }
        let before = announcedHealth
        announcedHealth = breaker.health
        switch (before, breaker.health) {
        case (_, .paused(let reason, _)):
            pool.startSlowly()
            onEvent?(.paused(reason))
        case (.paused(let reason, let since), .healthy): onEvent?(.resumed(reason, after: reactor.now - since))
        case (.healthy, .healthy): break
        }
        for listener in listeners { listener.healthChanged() }
    }

    /// Sees to a turn when the breaker has something to decide, or a probe is due.
    func watchHealth() {
        if breaker.isPaused, lastDemand > 0, demand() == 0 {
            lastDemand = 0
            noteIdleness(reactor.now)
        }
        guard closing == nil, var time = breaker.nextLook else { return stopWatching() }
        if time <= reactor.now {
            // A probe is due and waits for a push, or for the client to make one itself.
            guard ownProbe?.isIdle ?? false, let idleSince else { return stopWatching() }
            time = idleSince + PushClient.ownProbeDelay
            guard time > reactor.now else { return stopWatching() }
        }
        if let healthTimer {
            if healthTimer.time == time { return }
            reactor.cancel(healthTimer.timer)
        }
        let timer = reactor.schedule(at: time) { [weak self] in
            guard let self else { return }
            healthTimer = nil
            breaker.timerFired(now: reactor.now, random: random())
            requestTurn()
        }
        healthTimer = (timer, time)
    }

    func stopWatching() {
        if let healthTimer { reactor.cancel(healthTimer.timer) }
        healthTimer = nil
    }
}
