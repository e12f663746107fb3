import PoolCore
import Testing
import TimeCore

@Suite("The connection pool") struct ConnectionPoolTests {
    @Test("Nothing is opened without need, one connection for the first push")
    func need() {
        var harness = PoolHarness()
        harness.need(0)
        #expect(harness.actions().isEmpty)
        harness.need(5_000)
        let opened = harness.opened()
        #expect(opened.count == 1)
        #expect(harness.pool.state(opened[0]) == .opening)
        harness.need(5_000)
        #expect(harness.opened().isEmpty)
    }

    @Test("A connection has no capacity before the server's SETTINGS (invariant 2)")
    func settings() {
        var harness = PoolHarness()
        harness.need(1)
        let id = harness.opened()[0]
        harness.pool.connectionOpened(id, now: harness.now)
        #expect(harness.pool.state(id) == .awaitingSettings)
        #expect(harness.pool.freeStreams == 0)
        #expect(harness.pool.leastLoaded() == nil)
        harness.pool.settingsReceived(id, maximumConcurrentStreams: 1, now: harness.now)
        #expect(harness.pool.state(id) == .ready)
        #expect(harness.pool.freeStreams == 1)
        #expect(harness.pool.leastLoaded() == id)
    }

    @Test("Once a connection works, need beyond it opens more, up to the maximum (invariant 1)")
    func growth() {
        var harness = PoolHarness()
        _ = harness.proven()
        harness.open(100)
        #expect(harness.pool.freeStreams == 0)
        harness.need(1_000)
        #expect(harness.opened().count == 3)
        harness.need(1_000_000)
        #expect(harness.opened().isEmpty)
        #expect(harness.pool.identifiers.count == 4)
    }

    @Test("A need that the connections under way will meet opens no other")
    func growthIsMeasured() {
        var harness = PoolHarness()
        _ = harness.proven()
        harness.open(100)
        harness.need(150)
        #expect(harness.opened().count == 2)
    }

    @Test("Streams go to the connection with the fewest (invariant 2)")
    func leastLoaded() {
        var harness = PoolHarness()
        let first = harness.proven()
        harness.open(100)
        harness.need(100)
        let second = harness.opened()[0]
        harness.becomeReady(second)
        harness.open(100)
        #expect(harness.pool.openStreams(second) == 100)
        for _ in 0..<60 { harness.pool.streamsEnded(first, 1, answered: true, now: harness.now) }
        for _ in 0..<40 { harness.pool.streamsEnded(second, 1, answered: true, now: harness.now) }
        harness.open(20)
        #expect(harness.pool.openStreams(first) == 60)
        harness.open(2)
        #expect(harness.pool.openStreams(first) == 61)
        #expect(harness.pool.openStreams(second) == 61)
    }

    @Test("A limit below the open streams is legal; room comes back when it grows (invariant 2)")
    func shrinking() {
        var harness = PoolHarness()
        let id = harness.proven()
        harness.open(50)
        harness.pool.settingsReceived(id, maximumConcurrentStreams: 1, now: harness.now)
        #expect(harness.pool.freeStreams == 0)
        for _ in 0..<49 { harness.pool.streamsEnded(id, 1, answered: true, now: harness.now) }
        #expect(harness.pool.freeStreams == 0)
        harness.pool.streamsEnded(id, 1, answered: true, now: harness.now)
        #expect(harness.pool.freeStreams == 1)
        harness.pool.settingsReceived(id, maximumConcurrentStreams: 0, now: harness.now)
        #expect(harness.pool.freeStreams == 0)
        harness.pool.settingsReceived(id, maximumConcurrentStreams: 300, now: harness.now)
        #expect(harness.pool.freeStreams == 300)
        #expect(harness.pool.state(id) == .ready)
    }

    @Test("No limit means a high one, not none")
    func noLimit() {
        var harness = PoolHarness()
        harness.need(1)
        harness.becomeReady(harness.opened()[0], limit: nil)
        #expect(harness.pool.freeStreams == harness.pool.configuration.highestStreamLimit)
    }

    @Test("A connection whose transport is full takes no streams, and is no reason to open another")
    func writability() {
        var harness = PoolHarness()
        let id = harness.proven()
        harness.pool.writabilityChanged(id, isWritable: false)
        #expect(harness.pool.leastLoaded() == nil)
        harness.need(50)
        #expect(harness.opened().isEmpty)
        harness.pool.writabilityChanged(id, isWritable: true)
        #expect(harness.pool.leastLoaded() == id)
    }

    @Test("GOAWAY: no new streams, replacement at once, closed with the last stream (invariant 5)")
    func goAway() {
        var harness = PoolHarness()
        let id = harness.proven()
        harness.open(3)
        harness.pool.goAwayReceived(id, isOrderly: false, now: harness.now, random: 0)
        #expect(harness.pool.state(id) == .draining(.goAway))
        #expect(harness.opened().count == 1)
        #expect(harness.pool.leastLoaded() == nil)
        harness.pool.settingsReceived(id, maximumConcurrentStreams: 1_000, now: harness.now)
        #expect(harness.pool.freeStreams == 0)
        harness.pool.streamsEnded(id, 1, answered: true, now: harness.now)
        harness.pool.streamsEnded(id, 1, answered: false, now: harness.now)
        #expect(harness.actions().isEmpty)
        harness.pool.streamsEnded(id, 1, answered: true, now: harness.now)
        #expect(harness.actions() == [.close(id, .drained)])
        #expect(harness.pool.state(id) == nil)
    }

    @Test("A server that ends each connection after one answer is served without a pause")
    func orderlyEnds() {
        var harness = PoolHarness { $0.maximumConnections = 1 }
        harness.need(100)
        for _ in 0..<100 {
            let opened = harness.opened()
            #expect(opened.count == 1)
            guard let id = opened.first else { return }
            harness.becomeReady(id)
            harness.pool.streamsOpened(id, 3, now: harness.now)
            // GOAWAY comes before the answer, and the streams above its last one are not processed.
            harness.pool.streamsEnded(id, 2, answered: false, now: harness.now)
            harness.pool.goAwayReceived(id, isOrderly: true, now: harness.now, random: .max)
            harness.pool.streamsEnded(id, 1, answered: true, now: harness.now)
            harness.pass(.milliseconds(1))
        }
        #expect(harness.pool.failures == 0)
    }

    @Test("Answers before orderly ends end the failures in a row")
    func orderlyEndsAfterFailure() {
        var harness = PoolHarness { $0.maximumConnections = 1 }
        harness.need(100)
        harness.pool.connectionLost(harness.opened()[0], now: harness.now, random: .max)
        #expect(harness.pool.failures == 1)
        harness.pass(.seconds(1))
        harness.pool.timerFired(now: harness.now, random: 0)
        let id = harness.opened()[0]
        harness.becomeReady(id)
        harness.pool.streamsOpened(id, 1, now: harness.now)
        harness.pool.goAwayReceived(id, isOrderly: true, now: harness.now, random: .max)
        harness.pool.streamsEnded(id, 1, answered: true, now: harness.now)
        #expect(harness.pool.failures == 0)
    }

    @Test("A connection that ends without an answer is a failure, even after an orderly GOAWAY", arguments: 0..<4)
    func orderlyEndWithoutAnswer(_ way: Int) {
        var harness = PoolHarness()
        harness.need(1)
        let id = harness.opened()[0]
        harness.becomeReady(id)
        harness.pool.streamsOpened(id, 1, now: harness.now)
        if way == 0 { harness.pool.streamsEnded(id, 1, answered: false, now: harness.now) }
        harness.pool.goAwayReceived(id, isOrderly: true, now: harness.now, random: .max)
        #expect(harness.pool.failures == (way == 0 ? 1 : 0))
        switch way {
        case 1: harness.pool.streamsEnded(id, 1, answered: false, now: harness.now)
        case 2: harness.pool.connectionLost(id, now: harness.now, random: .max)
        case 3:
            harness.pass(.seconds(15))
            harness.pool.timerFired(now: harness.now, random: 0)
        default: break
        }
        #expect(harness.pool.failures == 1)
    }

    @Test("A draining connection ends at its deadline, whatever is open (invariant 5)")
    func drainDeadline() {
        var harness = PoolHarness()
        let id = harness.proven()
        harness.open(3)
        harness.pool.goAwayReceived(id, isOrderly: false, now: harness.now, random: 0)
        let replacement = harness.opened()[0]
        harness.becomeReady(replacement)
        harness.pass(.seconds(14))
        harness.pool.timerFired(now: harness.now, random: 0)
        #expect(harness.pool.state(id) == .draining(.goAway))
        harness.pass(.seconds(1))
        harness.pool.timerFired(now: harness.now, random: 0)
        #expect(harness.actions() == [.close(id, .drainTimedOut)])
        #expect(harness.pool.state(id) == nil)
        #expect(harness.pool.state(replacement) == .ready)
    }

    @Test("A connection on which nothing was sent for the idle time is closed, and opened again when it is needed")
    func idle() {
        var harness = PoolHarness { $0.idleTimeout = .seconds(30) }
        let id = harness.proven()
        harness.pass(.seconds(20))
        harness.open(1)
        harness.pass(.seconds(29))
        harness.pool.streamsEnded(id, 1, answered: true, now: harness.now)
        harness.pass(.seconds(29))
        harness.pool.timerFired(now: harness.now, random: 0)
        #expect(harness.pool.state(id) == .ready)
        _ = harness.actions()
        harness.pass(.seconds(1))
        harness.pool.timerFired(now: harness.now, random: 0)
        #expect(harness.actions() == [.close(id, .idle)])
        harness.need(1)
        #expect(harness.opened().count == 1)
    }

    @Test("What was closed for being idle is not opened again for the sake of what is still used")
    func idleOnes() {
        var harness = PoolHarness { $0.idleTimeout = .seconds(30) }
        let first = harness.proven()
        harness.need(250)
        let others = harness.opened()
        for id in others { harness.becomeReady(id) }
        harness.need(0)
        #expect(others.count == 2)
        var closed = 0
        for _ in 0..<9 {
            harness.pass(.seconds(10))
            harness.pool.streamsOpened(first, 1, now: harness.now)
            harness.pool.bytesReceived(first, now: harness.now)
            harness.pool.streamsEnded(first, 1, answered: true, now: harness.now)
            harness.pool.timerFired(now: harness.now, random: 0)
            for action in harness.actions() {
                if case .close(_, .idle) = action { closed += 1 }
                if case .open = action { Issue.record("a connection was opened") }
            }
        }
        #expect(closed == 2 && harness.pool.state(first) == .ready)
    }

    @Test("An idle connection is looked at in time, whatever was open when the timer last fired")
    func idleInTime() {
        var harness = PoolHarness { $0.idleTimeout = .seconds(1) }
        let id = harness.proven()
        harness.pool.streamsOpened(id, 1, now: harness.now)
        harness.pass(.seconds(3))
        harness.pool.timerFired(now: harness.now, random: 0)
        _ = harness.actions()
        harness.pool.streamsEnded(id, 1, answered: true, now: harness.now)
        #expect(harness.pool.nextAction() == .schedule(harness.now + .seconds(1)))
    }

    @Test("While attempts fail there is one at a time, after a growing pause (invariants 3 and 4)")
    func backoff() {
        var harness = PoolHarness()
        harness.need(10_000)
        var pauses: [UInt64] = []
        for _ in 0..<9 {
            let opened = harness.opened()
            #expect(opened.count == 1)
            harness.pool.connectionLost(opened[0], now: harness.now, random: .max)
            let failed = harness.now
            #expect(harness.opened().isEmpty)
            while harness.pool.identifiers.isEmpty {
                harness.pass(.milliseconds(10))
                harness.pool.timerFired(now: harness.now, random: 0)
            }
            pauses.append((harness.now - failed).nanoseconds / 1_000_000)
        }
        for (earlier, later) in zip(pauses, pauses.dropFirst()) { #expect(later >= earlier) }
        #expect(pauses[0] <= 510)
        #expect(pauses[8] > 10_000)
        #expect(pauses.allSatisfy { $0 <= 30_010 })
        #expect(harness.pool.failures == 9)
        let id = harness.opened()[0]
        harness.becomeReady(id)
        harness.pool.streamsOpened(id, 1, now: harness.now)
        harness.pool.streamsEnded(id, 1, answered: true, now: harness.now)
        #expect(harness.pool.failures == 0)
    }

    @Test("An attempt without SETTINGS ends at its deadline (invariant 6)")
    func attemptTimeout() {
        var harness = PoolHarness()
        harness.need(1)
        let id = harness.opened()[0]
        harness.pool.connectionOpened(id, now: harness.now)
        harness.pass(.seconds(15))
        harness.pool.timerFired(now: harness.now, random: 0)
        #expect(harness.actions().first == .close(id, .attemptTimedOut))
        #expect(harness.pool.failures == 1)
    }

    @Test("A server that accepts and hangs up counts as failing (invariant 4)")
    func hangUp() {
        var harness = PoolHarness()
        harness.need(1)
        let id = harness.opened()[0]
        harness.becomeReady(id)
        harness.pool.streamsOpened(id, 1, now: harness.now)
        harness.pool.connectionLost(id, now: harness.now, random: 0)
        #expect(harness.pool.failures == 1)
        #expect(harness.opened().isEmpty)
    }

    @Test("A connection that has served and is lost is replaced at once, without new need")
    func replacement() {
        var harness = PoolHarness()
        let id = harness.proven()
        harness.pool.connectionLost(id, now: harness.now, random: 0)
        #expect(harness.opened().count == 1)
        #expect(harness.pool.failures == 0)
    }

    @Test("A connection lost long after the last push is not replaced before there is need")
    func noReplacement() {
        var harness = PoolHarness()
        let id = harness.proven()
        harness.pass(.seconds(400))
        harness.pool.connectionLost(id, now: harness.now, random: 0)
        #expect(harness.opened().isEmpty)
        harness.need(1)
        #expect(harness.opened().count == 1)
    }

    @Test("A silent connection is asked, and is dead without an answer (invariant 6)")
    func ping() {
        var harness = PoolHarness()
        let id = harness.proven()
        harness.pass(.seconds(59))
        harness.pool.timerFired(now: harness.now, random: 0)
        #expect(harness.actions().isEmpty)
        harness.pass(.seconds(1))
        harness.pool.timerFired(now: harness.now, random: 0)
        #expect(harness.actions() == [.ping(id)])
        harness.pass(.seconds(1))
        harness.pool.timerFired(now: harness.now, random: 0)
        #expect(harness.actions().isEmpty)
        harness.pool.pingAcknowledged(id, now: harness.now)
        harness.pass(.seconds(60))
        harness.pool.timerFired(now: harness.now, random: 0)
        #expect(harness.actions() == [.ping(id)])
        harness.pass(.seconds(10))
        harness.pool.timerFired(now: harness.now, random: 0)
        #expect(harness.actions().first == .close(id, .pingTimedOut))
        #expect(harness.pool.state(id) == nil)
    }

    @Test("A connection that answers PINGs but no push is replaced (invariant 6)")
    func stalled() {
        var harness = PoolHarness()
        let id = harness.proven()
        harness.open(5)
        harness.pass(.seconds(14))
        harness.pool.bytesReceived(id, now: harness.now)
        harness.pool.timerFired(now: harness.now, random: 0)
        #expect(harness.pool.state(id) == .ready)
        harness.pass(.seconds(1))
        harness.pool.timerFired(now: harness.now, random: 0)
        #expect(harness.pool.state(id) == .draining(.stalled))
        #expect(harness.opened().count == 1)
    }

    @Test("A push that times out on a connection that answers others says nothing against it")
    func oneSlowPush() {
        var harness = PoolHarness()
        let id = harness.proven()
        harness.open(2)
        harness.pass(.seconds(14))
        harness.pool.streamsEnded(id, 1, answered: true, now: harness.now)
        harness.pass(.seconds(1))
        harness.pool.streamTimedOut(id, now: harness.now, random: 0)
        #expect(harness.pool.state(id) == .ready)
        harness.open(2)
        harness.pass(.seconds(10))
        harness.pool.streamTimedOut(id, now: harness.now, random: 0)
        #expect(harness.pool.state(id) == .draining(.stalled))
    }

    @Test("A connection whose pushes are cancelled one after the other stalls in the end, but not by its idle time")
    func cancelledPushes() {
        var harness = PoolHarness()
        let id = harness.proven()
        func cancelOne() {
            harness.open(1)
            harness.pass(.seconds(2))
            harness.pool.streamTimedOut(id, isLate: false, now: harness.now, random: 0)
            harness.pass(.seconds(5))
        }
        for _ in 0..<3 { cancelOne() }
        #expect(harness.pool.state(id) == .ready)
        harness.open(1)
        harness.pool.streamsEnded(id, 1, answered: true, now: harness.now)
        for _ in 0..<3 { cancelOne() }
        #expect(harness.pool.state(id) == .ready)
        cancelOne()
        #expect(harness.pool.state(id) == nil)
    }

    @Test("A connection is retired after its share of streams")
    func retirement() {
        var harness = PoolHarness { $0.maximumStreamsPerConnection = 10 }
        let id = harness.proven()
        harness.open(9)
        #expect(harness.pool.state(id) == .draining(.retired))
        #expect(harness.pool.openStreams(id) == 9)
        #expect(harness.opened().count == 1)
        #expect(harness.pool.failures == 0)
    }

    @Test("Events of a connection that is gone are passed over")
    func lateEvents() {
        var harness = PoolHarness()
        let id = harness.proven()
        harness.pool.connectionLost(id, now: harness.now, random: 0)
        let replacement = harness.opened()[0]
        #expect(replacement.slot == id.slot)
        #expect(replacement != id)
        harness.pool.connectionOpened(id, now: harness.now)
        harness.pool.settingsReceived(id, maximumConcurrentStreams: 5, now: harness.now)
        harness.pool.streamsOpened(id, 1, now: harness.now)
        harness.pool.streamsEnded(id, 1, answered: true, now: harness.now)
        harness.pool.goAwayReceived(id, isOrderly: false, now: harness.now, random: 0)
        harness.pool.connectionLost(id, now: harness.now, random: 0)
        harness.pool.pingAcknowledged(id, now: harness.now)
        #expect(harness.pool.state(replacement) == .opening)
        #expect(harness.actions().isEmpty)
    }

    @Test("A suspected connection is replaced after a pause, an outdated one at once")
    func suspicion() {
        var harness = PoolHarness()
        let id = harness.proven()
        harness.pool.connectionSuspected(id, now: harness.now, random: 0)
        #expect(harness.actions() == [.close(id, .drained)])
        harness.pass(.milliseconds(600))
        harness.pool.timerFired(now: harness.now, random: 0)
        let second = harness.opened()[0]
        harness.becomeReady(second)
        harness.open(1)
        harness.pool.streamsEnded(second, 1, answered: true, now: harness.now)
        harness.pool.connectionOutdated(second, now: harness.now)
        #expect(harness.opened().count == 1)
    }

    @Test("A shutdown closes all and opens nothing any more")
    func shutdown() {
        var harness = PoolHarness()
        let id = harness.proven()
        harness.open(3)
        harness.pool.shutdownRequested()
        #expect(harness.actions() == [.close(id, .shutDown)])
        harness.need(1_000)
        harness.pool.timerFired(now: harness.now, random: 0)
        #expect(harness.actions().isEmpty)
        #expect(harness.pool.identifiers.isEmpty)
    }
}
