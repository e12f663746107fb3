import Delivery
import FlatMemory
import HealthCore
import PoolCore
import Reactor
import TimeCore

/// The client's use of its breaker: room, demand and notifications.
extension PushClient {
    /// The time without work after which the next push is sent immediately despite a pause.
    static let idleTime = TimeInterval.seconds(5)
    /// The time without work after which the client sends its own probe.
    static let ownProbeDelay = TimeInterval.seconds(2)

    // MARK: Answers

    /// Records successful answers on a connection.
    @inline(__always)
    func served(_ id: ConnectionID, _ count: Int, now: MonotonicTime) {
        guard count > 0 else { return }
        pool.streamsEnded(id, count, answered: true, now: now)
        breaker.served(count, now: now)
    }

    /// Records that a push other than the probe failed because of the provider.
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

    /// Makes the last placed push the probe.
    func probeBegan() {
        let record = pushes.records[Int(lastPlaced)]
        guard let connection = connections[Int(record.connection)] else { return }
        breaker.probeBegan(now: reactor.now)
        probe = (lastPlaced, record.sequence, connection.id)
    }

    /// True if this push is the probe in progress.
    func isProbe(_ index: UInt32) -> Bool {
        guard let probe else { return false }
        return probe.index == index && pushes.records[Int(index)].sequence == probe.sequence
    }

    /// Records the outcome of the probe.
    func probeEnded(_ outcome: PushOutcome) {
        switch outcome {
        case .accepted: probeEnded(served: nil)
        case .rejected(let rejection):
            let trouble = rejection.trouble
            // An answer about a single device proves nothing, unless it repeats the reason of the pause.
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

    /// Records a probe's end; nil means that it was served. Otherwise the next probe uses another connection, which may
    /// lead to another server, unless the credential or the topic was refused.
    func probeEnded(served trouble: ProviderTrouble?) {
        if let probe, let trouble, !trouble.kind.isConfiguration {
            pool.connectionOutdated(probe.connection, now: reactor.now)
        }
        probe = nil
        breaker.probeEnded(trouble, now: reactor.now, random: random())
        // Answers to single probes are evaluated by the breaker, not by the connections' windows.
        pool.startSlowly()
    }

    func probeLost() {
        probe = nil
        breaker.probeLost(now: reactor.now, random: random())
    }

    /// Ends the probe if it is among the accepted pushes that were removed together.
    func lookForProbe() {
        guard let probe else { return }
        let record = pushes.records[Int(probe.index)]
        if !record.isInUse || record.sequence != probe.sequence { probeEnded(served: nil) }
    }

    // MARK: Room and demand

    func roomNow() -> Int {
        let now = reactor.now
        // Pushes that may not be sent now are not accepted, because they would only wait for their deadline.
        guard closing == nil, maySend(now) else { return 0 }
        if let allowance = breaker.allowance(now: now) {
            return pushes.waitingCount + pushes.waitingSuspectCount > 0 ? 0 : allowance
        }
        guard pool.readyCount > 0 else { return 0 }
        return max(0, pool.freeStreams + options.queueLimit - pushes.waitingCount)
    }

    /// Reports the demand to the pool and the breaker.
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

    /// The number of pushes without a stream: queued ones, and waiting ones of listeners if no stream is free or no
    /// push can be sent. While paused, one connection suffices.
    private func demand() -> Int {
        let waiting = pushes.waitingCount
        let isFull = waiting >= options.queueLimit || pool.freeStreams == 0
        guard closing == nil, breaker.isPaused || isFull || pool.readyCount == 0 else {
            return waiting
        }
        let all = listeners.reduce(waiting) { $0 + $1.pushesWaiting }
        return breaker.isPaused ? min(all, 1) : all
    }

    /// Ends waiting pushes of withdrawn sources, which need no stream.
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

    // MARK: Notifications

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

    /// Schedules a turn for the breaker's next decision or a due probe.
    func watchHealth() {
        if breaker.isPaused, lastDemand > 0, demand() == 0 {
            lastDemand = 0
            noteIdleness(reactor.now)
        }
        guard closing == nil, var time = breaker.nextLook else { return stopWatching() }
        if time <= reactor.now {
            // A probe is due and needs a push, or the client's own probe.
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
