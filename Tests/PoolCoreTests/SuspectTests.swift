import PoolCore
import Testing
import TimeCore

@Suite("A connection for suspects")
struct SuspectTests {
    @Test("Suspects get one connection of their own, once others are proven, and only they go there")
    func own() throws {
        var harness = PoolHarness()
        let ordinary = harness.proven()
        harness.pool.demandChanged(waiting: 0, suspects: 3, now: harness.now)
        let opened = harness.opened()
        let own = try #require(opened.first)
        #expect(opened.count == 1 && harness.pool.purpose(own) == .suspects)
        #expect(harness.pool.leastLoaded(.suspects) == nil, "they wait for it rather than go among the others")
        harness.becomeReady(own)
        #expect(harness.pool.leastLoaded(.suspects) == own)
        #expect(harness.pool.leastLoaded() == ordinary)
        #expect(harness.pool.freeStreams == 100, "its streams are no room for the others")
        harness.pool.demandChanged(waiting: 0, suspects: 500, now: harness.now)
        #expect(harness.opened().isEmpty, "a second one is not opened")
    }

    @Test("A limit that shrinks to 1 on their connection leaves the others' alone")
    func shrinking() throws {
        var harness = PoolHarness()
        _ = harness.proven()
        harness.pool.demandChanged(waiting: 0, suspects: 1, now: harness.now)
        let own = try #require(harness.opened().first)
        harness.becomeReady(own)
        harness.pool.settingsReceived(own, maximumConcurrentStreams: 1, now: harness.now)
        #expect(harness.pool.room(own) == 1 && harness.pool.freeStreams == 100)
    }

    @Test("It is opened besides the most that ordinary pushes may have")
    func besides() throws {
        var harness = PoolHarness { $0.maximumConnections = 1 }
        _ = harness.proven()
        harness.need(500)
        #expect(harness.opened().isEmpty)
        harness.pool.demandChanged(waiting: 500, suspects: 1, now: harness.now)
        #expect(harness.opened().count == 1)
    }

    @Test("It has a place even when sick connections have taken all that the others may have")
    func besidesSickOnes() throws {
        var harness = PoolHarness { $0.maximumConnections = 2 }
        var last: ConnectionID? = harness.proven()
        harness.need(500)
        while let id = last {
            for _ in 0..<8 {
                harness.pool.streamsOpened(id, 1, now: harness.now)
                harness.pool.streamTroubled(id, now: harness.now)
            }
            #expect(harness.pool.isSick(id))
            last = harness.opened().first
            if let last { harness.becomeReady(last) }
        }
        harness.pool.demandChanged(waiting: 0, suspects: 1, now: harness.now)
        let own = try #require(harness.opened().first)
        #expect(harness.pool.purpose(own) == .suspects)
    }

    @Test("Before any connection has answered, suspects are no reason to open one")
    func unproven() {
        var harness = PoolHarness()
        harness.pool.demandChanged(waiting: 0, suspects: 5, now: harness.now)
        #expect(harness.opened().isEmpty)
    }

    @Test("While their connection cannot be had, they go among the others")
    func substitute() throws {
        var harness = PoolHarness()
        let ordinary = harness.proven()
        harness.pool.demandChanged(waiting: 0, suspects: 1, now: harness.now)
        let own = try #require(harness.opened().first)
        harness.pool.connectionLost(own, now: harness.now, random: 0)
        #expect(harness.pool.leastLoaded(.suspects) == ordinary)
    }
}
