import Delivery
import LiveActivity
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Where an update begins")
struct PageTurnTests {
    @Test(
        "However few devices each update comes to before the next: nobody waits for longer than two fan-outs",
        arguments: [(1, 10), (3, 10), (7, 10), (5, 20), (64, 3)], [1, 3, 4, 7, 9, 10, 11, 13, 19, 27, 64])
    func noStarvation(roster: (pages: Int, devices: Int), rate: Int) {
        var turns: [Int: PageTurn] = [:]
        let total = roster.pages * roster.devices
        let fanOut = (total + rate - 1) / rate
        var last = [[Int]](repeating: [Int](repeating: 0, count: roster.devices), count: roster.pages)
        var longest = 0
        for order in 1...(6 * fanOut + 6) {
            var left = rate
            for page in PageTurn.sorted(Array(0..<roster.pages), { turns[$0] }) where left > 0 {
                let first = turns[page]?.firstIndex ?? 0
                let sent = min(left, roster.devices)
                for device in 0..<sent {
                    let index = (first + device) % roster.devices
                    longest = max(longest, order - last[page][index])
                    last[page][index] = order
                }
                left -= sent
                let stop = sent < roster.devices ? UInt16((first + sent) % roster.devices) : nil
                turns[page] = PageTurn(PageTurn.after(turns[page], order: order, stop: stop).bytes[...])
            }
        }
        #expect(longest <= 2 * fanOut)
        #expect(last.joined().allSatisfy { $0 > 0 })
    }

    @Test("The next update begins with the pages that the last one did not come to, and behind its last device")
    func pages() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            func open() async throws -> (BroadcastOrder, JobProgress) {
                let order = try #require(try await stage.begin(.update, record))
                let job = try #require(try await stage.jobs(order).first { $0.broadcastID == order.id })
                return (order, try #require(try await stage.store.jobs.open(job, order, owner: StoreStage.owner)))
            }
            var turns: [Int: PageTurn] = [:]
            func finish(_ page: Int, _ order: BroadcastOrder, sent: Int, supersededFrom: UInt16?) async throws {
                var outcome = PageOutcome(page: page)
                outcome.counts.accepted = sent
                outcome.supersededFrom = supersededFrom
                outcome.lastTurn = turns[page]
                #expect(try await stage.write(outcome, order) == .written)
            }
            let (first, untouched) = try await open()
            #expect(untouched.inTurn([0, 1, 2, 63]) == [0, 1, 2, 63])
            try await finish(2, first, sent: 0, supersededFrom: 0)
            try await finish(1, first, sent: 5, supersededFrom: 600)
            try await finish(0, first, sent: 868, supersededFrom: nil)
            let (second, progress) = try await open()
            #expect(progress.inTurn([0, 1, 2, 63]) == [1, 2, 63, 0])
            #expect([0, 1, 2, 63].map { progress.firstIndex(ofPage: $0) } == [0, 600, 0, 0])
            turns[1] = progress.turn(ofPage: 1)
            // From index 600 to 32 the update wraps around, so every device of page 1 has had its turn.
            try await finish(1, second, sent: 300, supersededFrom: 32)
            try await finish(2, second, sent: 9, supersededFrom: nil)
            try await finish(63, second, sent: 0, supersededFrom: 0)
            let (_, last) = try await open()
            #expect(last.inTurn([0, 1, 2, 63]) == [63, 0, 1, 2])
            #expect([0, 1, 2, 63].allSatisfy { last.firstIndex(ofPage: $0) == 0 })
            // Target lists do not take turns.
            let list = try #require(try await stage.begin(.update, record, .slots([0])))
            let job = try #require(try await stage.jobs(list).first { $0.broadcastID == list.id })
            let plain = try await stage.store.jobs.open(job, list, owner: StoreStage.owner)
            #expect(plain?.turn(ofPage: 2) == nil && last.turn(ofPage: 2) != nil)
            let expiry = try await stage.store.value(RedisCommand("PTTL", Keys.counters(record.activity.id, 0))).int
            #expect((expiry ?? -1) > 0)
        }
    }

    @Test("The next update begins behind the partition that the last one has come to")
    func partitions() async throws {
        try await StoreStage.run { stage in
            let record = try await stage.started(partitions: 3)
            func next() async throws -> (BroadcastOrder, [JobTicket]) {
                let order = try #require(try await stage.begin(.update, record))
                return (order, try await stage.jobs(order).filter { $0.broadcastID == order.id })
            }
            let (first, jobs) = try await next()
            #expect(jobs.map(\.partition) == [0, 1, 2])
            #expect(jobs[0].precedes(jobs[1]) && !jobs[1].precedes(jobs[0]) && !jobs[0].precedes(jobs[0]))
            _ = try await stage.store.jobs.complete(jobs[0], first, as: stage.gateway, hasSent: true)
            _ = try await stage.store.jobs.complete(jobs[1], first, as: stage.gateway, hasSent: false)
            #expect(try await next().1.map(\.partition) == [1, 2, 0])
            #expect(try await next().1.map(\.partition) == [1, 2, 0])
            // An end begins with the first partition.
            let end = try #require(try await stage.begin(.end, record))
            let jobsOfEnd = try await stage.jobs(end).filter { $0.broadcastID == end.id }
            #expect(jobsOfEnd.map(\.partition) == [0, 1, 2])
        }
    }

    @Test("A page begins with the device where the last update stopped; those before it come last")
    func devices() throws {
        let cells = [UInt8](1...4).map {
            RosterCell(status: DeliveryStatus.startAccepted, mark: 0, content: [UInt8](repeating: $0, count: 40))
        }
        let page = PageOfDevices(0, [1, 4, 6, 9], cells, kind: .update)
        #expect(page.beginning(at: 0).devices.map(\.index) == [1, 4, 6, 9])
        #expect(page.beginning(at: 5).devices.map(\.index) == [6, 9, 1, 4])
        #expect(page.beginning(at: 10).devices.map(\.index) == [1, 4, 6, 9])
    }
}
