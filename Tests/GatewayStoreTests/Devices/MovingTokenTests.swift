import Delivery
import Foundation
import LiveActivity
import Reactor
import RedisClient
import RosterCore
import TestStore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Tokens that move while an activity starts")
struct MovingTokenTests {
    /// The token of a phone with two logins.
    private static func token(_ user: Int) -> [UInt8] { StoreStage.token(100_000 + user / 2) }

    private func report(_ stage: StoreStage, _ user: Int, by store: GatewayStore? = nil) async throws {
        stage.advance(.milliseconds(1))
        try await (store ?? stage.store).devices.putPushToStartToken(
            Self.token(user), StoreStage.key(user), tenantID: stage.tenant, type: nil, receivedAt: stage.now)
    }

    /// A start that reads the cells of the two logins at different steps of a report, as if they were on two pages.
    private actor Start {
        let stage: StoreStage
        let record: ActivityRecord
        let token: [UInt8]
        /// The steps of the report at which the start is recorded, and at which each cell is read.
        let (begin, reads): (Int, [Int])
        private var hasBegun = false
        private var unread: Set<Int> = [0, 1]
        private(set) var sent = 0
        private(set) var steps = 0

        init(_ stage: StoreStage, _ record: ActivityRecord, token: [UInt8], begin: Int, reads: [Int]) {
            (self.stage, self.record, self.token, self.begin, self.reads) = (stage, record, token, begin, reads)
        }

        func step() async throws {
            try await look(at: steps)
            steps += 1
        }

        func look(at step: Int) async throws {
            guard step >= begin else { return }
            if !hasBegun {
                hasBegun = true
                _ = try #require(try await stage.begin(.start, record))
            }
            let page = TokenPage(try await stage.stored(.startTokens, record.activity.id, 0))
            for slot in unread where step >= reads[slot] && page.mark(slot) != TokenPage.movingMark {
                unread.remove(slot)
                if case .content(let range) = page.cell(slot), Array(page.bytes[range]) == token {
                    sent += 1
                }
            }
        }
    }

    @Test("A start that begins and reads at any step of the report reaches the phone once")
    func anyStep() async throws {
        try await StoreStage.run(onCluster: false) { stage in
            var (begin, last, user) = (0, 1, 0)
            while begin <= last {
                for read in [0, 1, 2, 3, 5, 8, 100] {
                    for first in 0..<2 {
                        try await stage.addDevices(user..<(user + 2))
                        try await report(stage, user + 1)
                        try await report(stage, user)
                        let record = try await stage.register(user..<(user + 2))
                        let late = begin + read
                        let start = Start(
                            stage, record, token: Self.token(user), begin: begin,
                            reads: first == 0 ? [begin, late] : [late, begin])
                        try await stage.stepping({ try await start.step() }) {
                            try await report(stage, user + 1, by: $0)
                        }
                        last = await start.steps
                        try await start.look(at: 1000)
                        let sent = await start.sent
                        #expect(
                            sent == 1, "begins at step \(begin) of \(last), reads \(first), and the other \(read) later"
                        )
                        user += 2
                    }
                }
                begin += 1
            }
            #expect(last > 10)
        }
    }

    @Test("A page says that a token of a start moves, read whole or by its cells")
    func pages() async throws {
        try await StoreStage.run { stage in
            let start = try await stage.beginStart(2)
            let put = stage.store.roster.putStartCell(start.order.activity, slot: 1, TokenPage.cellOfMovingToken)
            #expect(try await !stage.page(0, start.order).hasMovingToken)
            _ = try await stage.store.value(put)
            for scope in [BroadcastScope.wholeSegment, .slots([1])] {
                var order = start.order
                order.scope = scope
                let page = try await stage.page(0, order)
                #expect(page.hasMovingToken && page.skipped[.noPushToStartToken] == 1)
            }
        }
    }

    @Test("A roster waits for a report in progress, so that no two of its places have one token")
    func roster() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            try await report(stage, 1)
            try await report(stage, 0)
            // Its user is a member of another activity, so the report has steps left.
            _ = try await stage.register(0..<2)
            stage.advance(.milliseconds(1))
            let change = TokenReport(
                key: StoreStage.key(1), token: Self.token(0), type: "", record: [], tenantID: stage.tenant,
                receivedAt: stage.now, limits: .standard)
            let devices = stage.store.devices
            let (reply, claim) = try await withCheckedThrowingContinuation { continuation in
                stage.reactor.execute {
                    devices.put(change) { reply in
                        devices.claim(change, change.index) { claim in
                            continuation.resume(with: Result { (try reply.get(), try claim.get()) })
                        }
                    }
                }
            }
            // A start may begin as soon as the roster is there.
            async let tokens = stage.startTokens(stage.register(0..<2).activity.id)
            try await Task.sleep(for: .milliseconds(100))
            try await devices.conclude(change, reply, claim)
            #expect(try await tokens == [1: Self.token(0)])
        }
    }
}
