import PoolCore
import Testing
import TimeCore

@Suite("The health of connections") struct ConnectionHealthTests {
    /// A pool with this many connections that have answered.
    private func proven(_ count: Int) -> (PoolHarness, [ConnectionID]) {
        var harness = PoolHarness()
        var all = [harness.proven()]
        if count > 1 { harness.need(400) }
        while all.count < count {
            let opened = harness.opened()
            for id in opened.prefix(count - all.count) {
                harness.becomeReady(id)
                harness.pool.streamsOpened(id, 1, now: harness.now)
                harness.pool.streamsEnded(id, 1, answered: true, now: harness.now)
                all.append(id)
            }
            if opened.isEmpty { break }
        }
        harness.need(0)
        _ = harness.actions()
        return (harness, all)
    }

    /// A pool whose only connection has not answered, and may have a thousand streams.
    private func unproven() -> (PoolHarness, ConnectionID) {
        var harness = PoolHarness { $0.initialWindow = 16 }
        harness.need(2_000)
        let id = harness.opened()[0]
        harness.becomeReady(id, limit: 1_000)
        return (harness, id)
    }

    private mutating func fail(_ harness: inout PoolHarness, _ id: ConnectionID, _ times: Int) {
        for _ in 0..<times {
            harness.pool.streamsOpened(id, 1, now: harness.now)
            harness.pool.streamTroubled(id, now: harness.now)
        }
    }

    @Test("A connection that has not answered takes sixteen streams; the limit is reached within four round trips")
    func slowStart() {
        var (harness, id) = unproven()
        #expect(harness.pool.freeStreams == 16)
        #expect(harness.pool.earnedStreams(ofEach: 124) == 16)
        harness.pool.streamsOpened(id, 8, now: harness.now)
        #expect(harness.pool.earnedStreams(ofEach: 124) == 16)
        harness.pool.streamsEnded(id, 8, answered: false, now: harness.now)
        var rounds = 0
        while harness.pool.room(id) < 1_000 {
            let count = harness.pool.room(id)
            harness.pool.streamsOpened(id, count, now: harness.now)
            harness.pool.streamsEnded(id, count, answered: true, now: harness.now)
            rounds += 1
            guard rounds < 10 else { break }
        }
        #expect(rounds <= 4)
        #expect(harness.pool.earnedStreams(ofEach: 124) == 124)
    }

    @Test("Who fails fastest does not get the most: a connection with trouble is chosen last")
    mutating func placement() {
        var (harness, all) = proven(2)
        for _ in 0..<30 { harness.pool.streamsOpened(all[0], 1, now: harness.now) }
        fail(&harness, all[1], 1)
        #expect(harness.pool.openStreams(all[1]) == 0)
        #expect(harness.pool.leastLoaded() == all[0])
    }

    @Test("A connection that fails four times in a row while others serve is drained and replaced")
    mutating func ejection() {
        var (harness, all) = proven(4)
        harness.pool.streamsOpened(all[1], 3, now: harness.now)
        fail(&harness, all[1], 4)
        #expect(harness.pool.state(all[1]) == .draining(.sick))
        #expect(harness.opened().count == 1)
        #expect(harness.pool.openStreams(all[1]) == 3, "what is open may finish")
        #expect(harness.pool.ejections == 1 && harness.pool.failures == 0)
    }

    @Test("A good answer clears the record")
    mutating func recovery() {
        var (harness, all) = proven(2)
        for _ in 0..<5 {
            fail(&harness, all[1], 3)
            harness.pool.streamsOpened(all[1], 1, now: harness.now)
            harness.pool.streamsEnded(all[1], 1, answered: true, now: harness.now)
        }
        #expect(harness.pool.state(all[1]) == .ready)
    }

    @Test("A few bad answers among many good ones are not in a row, although all of them may come last")
    mutating func few() {
        var harness = PoolHarness()
        let all = [harness.proven(limit: 1_000)]
        harness.need(3_000)
        let other = harness.opened()[0]
        harness.becomeReady(other, limit: 1_000)
        harness.pool.streamsOpened(other, 1, now: harness.now)
        harness.pool.streamsEnded(other, 1, answered: true, now: harness.now)
        for _ in 0..<10 {
            let room = harness.pool.room(all[0])
            harness.pool.streamsOpened(all[0], 1_000, now: harness.now)
            harness.pool.streamsEnded(all[0], 970, answered: true, now: harness.now)
            for _ in 0..<5 { harness.pool.streamTroubled(all[0], now: harness.now) }
            for _ in 0..<25 { harness.pool.streamRejected(all[0], now: harness.now) }
            #expect(harness.pool.state(all[0]) == .ready && !harness.pool.isSick(all[0]))
            #expect(harness.pool.room(all[0]) == room)
        }
        // One that has served is found out all the same.
        fail(&harness, all[0], 36)
        #expect(harness.pool.ejections == 1)
    }

    @Test("When all fail none is left out: one is ejected in a second, and the last never")
    mutating func allFail() {
        var (harness, all) = proven(4)
        for id in all { fail(&harness, id, 4) }
        #expect(all.filter { harness.pool.state($0) == .ready }.count == 3)
        for _ in 0..<5 {
            harness.pass(.seconds(1))
            harness.pool.timerFired(now: harness.now, random: 0)
        }
        #expect(harness.pool.readyCount >= 1)
    }

    @Test("The only connection stays until there is another one, which is opened for the next push")
    mutating func onlyOne() throws {
        var (harness, all) = proven(1)
        fail(&harness, all[0], 4)
        #expect(harness.pool.state(all[0]) == .ready)
        harness.need(1)
        let replacement = try #require(harness.opened().first)
        harness.becomeReady(replacement)
        #expect(harness.pool.state(all[0]) == nil && harness.pool.leastLoaded() == replacement)
    }

    @Test("Losses of connections that were opened before the last failure are one failure")
    func lossesAtOnce() {
        var harness = PoolHarness { $0.maximumConnections = 8 }
        _ = harness.proven()
        harness.need(1_000)
        let opened = harness.opened()
        for id in opened { harness.becomeReady(id) }
        harness.need(0)
        #expect(opened.count == 7)
        for id in opened { harness.pool.goAwayReceived(id, isOrderly: false, now: harness.now, random: 0) }
        #expect(harness.pool.failures == 1)
    }

    @Test("A connection that stood idle for long and is closed is no failure; one that is closed at once is")
    func idleClosed() {
        var harness = PoolHarness()
        harness.need(1)
        let id = harness.opened()[0]
        harness.becomeReady(id)
        harness.need(0)
        harness.pass(.seconds(5))
        harness.pool.goAwayReceived(id, isOrderly: false, now: harness.now, random: 0)
        #expect(harness.pool.failures == 0)
        harness.need(1)
        let second = harness.opened()[0]
        harness.becomeReady(second)
        harness.pool.goAwayReceived(second, isOrderly: false, now: harness.now, random: 0)
        #expect(harness.pool.failures == 1)
        #expect(harness.opened().isEmpty)
    }

    @Test("Fresh work is worth an attempt after the shortest pause, however many have failed")
    func freshWork() {
        var harness = PoolHarness()
        harness.need(1)
        for _ in 0..<8 {
            harness.pool.connectionLost(harness.opened()[0], now: harness.now, random: .max)
            while harness.pool.identifiers.isEmpty {
                harness.pass(.milliseconds(100))
                harness.pool.timerFired(now: harness.now, random: 0)
            }
        }
        harness.pool.connectionLost(harness.opened()[0], now: harness.now, random: .max)
        harness.need(0)
        harness.pass(.milliseconds(499))
        harness.pool.demandChanged(waiting: 1, isFresh: true, now: harness.now)
        #expect(harness.opened().isEmpty, "the floor")
        harness.pass(.milliseconds(1))
        harness.pool.timerFired(now: harness.now, random: 0)
        #expect(harness.opened().count == 1)
    }

    @Test("Refused streams close the window for a while, which doubles, and halve it")
    func refusals() {
        var harness = PoolHarness()
        let id = harness.proven()
        var requests = 0
        let end = harness.now + .seconds(20)
        while harness.now < end {
            let count = harness.pool.room(id)
            if count > 0 {
                requests += count
                harness.pool.streamsOpened(id, count, now: harness.now)
                harness.pool.streamsRefused(id, count, now: harness.now)
                #expect(harness.pool.room(id) <= count / 2)
            }
            harness.pass(.milliseconds(50))
            harness.pool.timerFired(now: harness.now, random: 0)
        }
        #expect(requests <= 250 && requests > 100)
        #expect(harness.pool.state(id) == .ready)
        harness.pass(.seconds(10))
        harness.pool.timerFired(now: harness.now, random: 0)
        harness.pool.streamsOpened(id, 1, now: harness.now)
        harness.pool.streamsEnded(id, 1, answered: true, now: harness.now)
        #expect(harness.pool.freeStreams > 0)
    }

    @Test(
        "A stream that is never answered says nothing of a connection that answers others, and much of one that does not"
    )
    func timeouts() {
        var (harness, all) = proven(2)
        // The other one is busier, and gets less.
        harness.pool.streamsOpened(all[1], 5, now: harness.now)
        func timeOut(isAnswering: Bool) {
            harness.pool.streamsOpened(all[0], 2, now: harness.now)
            harness.pass(.milliseconds(1100))
            if isAnswering { harness.pool.streamsEnded(all[0], 1, answered: true, now: harness.now) }
            harness.pool.streamTimedOut(all[0], now: harness.now, random: 0)
            if !isAnswering { harness.pool.streamTimedOut(all[0], now: harness.now, random: 0) }
        }
        timeOut(isAnswering: true)
        #expect(harness.pool.leastLoaded() == all[0])
        timeOut(isAnswering: false)
        #expect(harness.pool.leastLoaded() == all[1])
    }

    private func reject(_ harness: inout PoolHarness, _ id: ConnectionID, _ times: Int) {
        for _ in 0..<times where harness.pool.room(id) > 0 {
            harness.pool.streamsOpened(id, 1, now: harness.now)
            harness.pool.streamRejected(id, now: harness.now)
        }
    }

    @Test("Rejections open no window")
    func rejectionsEarnNothing() {
        var (harness, id) = unproven()
        reject(&harness, id, 500)
        #expect(harness.pool.room(id) == 16 && harness.pool.state(id) == .ready)
    }

    @Test("A connection that rejects twenty pushes in a row while another one serves is replaced")
    func rejections() {
        var (harness, all) = proven(3)
        reject(&harness, all[1], 19)
        harness.pool.streamsOpened(all[1], 1, now: harness.now)
        harness.pool.streamsEnded(all[1], 1, answered: true, now: harness.now)
        reject(&harness, all[1], 19)
        #expect(harness.pool.state(all[1]) == .ready && !harness.pool.isSick(all[1]))
        reject(&harness, all[1], 1)
        #expect(harness.pool.state(all[1]) == nil && harness.pool.ejections == 1)
    }

    @Test("Where all connections reject nearly everything none is to blame")
    func allReject() {
        var (harness, all) = proven(3)
        for _ in 0..<40 { for id in all { reject(&harness, id, 1) } }
        #expect(all.allSatisfy { harness.pool.state($0) == .ready } && harness.pool.ejections == 0)
    }

    @Test("A connection that is allowed no stream is no capacity: while pushes wait it is replaced after a second")
    func shut() throws {
        var harness = PoolHarness()
        harness.need(1)
        let first = harness.opened()[0]
        harness.becomeReady(first, limit: 0)
        #expect(harness.pool.readyCount == 0 && harness.pool.state(first) == .ready)
        harness.pass(.milliseconds(999))
        harness.pool.timerFired(now: harness.now, random: 0)
        #expect(harness.actions().isEmpty)
        harness.pass(.milliseconds(1))
        harness.pool.timerFired(now: harness.now, random: 0)
        #expect(harness.actions() == [.close(first, .shut)] && harness.pool.failures == 1)
        harness.pass(.milliseconds(500))
        harness.pool.timerFired(now: harness.now, random: 0)
        let second = try #require(harness.opened().first)
        harness.becomeReady(second)
        #expect(harness.pool.leastLoaded() == second && harness.pool.readyCount == 1)
    }

    @Test("A connection whose used window the server does not give back is replaced a second after its last answer")
    func usedWindow() throws {
        var (harness, all) = proven(1)
        harness.pool.streamsOpened(all[0], 2, now: harness.now)
        harness.pool.writabilityChanged(all[0], isWritable: false)
        harness.need(1)
        harness.pass(.seconds(2))
        harness.pool.timerFired(now: harness.now, random: 0)
        #expect(harness.pool.state(all[0]) == .ready)
        harness.pool.streamsEnded(all[0], 2, answered: true, now: harness.now)
        harness.need(1)
        harness.pass(.milliseconds(999))
        harness.pool.timerFired(now: harness.now, random: 0)
        #expect(harness.pool.state(all[0]) == .ready)
        harness.pass(.milliseconds(1))
        harness.pool.timerFired(now: harness.now, random: 0)
        let actions = harness.actions()
        #expect(actions.first == .close(all[0], .shut) && actions.count == 2 && harness.pool.failures == 0)
    }

    @Test("A connection without streams is left alone while nothing waits, and when it gets some in time")
    func shutForAWhile() {
        var (harness, all) = proven(1)
        harness.pool.settingsReceived(all[0], maximumConcurrentStreams: 0, now: harness.now)
        harness.pass(.seconds(2))
        harness.pool.timerFired(now: harness.now, random: 0)
        #expect(harness.pool.state(all[0]) == .ready)
        harness.pool.settingsReceived(all[0], maximumConcurrentStreams: 10, now: harness.now)
        harness.pool.settingsReceived(all[0], maximumConcurrentStreams: 0, now: harness.now)
        harness.need(1)
        harness.pass(.milliseconds(500))
        harness.pool.settingsReceived(all[0], maximumConcurrentStreams: 10, now: harness.now)
        harness.pass(.seconds(2))
        harness.pool.timerFired(now: harness.now, random: 0)
        #expect(harness.pool.state(all[0]) == .ready && harness.pool.leastLoaded() == all[0])
    }

    @Test("A few streams that are always refused neither shrink nor close a connection that serves others")
    func sameRefusals() {
        var harness = PoolHarness()
        let id = harness.proven()
        for _ in 0..<50 {
            harness.pool.streamsOpened(id, 60, now: harness.now)
            harness.pool.streamsEnded(id, 55, answered: true, now: harness.now)
            // These alone are open now.
            harness.pool.streamsRefused(id, 5, now: harness.now)
            #expect(harness.pool.room(id) == 100)
        }
        #expect(harness.pool.servesMost(id))
        for _ in 0..<60 where harness.pool.room(id) >= 5 {
            harness.pool.streamsOpened(id, 5, now: harness.now)
            harness.pool.streamsRefused(id, 5, now: harness.now)
        }
        #expect(harness.pool.room(id) < 5)
    }

    @Test("A few refused streams among many others make a connection no slower")
    func fewRefusals() {
        var harness = PoolHarness()
        let id = harness.proven()
        harness.need(1000)
        let count = harness.pool.room(id)
        #expect(count >= 80)
        harness.pool.streamsOpened(id, count, now: harness.now)
        harness.pool.streamsRefused(id, 2, now: harness.now)
        harness.pool.streamsEnded(id, count - 2, answered: true, now: harness.now)
        #expect(harness.pool.room(id) >= count)
    }
}
