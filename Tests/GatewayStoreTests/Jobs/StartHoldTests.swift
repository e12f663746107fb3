import LiveActivity
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Who of a start may have been sent something")
struct StartHoldTests {
    @Test("Only those are in doubt that were noted, not released and not told of; all others are sent by the next")
    func takeOver() async throws {
        try await StoreStage.run { stage in
            let start = try await stage.beginStart(10)
            #expect(try await stage.store.jobs.open(start.job, start.order, owner: "a")?.isTouched == false)
            #expect(try await stage.note([0, 1, 2, 5, 6], start.order, owner: "a") == .written)
            #expect(try await stage.write(.part([0]), start.order, owner: "a") == .written)
            #expect(try await stage.note([5, 6], kind: .released, number: 2, start.order, owner: "a") == .written)
            // Device 6 is noted again after its release. The release is repeated because its answer was lost.
            #expect(try await stage.note([6], number: 3, start.order, owner: "a") == .written)
            #expect(try await stage.note([5, 6], kind: .released, number: 2, start.order, owner: "a") == .written)

            #expect(try await stage.store.jobs.open(start.job, start.order, owner: "b")?.isTouched == true)
            #expect(try await stage.statuses(start) == [3, 5, 5, 1, 1, 1, 5, 1, 1, 1])
            #expect(try await stage.page(0, start.order).tokens.keys.sorted() == [3, 4, 5, 7, 8, 9])
            let counts = try await stage.counts(start)
            #expect(counts?.accepted == 1 && counts?.failed == ["unknown": 3])
            // The call is repeated because its answer was lost.
            #expect(try await stage.store.jobs.open(start.job, start.order, owner: "b")?.isTouched == true)
            #expect(try await stage.counts(start) == counts)
        }
    }

    @Test("With the other rule nobody is in doubt: they are sent the start again")
    func resend() async throws {
        try await StoreStage.run { stage in
            let start = try await stage.beginStart(3)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "a")
            #expect(try await stage.note([0, 1, 2], start.order, owner: "a") == .written)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "b", resendsDoubtful: true)
            #expect(try await stage.page(0, start.order).tokens.count == 3)
        }
    }

    @Test("A gateway that has lost its job learns so before it sends anything more")
    func fence() async throws {
        try await StoreStage.run { stage in
            let start = try await stage.beginStart(3)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "a")
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "b")
            #expect(try await stage.note([0], start.order, owner: "a") == .lost)
            #expect(try await stage.note([0], start.order, owner: "b") == .written)
        }
    }

    @Test(
        "What a lost gateway knows, however late, takes the place of unknown, once, also in the record of what has ended"
    )
    func lateOutcomes() async throws {
        try await StoreStage.run { stage in
            let start = try await stage.beginStart(6)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "a")
            #expect(try await stage.note([0, 1, 2, 3], start.order, owner: "a") == .written)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "b")
            for _ in 0..<2 { #expect(try await stage.write(.part([0]), start.order, owner: "a") == .lost) }
            var counts = try await stage.counts(start)
            #expect(counts?.accepted == 1 && counts?.failed == ["unknown": 3])

            #expect(try await stage.write(.part([4, 5], isFinal: true), start.order, owner: "b") == .written)
            #expect(try await stage.store.jobs.openPages(of: start.job, start.order, owner: "b").isEmpty)
            let ended = try await stage.store.jobs.complete(start.job, start.order, as: stage.gateway)
            #expect(ended?.counts.accepted == 3 && ended?.counts.failed == ["unknown": 3])

            var late = PageOutcome.part([1])
            (late.failed, late.failedFor, late.reasons) = ([2], [0], ["Unregistered"])
            for _ in 0..<2 { #expect(try await stage.write(late, start.order, owner: "a") == .lost) }
            counts = try await stage.counts(start)
            #expect(counts?.accepted == 4 && counts?.failed == ["unknown": 1, "Unregistered": 1])
            #expect(try await stage.statuses(start) == [3, 3, 4, 5, 3, 3])
        }
    }

    @Test("Who turns out not to have been sent anything is sent it after all, also when the page was finished")
    func releasedLate() async throws {
        try await StoreStage.run { stage in
            let start = try await stage.beginStart(4)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "a")
            #expect(try await stage.note([0, 1], start.order, owner: "a") == .written)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "b")
            #expect(try await stage.write(.part([2, 3], isFinal: true), start.order, owner: "b") == .written)
            for _ in 0..<2 { try await stage.release([0], start.order, owner: "a") }
            #expect(try await stage.store.jobs.openPages(of: start.job, start.order, owner: "b") == [0])
            #expect(try await stage.page(0, start.order).tokens.keys.sorted() == [0])
            #expect(try await stage.write(.part([0], isFinal: true), start.order, owner: "b") == .written)
            let ended = try await stage.store.jobs.complete(start.job, start.order, as: stage.gateway)
            #expect(ended?.counts.accepted == 3 && ended?.counts.failed == ["unknown": 1])
        }
    }

    @Test("Who was not sent anything by a gateway that has given up is not in doubt, although nobody had taken over")
    func releasedBetween() async throws {
        try await StoreStage.run { stage in
            let start = try await stage.beginStart(3)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "a")
            #expect(try await stage.note([0, 1], start.order, owner: "a") == .written)
            try await stage.release([0, 1], start.order, owner: "a")
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "b")
            #expect(try await stage.statuses(start) == [1, 1, 1])
            #expect(try await stage.counts(start)?.failed == [:])
        }
    }

    @Test("Only the one who left a device in doubt can tell that it was not sent anything, and only once")
    func doubtHasAnOwner() async throws {
        try await StoreStage.run { stage in
            let start = try await stage.beginStart(3)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "a")
            #expect(try await stage.note([0, 1, 2], start.order, owner: "a") == .written)
            try await stage.release([1], start.order, owner: "a")
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "b")
            try await stage.release([0], start.order, owner: "a")
            // The second hold sends to both and is lost.
            #expect(try await stage.note([0, 1], start.order, owner: "b") == .written)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "c")
            #expect(try await stage.statuses(start) == [5, 5, 5])
            // The first hold repeats its releases because their answers were lost.
            try await stage.release([0, 1], start.order, owner: "a")
            var late = PageOutcome.part()
            (late.failed, late.failedFor, late.reasons) = ([0, 1], [0, 0], ["Unregistered"])
            #expect(try await stage.write(late, start.order, owner: "a") == .lost)
            #expect(try await stage.statuses(start) == [5, 5, 5])
            #expect(try await stage.counts(start)?.failed == ["unknown": 3])
            // A lost hold's report that a start was accepted still counts.
            for _ in 0..<2 { #expect(try await stage.write(.part([0]), start.order, owner: "a") == .lost) }
            #expect(try await stage.statuses(start) == [3, 5, 5])
            #expect(try await stage.counts(start)?.failed == ["unknown": 2])
            #expect(try await stage.counts(start)?.accepted == 1)
        }
    }

    @Test("Who was not sent anything when a start has ended meanwhile is counted as not reached")
    func releasedBehindEnd() async throws {
        try await StoreStage.run { stage in
            let start = try await stage.beginStart(2)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "a")
            #expect(try await stage.note([0], start.order, owner: "a") == .written)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "b")
            #expect(try await stage.write(.part([1], isFinal: true), start.order, owner: "b") == .written)
            #expect(try await stage.store.jobs.openPages(of: start.job, start.order, owner: "b").isEmpty)
            _ = try await stage.store.jobs.complete(start.job, start.order, as: stage.gateway)
            for _ in 0..<2 { try await stage.release([0], start.order, owner: "a") }
            #expect(try await stage.statuses(start) == [6, 3])
            #expect(try await stage.counts(start)?.failed == ["NoConnection": 1])
        }
    }

    @Test("A device in doubt whose Live Activity has ended is not sent another, whatever is told of it")
    func doubtEnded() async throws {
        try await StoreStage.run { stage in
            let start = try await stage.beginStart(2)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "a")
            #expect(try await stage.note([0], start.order, owner: "a") == .written)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "b")
            _ = try await stage.store.reports.dismiss(
                StoreStage.key(0), reference: .id(start.order.activity.id, type: nil), tenantID: stage.tenant)
            let before = try await stage.statuses(start)
            #expect(before != [5, 1])
            #expect(try await stage.release([0], start.order, owner: "a") == nil)
            #expect(try await stage.statuses(start) == before)
            #expect(try await stage.counts(start)?.failed == ["unknown": 1])
        }
    }

    @Test("Doubts are forgotten with the activity")
    func doubtExpires() async throws {
        try await StoreStage.run { stage in
            let start = try await stage.beginStart(2)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "a")
            #expect(try await stage.note([0, 1], start.order, owner: "a") == .written)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "b")
            let key = Keys.doubts(start.order.activity.id, 0)
            #expect(try await stage.redis.value(RedisCommand("HLEN", key)).int == 2)
            #expect(try #require(try await stage.redis.value(RedisCommand("PTTL", key)).int) > 0)
        }
    }

    @Test("A Live Activity that has ended before its outcome was written counts once, whoever goes on")
    func endedMeanwhile() async throws {
        try await StoreStage.run { stage in
            let start = try await stage.beginStart(4)
            func dismiss(_ user: Int) async throws {
                _ = try await stage.store.reports.dismiss(
                    StoreStage.key(user), reference: .id(start.order.activity.id, type: nil), tenantID: stage.tenant)
            }
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "a")
            #expect(try await stage.note([0, 1, 2], start.order, owner: "a") == .written)
            // Device 0 ends after its outcome, device 1 before it, and device 2 has none.
            #expect(try await stage.write(.part([0]), start.order, owner: "a") == .written)
            try await dismiss(0)
            try await dismiss(1)
            #expect(try await stage.write(.part([1]), start.order, owner: "a") == .written)
            try await dismiss(2)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "b")
            let page = try await stage.page(0, start.order, isResumed: true)
            #expect(page.tokens.keys.sorted() == [3] && page.skipped.isEmpty)
            #expect(try await stage.write(.part([3], isFinal: true), start.order, owner: "b") == .written)
            let counts = try await stage.counts(start)
            #expect(counts?.accepted == 3 && counts?.failed == ["unknown": 1])
        }
    }

    @Test(
        "Who was never sent anything has a delivery status of its own, and what is not a device's counts with the page")
    func unsent() async throws {
        try await StoreStage.run { stage in
            let start = try await stage.beginStart(3)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "a")
            var outcome = PageOutcome.part([0], isFinal: true)
            (outcome.unsent, outcome.unsentReason) = ([1, 2], "Expired")
            outcome.counts.failed = ["Expired": 2, "Unsendable": 1]
            outcome.counts.skipped[.osVersion] = 4
            for _ in 0..<2 { #expect(try await stage.write(outcome, start.order, owner: "a") == .written) }
            #expect(try await stage.statuses(start) == [3, 6, 6])
            let counts = try await stage.counts(start)
            #expect(counts?.accepted == 1 && counts?.failed == ["Expired": 2, "Unsendable": 1])
            #expect(counts?.skipped[.osVersion] == 4)
        }
    }

    @Test("Nothing is left of the noted runs when a start has ended")
    func leftovers() async throws {
        try await StoreStage.run { stage in
            let start = try await stage.beginStart(2)
            _ = try await stage.store.jobs.open(start.job, start.order, owner: "a")
            #expect(try await stage.note([0, 1], start.order, owner: "a") == .written)
            #expect(try await stage.write(.part([0, 1], isFinal: true), start.order, owner: "a") == .written)
            #expect(try await stage.store.jobs.openPages(of: start.job, start.order, owner: "a").isEmpty)
            _ = try await stage.store.jobs.complete(start.job, start.order, as: stage.gateway)
            #expect(try await stage.keys("*.*}:b:*").isEmpty)
            #expect(try await stage.store.jobs.open(start.job, start.order, owner: "late") == nil)
            try await stage.store.jobs.discard(start.job, as: stage.gateway)
            #expect(try await stage.keys("*.*}:b:*").isEmpty)
        }
    }
}
