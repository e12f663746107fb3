import PoolCore
import TestSupport
import Testing
import TimeCore

/// Random stories, checked step by step against the model.
@Suite("Random walks of the pool") struct PoolWalkTests {
    @Test("No invariant is broken in any story", arguments: 0..<60)
    func walk(_ number: Int) {
        let seed = TestSeed.current &+ UInt64(number)
        let walker = PoolWalker.story(seed: seed, steps: 3_000) { Issue.record("\($0)") }
        guard walker.violations.isEmpty else { return }
        #expect(walker.readied > 5, "seed \(seed): the story never got anywhere")
    }
}

struct PoolWalker: RandomStory {
    var pool: ConnectionPool
    var model: PoolModel
    var generator: SeededGenerator
    var now = MonotonicTime(nanoseconds: 5_000_000_000)
    var waiting = 0
    var last = ""
    var violations: [String] { model.violations }
    var readied = 0
    private var failedAt: MonotonicTime?

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        var configuration = PoolConfiguration()
        // The model blames a connection for each unanswered stream.
        configuration.answersLately = .zero
        configuration.maximumConnections = Int.random(in: 1...5, using: &generator)
        configuration.maximumStreamsPerConnection = Int.random(in: 20...400, using: &generator)
        configuration.idlePingInterval = .seconds(Int.random(in: 1...60, using: &generator))
        if Bool.random(using: &generator) {
            configuration.idleTimeout = .seconds(Int.random(in: 1...120, using: &generator))
        }
        pool = ConnectionPool(configuration)
        model = PoolModel(configuration: configuration)
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    private mutating func pick(_ phases: [PoolModel.Phase]) -> ConnectionID? {
        model.connections.filter { phases.contains($0.value.phase) }.keys
            .sorted { $0.slot < $1.slot }.randomElement(using: &generator)
    }

    mutating func step() {
        let failures = pool.failures
        event()
        // The earliest next attempt is half of this failure's pause.
        if pool.failures > failures {
            let doublings = min(pool.failures - 1, 20)
            let half = min(500_000_000 << UInt64(doublings), 30_000_000_000) / 2
            model.earliestAttempt = now + TimeInterval(nanoseconds: UInt64(half))
            failedAt = now
        }
        syncPhases()
        drainActions()
        model.checkPool(pool, now: now)
        model.log.check(!isOverdue, "invariant 7: the timer is late")
    }

    /// True if the timer is later than a due ping or the end of an attempt or drain.
    private var isOverdue: Bool {
        guard !model.isShutDown, let timer = model.timer else { return false }
        return model.connections.values.contains { connection in
            switch connection.phase {
            case .opening, .awaiting: timer > connection.since + model.configuration.attemptTimeout
            case .draining: timer > connection.since + model.configuration.drainTimeout
            case .ready:
                timer > max(connection.lastSign + model.configuration.idlePingInterval, now)
                    + model.configuration.pingTimeout
            }
        }
    }

    private mutating func drainActions() {
        while let action = pool.nextAction() {
            model.perform(action, purpose: purpose(action), now: now, failures: pool.failures)
        }
    }

    /// Records drains in the model, because the pool decides on them.
    private mutating func syncPhases() {
        for id in model.connections.keys {
            guard case .draining = pool.state(id), model.connections[id]?.phase == .ready else { continue }
            model.connections[id]?.phase = .draining
            model.connections[id]?.since = now
        }
    }

    private func purpose(_ action: PoolAction) -> ConnectionPurpose? {
        if case .open(let id) = action { pool.purpose(id) } else { nil }
    }

    private mutating func event() {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<15:
            waiting = chance(30) ? 0 : Int.random(in: 1...500, using: &generator)
            last = "demand \(waiting)"
            let suspects = chance(30) ? Int.random(in: 1...20, using: &generator) : 0
            let isFresh = chance(10)
            pool.demandChanged(waiting: waiting, suspects: suspects, isFresh: isFresh, now: now)
            if isFresh, let failedAt, let earliest = model.earliestAttempt {
                model.earliestAttempt = min(earliest, failedAt + model.configuration.backoff.first)
            }
        case 15..<25:
            guard let id = pick([.opening]) else { return }
            if chance(75) {
                last = "opened"
                pool.connectionOpened(id, now: now)
                model.connections[id]?.phase = .awaiting
                model.connections[id]?.lastSign = now
            } else {
                lose(id)
            }
        case 25..<35:
            guard let id = pick([.awaiting, .awaiting, .ready, .draining]) else { return }
            settings(id)
        case 35..<60:
            last = "streams"
            for _ in 0..<Int.random(in: 1...30, using: &generator) {
                guard let id = pool.leastLoaded(chance(15) ? .suspects : .ordinary) else { continue }
                pool.streamsOpened(id, 1, now: now)
                model.connections[id]?.open += 1
                model.connections[id]?.started += 1
                let started = model.connections[id]?.started ?? 0
                if started >= model.configuration.maximumStreamsPerConnection {
                    model.connections[id]?.phase = .draining
                    model.connections[id]?.since = now
                }
            }
        case 60..<80:
            last = "ends"
            for _ in 0..<Int.random(in: 1...30, using: &generator) {
                guard let id = pick([.ready, .draining]), (model.connections[id]?.open ?? 0) > 0 else { continue }
                end(id)
                pool.bytesReceived(id, now: now)
                model.connections[id]?.lastSign = now
                syncPhases()
                drainActions()
            }
        case 80..<82:
            guard let id = pick([.ready]) else { return }
            last = "goAway"
            pool.goAwayReceived(id, isOrderly: chance(50), now: now, random: generator.next())
        case 82..<84:
            guard let id = pick([.opening, .awaiting, .ready, .draining]) else { return }
            lose(id)
        case 84..<86:
            guard let id = pick([.ready]) else { return }
            let isWritable = chance(50)
            last = "writable \(isWritable)"
            pool.writabilityChanged(id, isWritable: isWritable)
            model.connections[id]?.isWritable = isWritable
        case 86..<88:
            guard let id = pick([.ready]) else { return }
            last = "suspected"
            if chance(50) {
                pool.connectionSuspected(id, now: now, random: generator.next())
            } else {
                pool.connectionOutdated(id, now: now)
            }
        case 88..<90:
            guard let id = pick([.ready, .draining]) else { return }
            last = "ping acknowledged"
            pool.pingAcknowledged(id, now: now)
            model.connections[id]?.lastSign = now
            model.connections[id]?.isPinged = false
        case 90..<92:
            guard let id = pick([.ready, .draining]), (model.connections[id]?.open ?? 0) > 0 else { return }
            last = "stream timed out"
            model.connections[id]?.open -= 1
            pool.streamTimedOut(id, now: now, random: generator.next())
            model.troubled(id)
        default: timePasses()
        }
    }

    /// Ends a stream in a random way.
    private mutating func end(_ id: ConnectionID) {
        model.connections[id]?.open -= 1
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<70:
            pool.streamsEnded(id, 1, answered: true, now: now)
            model.connections[id]?.most += 3
            model.connections[id]?.troubles = 0
            model.answered(id, good: true)
            model.connections[id]?.isRefusing = false
        case 70..<85:
            let servingBefore = serving(but: id)
            let ejections = pool.ejections
            if chance(50) { pool.streamTroubled(id, now: now) } else { pool.streamReset(id, now: now) }
            model.troubled(id)
            model.log.check(
                pool.ejections == ejections || servingBefore, "invariant 8: ejected \(id), and no other one serves")
        case 85..<88:
            pool.streamRejected(id, now: now)
            model.answered(id, good: false)
        case 88..<92:
            pool.streamsRefused(id, 1, now: now)
            model.connections[id]?.isRefusing = true
            model.connections[id]?.isHumbled = true
        default: pool.streamsEnded(id, 1, answered: false, now: now)
        }
    }

    /// True if another connection serves without trouble, or any connection is for suspects.
    private func serving(but id: ConnectionID) -> Bool {
        if model.connections.values.contains(where: { $0.purpose == .suspects }) { return true }
        return model.connections.contains { $0.key != id && $0.value.phase == .ready && $0.value.troubles == 0 }
    }

    private mutating func settings(_ id: ConnectionID) {
        let limit = [0, 1, 1, 10, 100, 100, 1_000].randomElement(using: &generator) ?? 1
        last = "settings \(limit)"
        pool.settingsReceived(id, maximumConcurrentStreams: UInt32(limit), now: now)
        model.connections[id]?.limit = limit
        if model.connections[id]?.phase == .awaiting {
            model.connections[id]?.most = model.configuration.initialWindow
            model.connections[id]?.phase = .ready
            model.hasEverBeenReady = true
            readied += 1
        }
    }

    private mutating func lose(_ id: ConnectionID) {
        last = "lost"
        model.connections[id] = nil
        pool.connectionLost(id, now: now, random: generator.next())
    }

    /// Advances the time to the timer, or less.
    private mutating func timePasses() {
        last = "time"
        if let timer = model.timer, chance(60) {
            now = max(now, timer)
            model.timer = nil
            last = "timer"
            pool.timerFired(now: now, random: generator.next())
        } else {
            let step = TimeInterval.milliseconds(Int.random(in: 0...300, using: &generator))
            let later = now + step
            now = model.timer.map { min($0, later) } ?? later
        }
    }
}
