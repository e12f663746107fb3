import Delivery
import LiveActivity
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Whoever may have been sent a start, when several tell of it")
struct StartDoubtTests {
    /// Another start to some of the devices, as a restart records it.
    private func restart(_ stage: StoreStage, _ start: BegunStart, _ slots: [UInt32]) async throws -> BegunStart {
        let id = start.record.activity.id
        for slot in slots {
            try await stage.putStatuses([DeliveryStatus.registered], from: Int(slot), id)
        }
        let broadcast = UniqueID.random()
        let record = try #require(try await stage.store.activities.activity(id))
        var draft = BroadcastDraft(
            id: broadcast, kind: .start, scope: .slots(slots),
            payload: .update(content: Content(), options: PresentationOptions()), priority: 10, expiration: 7)
        draft.restartLock = try await stage.store.restarts.lockRestarts(of: id, for: broadcast)
        let order = try await stage.store.broadcasts.begin(draft, for: record).get()
        return BegunStart(record: record, order: order, job: try #require(try await stage.jobs(order).first))
    }

    @Test("A page that is opened again counts once whom it passed over")
    func skipsOnce() async throws {
        try await StoreStage.run { stage in
            let start = try await stage.beginStart(3)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "a")
            #expect(try await stage.note([0], start.order, owner: "a") == .written)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "b")
            var outcome = PageOutcome.part([1, 2], isFinal: true)
            outcome.counts.skipped[.pushOptOut] = 4
            outcome.counts.failed = ["Unsendable": 2]
            #expect(try await stage.write(outcome, start.order, owner: "b") == .written)
            try await stage.release([0], start.order, owner: "a")
            #expect(try await stage.store.jobs.openPages(of: start.job, start.order, owner: "b") == [0])
            outcome.accepted = [0]
            outcome.counts.accepted = 1
            for _ in 0..<2 { #expect(try await stage.write(outcome, start.order, owner: "b") == .written) }
            let counts = try await stage.counts(start)
            #expect(counts?.accepted == 3 && counts?.skipped[.pushOptOut] == 4)
            #expect(counts?.failed == ["Unsendable": 2])
        }
    }

    @Test("Who is released while the next gateway has read the page, and not finished it, is sent the start by it")
    func releasedBehindReading() async throws {
        try await StoreStage.run { stage in
            let start = try await stage.beginStart(3)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "a")
            #expect(try await stage.note([0, 1], start.order, owner: "a") == .written)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "b")
            #expect(try await stage.page(0, start.order).tokens.keys.sorted() == [2])
            try await stage.release([0, 1], start.order, owner: "a")
            #expect(try await stage.write(.part([2], isFinal: true), start.order, owner: "b") == .written)
            #expect(try await stage.store.jobs.openPages(of: start.job, start.order, owner: "b") == [0])
            #expect(try await stage.page(0, start.order).tokens.keys.sorted() == [0, 1])
            #expect(try await stage.write(.part([0, 1], isFinal: true), start.order, owner: "b") == .written)
            try await stage.end(start, owner: "b")
            #expect(try await stage.counts(start)?.accepted == 3)
            #expect(try await stage.counts(start)?.failed == [:])
        }
    }

    @Test("Whoever has lost the job can not say of another's devices that they were not sent anything")
    func strangersWord() async throws {
        try await StoreStage.run { stage in
            let start = try await stage.beginStart(2)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "a")
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "b")
            #expect(try await stage.note([0, 1], start.order, owner: "b") == .written)
            var stale = PageOutcome.part()
            (stale.unsent, stale.unsentReason) = ([0], "Expired")
            (stale.failed, stale.failedFor, stale.reasons) = ([1], [0], ["Unregistered"])
            #expect(try await stage.write(stale, start.order, owner: "a") == .lost)
            #expect(try await stage.statuses(start) == [1, 1])
            #expect(try await stage.write(.part([0, 1], isFinal: true), start.order, owner: "b") == .written)
            let counts = try await stage.counts(start)
            #expect(counts?.accepted == 2 && counts?.failed == [:])
        }
    }

    @Test("Late words about a start are counted with that start, also when another start is under way")
    func lateBesideRestart() async throws {
        try await StoreStage.run { stage in
            let first = try await stage.beginStart(3)
            _ = try await stage.store.jobs.open(first.job, first.order, owner: "a")
            #expect(try await stage.note([0, 1], first.order, owner: "a") == .written)
            _ = try await stage.store.jobs.open(first.job, first.order, owner: "b")
            #expect(try await stage.write(.part([2], isFinal: true), first.order, owner: "b") == .written)
            try await stage.end(first, owner: "b")

            let second = try await restart(stage, first, [0, 1])
            _ = try await stage.store.jobs.open(second.job, second.order, owner: "c")
            #expect(try await stage.note([0, 1], second.order, owner: "c") == .written)
            for _ in 0..<2 { #expect(try await stage.write(.part([0, 1]), first.order, owner: "a") == .lost) }
            #expect(try await stage.counts(first)?.accepted == 3)
            #expect(try await stage.counts(first)?.failed == [:])
            #expect(try await stage.write(.part([0, 1], isFinal: true), second.order, owner: "c") == .written)
            #expect(try await stage.counts(second)?.accepted == 2)
            #expect(try await stage.statuses(first) == [3, 3, 3])
        }
    }

    @Test("A Live Activity that proves a start is counted with the start that left it in doubt")
    func proof() async throws {
        try await StoreStage.run { stage in
            let first = try await stage.beginStart(3)
            _ = try await stage.store.jobs.open(first.job, first.order, owner: "a")
            #expect(try await stage.note([0, 1, 2], first.order, owner: "a") == .written)
            _ = try await stage.store.jobs.open(first.job, first.order, owner: "b")
            #expect(try await stage.write(.part(isFinal: true), first.order, owner: "b") == .written)
            try await stage.end(first, owner: "b")
            let second = try await restart(stage, first, [2])
            _ = try await stage.store.jobs.open(second.job, second.order, owner: "c")
            var outcome = PageOutcome.part(isFinal: true)
            outcome.unknown = [2]
            outcome.counts.failed = ["unknown": 1]
            #expect(try await stage.write(outcome, second.order, owner: "c") == .written)
            let id = first.record.activity.id
            for _ in 0..<2 {
                #expect(try await stage.sync(0, .id(id, type: nil)).word == "synced")
            }
            #expect(try await stage.counts(first)?.accepted == 1)
            #expect(try await stage.counts(first)?.failed == ["unknown": 2])
            #expect(try await stage.counts(second)?.accepted == 0)
            #expect(try await stage.counts(second)?.failed == ["unknown": 1])
            #expect(try await stage.sync(2, .id(id, type: nil)).word == "synced")
            #expect(try await stage.counts(second)?.accepted == 1)
            #expect(try await stage.counts(second)?.failed == [:])
            #expect(try await stage.counts(first)?.accepted == 1)
        }
    }

    @Test("A Live Activity that shows itself before its start is taken over leaves no doubt, with a token or without")
    func proofBeforeTakeover() async throws {
        try await StoreStage.run { stage in
            let start = try await stage.beginStart(4)
            let id = start.record.activity.id
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "a")
            #expect(try await stage.note([0, 1, 2], start.order, owner: "a") == .written)
            #expect(try await stage.sync(0, .id(id, type: nil)).word == "synced")
            _ = try await stage.store.reports.sync(
                StoreStage.key(1), token: nil, reference: .id(id, type: nil), systemActivityID: nil,
                tenantID: stage.tenant)
            for _ in 0..<2 { _ = try await stage.store.jobs.open(start.job, start.order, owner: "b") }
            #expect(try await stage.statuses(start) == [3, 3, 5, 1])
            #expect(try await stage.counts(start)?.accepted == 2)
            #expect(try await stage.counts(start)?.failed == ["unknown": 1])
            #expect(try await stage.page(0, start.order).tokens.keys.sorted() == [3])
            // The first gateway records its outcomes late. Device 0 is counted already.
            #expect(try await stage.write(.part([0, 1]), start.order, owner: "a") == .lost)
            #expect(try await stage.sync(0, .id(id, type: nil)).word == "synced")
            #expect(try await stage.write(.part([3], isFinal: true), start.order, owner: "b") == .written)
            try await stage.end(start, owner: "b")
            #expect(try await stage.counts(start)?.accepted == 3)
            #expect(try await stage.counts(start)?.failed == ["unknown": 1])
        }
    }

    @Test("A Live Activity that shows itself while a restart is under way does not prove that restart")
    func noProofOfRestart() async throws {
        try await StoreStage.run { stage in
            let start = try await stage.beginStart(2)
            let id = start.record.activity.id
            _ = try await stage.store.value(
                RedisCommand("HSET", Keys.counters(id, 0), "restart", start.order.id.description))
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "a")
            #expect(try await stage.note([0], start.order, owner: "a") == .written)
            #expect(try await stage.sync(0, .id(id, type: nil)).word == "synced")
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "b")
            #expect(try await stage.statuses(start) == [5, 1])
            #expect(try await stage.counts(start)?.accepted == 0)
        }
    }

    @Test("What is told between the last look at the pages and the end is in the record in the end")
    func betweenLookAndEnd() async throws {
        try await StoreStage.run { stage in
            let start = try await stage.beginStart(4)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "a")
            #expect(try await stage.note([0, 1, 2], start.order, owner: "a") == .written)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "b")
            #expect(try await stage.write(.part([3], isFinal: true), start.order, owner: "b") == .written)
            #expect(try await stage.store.jobs.openPages(of: start.job, start.order, owner: "b").isEmpty)
            async let released = stage.release([0], start.order, owner: "a")
            async let told = stage.write(.part([1]), start.order, owner: "a")
            // Both have reached the store; they wait for the end.
            while try await stage.statuses(start) != [6, 3, 5, 3] { try await Task.sleep(for: .milliseconds(5)) }
            _ = try await stage.store.jobs.complete(start.job, start.order, as: stage.gateway)
            #expect(try await released?.slots == [0])
            #expect(try await told == .lost)
            let counts = try await stage.counts(start)
            #expect(counts?.accepted == 2 && counts?.failed == ["NoConnection": 1, "unknown": 1])
        }
    }

    @Test("Who is left out when a start has ended is started after all, and nobody else")
    func leftOut() async throws {
        try await StoreStage.run { stage in
            let first = try await stage.beginStart(4)
            _ = try await stage.store.jobs.open(first.job, first.order, owner: "a")
            #expect(try await stage.note([0, 1, 2], first.order, owner: "a") == .written)
            _ = try await stage.store.jobs.open(first.job, first.order, owner: "b")
            #expect(try await stage.write(.part([3], isFinal: true), first.order, owner: "b") == .written)
            try await stage.end(first, owner: "b")
            let leftOut = try #require(try await stage.release([0, 2], first.order, owner: "a"))
            #expect(leftOut.slots == [0, 2])
            guard case .begun(let order) = try await stage.store.restarts.start(leftOut) else {
                Issue.record("it was not started")
                return
            }
            #expect(order.scope == .slots([0, 2]) && order.expiration == first.order.expiration)
            let (before, now) = (Payload(first.order.payload), Payload(order.payload))
            #expect(now != nil && now == before)
            #expect(try await stage.page(0, order).tokens.keys.sorted() == [0, 2])
            #expect(try await stage.statuses(first) == [1, 5, 1, 3])
            // Another start is under way; and when it has ended no device is left.
            guard case .busy = try await stage.store.restarts.start(leftOut) else {
                Issue.record("two starts at once")
                return
            }
            let job = try #require(try await stage.jobs(order).first)
            _ = try await stage.store.jobs.open(job, order, owner: "c")
            #expect(try await stage.write(.part([0, 2], isFinal: true), order, owner: "c") == .written)
            try await stage.end(BegunStart(record: first.record, order: order, job: job), owner: "c")
            guard case .pointless = try await stage.store.restarts.start(leftOut) else {
                Issue.record("somebody was started twice")
                return
            }
            #expect(try await stage.release([0, 2], first.order, owner: "a") == nil)
        }
    }

    @Test("A device that a start has left out is started with the newest state that is kept")
    func leftOutBehindUpdate() async throws {
        try await StoreStage.run { stage in
            let options = PresentationOptions()
            func content(_ state: String) -> Content { Content(contentState: ArraySlice(state.utf8)) }
            let first = try await stage.beginStart(
                2, .start(type: StoreStage.type, content: content(#"{"n":1}"#), options: options))
            let id = first.record.activity.id
            _ = try await stage.store.value(RedisCommand("HSET", Keys.activity(id), "catch_up", "1"))
            _ = try await stage.store.jobs.open(first.job, first.order, owner: "a")
            #expect(try await stage.note([0], first.order, owner: "a") == .written)
            _ = try await stage.store.jobs.open(first.job, first.order, owner: "b")
            #expect(try await stage.write(.part([1], isFinal: true), first.order, owner: "b") == .written)
            try await stage.end(first, owner: "b")
            let record = try #require(try await stage.store.activities.activity(id))
            let update = try #require(
                try await stage.begin(
                    .update, record, payload: .update(content: content(#"{"n":2}"#), options: options)))
            let leftOut = try #require(try await stage.release([0], first.order, owner: "a"))
            guard case .begun(let order) = try await stage.store.restarts.start(leftOut) else {
                Issue.record("it was not started")
                return
            }
            let newest = Payload.start(type: StoreStage.type, content: content(#"{"n":2}"#), options: options)
            #expect(Payload(order.payload) == newest && update.order > first.order.order)
        }
    }
}
