import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Restarts in the store")
struct RestartStoreTests {
    private func lock(_ stage: StoreStage, _ record: ActivityRecord) async throws -> (RestartLock, UniqueID) {
        let broadcast = UniqueID.random()
        return (
            try #require(try await stage.store.restarts.lockRestarts(of: record.activity.id, for: broadcast)), broadcast
        )
    }

    private func setStatus(_ status: UInt8, _ slots: [UInt32], _ stage: StoreStage, _ id: UniqueID) async throws {
        for slot in slots {
            let index = RosterGeometry.index(ofSlot: slot)
            try await stage.putStatuses([status], from: index, id, RosterGeometry.page(ofSlot: slot))
        }
    }

    private static let unsent = RestartWish(.unsent, maximumStarts: 2)

    @Test("Tokens are laid out for those who were left out alone, over several pages, and recorded as a start for them")
    func prepare() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2000)
            let record = try await stage.started(0..<2000)
            let id = record.activity.id
            let left: [UInt32] = [3, 4, 867, 868, 1999]
            try await setStatus(DeliveryStatus.startUnsent, left, stage, id)
            let (lock, broadcast) = try await lock(stage, record)
            let preparation = try #require(try await stage.store.restarts.prepareRestart(Self.unsent, of: record, lock))
            #expect(preparation.slots == left && preparation.skipped.isEmpty)
            let tokens = try await stage.startTokens(id)
            #expect(tokens == Dictionary(uniqueKeysWithValues: left.map { (Int($0), StoreStage.token(Int($0))) }))
            // The middle page is touched only where the list is.
            var draft = BroadcastDraft(
                id: broadcast, kind: .start, scope: .slots(preparation.slots),
                payload: .update(content: Content(), options: PresentationOptions()), priority: 10, expiration: 7)
            draft.restartLock = lock
            let order = try await stage.store.broadcasts.begin(draft, for: record).get()
            #expect(order.kind == .start && order.activity.startedAt == record.activity.startedAt)
            #expect(try await stage.store.restarts.lockRestarts(of: id, for: .random()) == nil, "a start is under way")
            #expect(try await stage.page(0, order).devices.map(\.index) == [3, 4, 867])
            #expect(try await stage.page(1, order).devices.map(\.index) == [0])
            let job = try #require(try await stage.jobs(order).first)
            guard case .due(let read) = try await stage.store.jobs.startJob(job) else {
                Issue.record("the job is not due")
                return
            }
            #expect(read.scope == .slots(left) && read.pages == [0, 1, 2])
            // A repeated draft is one broadcast; without the lock there is none.
            #expect(try await stage.store.broadcasts.begin(draft, for: record).get().id == broadcast)
            draft.id = .random()
            guard case .failure = try await stage.store.broadcasts.begin(draft, for: record) else {
                Issue.record("it was recorded without the lock")
                return
            }
        }
    }

    @Test("A Live Activity that shows itself before it is started again is passed over as one that is there")
    func shownMeanwhile() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<4)
            let record = try await stage.started(0..<4)
            let id = record.activity.id
            try await setStatus(DeliveryStatus.startUnsent, [0, 1, 2, 3], stage, id)
            let (lock, broadcast) = try await lock(stage, record)
            let preparation = try #require(try await stage.store.restarts.prepareRestart(Self.unsent, of: record, lock))
            #expect(preparation.slots == [0, 1, 2, 3])
            #expect(try await stage.sync(1, .id(id, type: nil)).word == "synced")
            var draft = BroadcastDraft(
                id: broadcast, kind: .start, scope: .slots(preparation.slots),
                payload: .update(content: Content(), options: PresentationOptions()), priority: 10, expiration: 7)
            draft.restartLock = lock
            let order = try await stage.store.broadcasts.begin(draft, for: record).get()
            #expect(try await stage.sync(2, .id(id, type: nil)).word == "synced")
            let page = try await stage.page(0, order)
            #expect(page.devices.map(\.index) == [0, 3])
            #expect(page.skipped[.active] == 2)
        }
    }

    @Test("A token that came while the refused start was under way is started on; the refused one itself is not")
    func newerToken() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.register(0..<2)
            let start = try #require(try await stage.begin(.start, record))
            try await stage.store.devices.putPushToStartToken(
                [7, 7], StoreStage.key(1), tenantID: stage.tenant, type: nil)
            var outcome = PageOutcome(page: 0)
            (outcome.failed, outcome.failedFor, outcome.reasons) = ([0, 1], [0, 0], ["BadDeviceToken"])
            outcome.quarantinedTokens = [(0, StoreStage.token(0)), (1, StoreStage.token(1))]
            outcome.pushedAt = stage.now
            try await stage.finish(outcome, start)
            try await stage.quarantine(outcome, start)
            for job in try await stage.jobs(start) {
                _ = try await stage.store.jobs.complete(job, start, as: stage.gateway)
            }
            let (lock, _) = try await lock(stage, record)
            let failed = RestartWish(.failed, maximumStarts: 9)
            let started = try await stage.read(record.activity.id)
            let preparation = try #require(
                try await stage.store.restarts.prepareRestart(failed, of: started, lock))
            #expect(preparation.slots == [1])
            #expect(try await stage.startTokens(record.activity.id) == [1: [7, 7]])
        }
    }

    @Test("Start pages that a restart has made are left alone by whoever clears away an older start late")
    func lateClearing() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let record = try await stage.started(0..<3)
            let id = record.activity.id
            try await setStatus(DeliveryStatus.startUnsent, [1], stage, id)
            let (lock, broadcast) = try await lock(stage, record)
            #expect(try await stage.store.restarts.prepareRestart(Self.unsent, of: record, lock)?.slots == [1])
            try await stage.store.jobs.unlinkStartPages(of: .random(), [0], id)
            #expect(try await stage.startTokens(id).keys.sorted() == [1])
            try await stage.store.jobs.unlinkStartPages(of: broadcast, [0], id)
            #expect(try await stage.startTokens(id).isEmpty)
        }
    }

    @Test("Whoever has moved on between reading and writing is left as it is")
    func movedOn() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<4)
            let record = try await stage.started(0..<4)
            let id = record.activity.id
            try await setStatus(DeliveryStatus.startUnsent, [0, 1, 2], stage, id)
            #expect(try await stage.sync(2, .id(id, type: nil)).word == "synced")
            try await stage.store.roster.remember([1], endedBy: .random(), in: record.activity)
            let cell = TokenPage.cell(content: [7, 7])
            func prepare(_ slots: [any RedisArgumentConvertible]) async throws -> String {
                let letters = try await stage.store.run(
                    Scripts.prepareRestart(
                        startPage: Keys.startPage(id, 0), statusPage: Keys.statusPage(id, 0),
                        updatePage: Keys.updatePage(id, 0), counters: Keys.counters(id, 0),
                        pendingEnds: Keys.pendingEnds(id, 0), startCounts: Keys.startCounts(id, 0),
                        expiresAt: record.activity.keptUntil.milliseconds, broadcast: "b", firstSlot: 0, pastEnds: "",
                        leftCell: [0, 0] as [UInt8], slots: slots))
                return String(decoding: letters, as: UTF8.self)
            }
            let unsent = (0..<4).flatMap { index -> [any RedisArgumentConvertible] in
                [index, [6, 0] as [UInt8], cell, "2"]
            }
            #expect(try await prepare(unsent) == "1ea0")
            // One that has had something to say meanwhile.
            try await setStatus(DeliveryStatus.startUnsent, [3], stage, id)
            #expect(try await prepare([3, [6, TokenPage.deadTokenMark] as [UInt8], cell, "2"]) == "0")
            #expect(try await stage.startTokens(id) == [0: [7, 7]])
            let counts = try await stage.store.value(RedisCommand("HGETALL", Keys.startCounts(id, 0))).fields
            #expect(counts.map { String(decoding: $0.name, as: UTF8.self) } == ["0"])
        }
    }

    private func draft(_ id: UniqueID, _ lock: RestartLock, _ slots: [UInt32]) -> BroadcastDraft {
        var draft = BroadcastDraft(
            id: id, kind: .start, scope: .slots(slots),
            payload: .update(content: Content(), options: PresentationOptions()), priority: 10, expiration: 7)
        draft.restartLock = lock
        return draft
    }

    @Test("Whoever is in a restart that was recorded or under way since a call came in is not in that call's own")
    func atOnce() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<6)
            let record = try await stage.started(0..<6)
            let id = record.activity.id
            func wish(_ users: ClosedRange<Int>) -> RestartWish {
                RestartWish(.targets(users.map { StoreStage.key($0) }), maximumStarts: 9)
            }
            let before = try await stage.store.restarts.markRestart(of: id)
            stage.advance(.seconds(11))
            let (lock, broadcast) = try await lock(stage, record)
            #expect(try await stage.store.restarts.prepareRestart(wish(1...3), of: record, lock)?.slots == [1, 2, 3])
            let order = try await stage.store.broadcasts.begin(draft(broadcast, lock, [1, 2, 3]), for: record).get()
            let during = try await stage.store.restarts.markRestart(of: id)
            let job = try #require(try await stage.jobs(order).first)
            guard case .due = try await stage.store.jobs.startJob(job) else {
                Issue.record("the job is not due")
                return
            }
            _ = try await stage.store.jobs.open(job, order, owner: StoreStage.owner)
            var outcome = PageOutcome(page: 0)
            outcome.accepted = [1, 2, 3]
            try await stage.finish(outcome, order)
            _ = try await stage.store.jobs.complete(job, order, as: stage.gateway)
            let after = try await stage.store.restarts.markRestart(of: id)
            stage.advance(.seconds(11))
            let cases: [(RestartMark, [UInt32])] = [(before, [4, 5]), (during, [4, 5]), (after, [2, 3, 4, 5])]
            for (mark, slots) in cases {
                let (lock, _) = try await self.lock(stage, record)
                let preparation = try #require(
                    try await stage.store.restarts.prepareRestart(wish(2...5), of: record, lock, since: mark))
                #expect(preparation.slots == slots)
                #expect(preparation.skipped[.active] == 4 - slots.count)
                await stage.store.restarts.unlock(lock)
                // They are as they were.
                try await setStatus(DeliveryStatus.startAccepted, slots, stage, id)
            }
        }
    }

    @Test("The lock is one holder's, until it is given back")
    func oneHolder() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            let (lock, _) = try await lock(stage, record)
            #expect(try await stage.store.restarts.lockRestarts(of: record.activity.id, for: .random()) == nil)
            #expect(try await lock.hold.renew())
            await stage.store.restarts.unlock(lock)
            #expect(try await lock.hold.renew() == false)
            #expect(try await stage.store.restarts.prepareRestart(Self.unsent, of: record, lock) == nil)
        }
    }

    @Test("A list of slots comes back as it was; where they stand side by side it takes nine bytes for a run")
    func slotLists() {
        var generator = SeededGenerator(seed: 17)
        for density in 1...10 {
            for count in [0, 1, 2, 3, 8, 9, 500] {
                let slots = (0..<UInt32(count)).filter { _ in Int.random(in: 0..<10, using: &generator) < density }
                let bytes = SlotList.encode(slots)
                #expect(SlotList.decode(bytes) == slots)
                #expect(bytes.count <= slots.count * 4)
            }
        }
        #expect(SlotList.encode(Array(70..<1_000_070)).count == 9)
        #expect(SlotList.decode([1, 0, 0, 0, 2, 1, 0, 0]) == [1, 258])
    }
}
