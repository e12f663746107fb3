import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TestStore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Updates whose job the recording gateway holds")
struct HeldBroadcastTests {
    @Test("Its record says what that of any other update says, and nothing else of it is left")
    func record() async throws {
        try await HeldStage.run { held in
            let stage = held.stage
            let id = held.record.activity.id
            let keys = Set(try await stage.keys("fanfare:*"))
            let usual = try await held.usualUpdate()
            let afterUsual = Set(try await stage.keys("fanfare:*"))
            let update = try #require(try await held.begin())
            let ended = try #require(try await held.finish(update))
            #expect(ended.state == .done && ended.counts.accepted == 3 && ended.updatesThisHour == 2)
            let read = try #require(try await stage.store.broadcasts.broadcast(update.order.id))
            #expect(read.counts.accepted == 3 && read.state == .done && read.updatesThisHour == 2)
            #expect(read.createdAt == ended.createdAt && read.finishedAt == ended.finishedAt)

            // Each is a field beside those of the others, and needs no pointer.
            for broadcast in [usual.id, update.order.id] {
                #expect(try await stage.ended(broadcast, in: id)?.prefix(2) == "ud")
            }
            let left = Set(try await stage.keys("fanfare:*")).subtracting(afterUsual)
            #expect(left.isEmpty)
            #expect(afterUsual == keys)
            let recent = try await stage.store.broadcasts.recentBroadcasts(of: stage.read(id))
            #expect(recent.prefix(2).map(\.id) == [update.order.id, usual.id])
        }
    }

    @Test("Its outcomes are a field of the partition's counters")
    func outcomePage() async throws {
        try await HeldStage.run { held in
            let id = held.record.activity.id
            let update = try #require(try await held.begin())
            _ = try #require(try await held.finish(update))
            let page = PageKey(.outcomes, id, 0)
            let places = try await held.store.values([
                RedisCommand("EXISTS", page.key), RedisCommand("HEXISTS", page.counters, page.field),
            ])
            #expect(places.map(\.int) == [0, 1])
            let codes = try await held.stage.stored(.outcomes, id, 0)
            #expect(codes.count > 3)
        }
    }

    @Test("What is kept of one is what is kept of any other, byte for byte")
    func kept() async throws {
        try await HeldStage.run { held in
            var outcome = PageOutcome(page: 0)
            outcome.accepted = [0]
            outcome.failed = [1]
            outcome.failedFor = [0]
            outcome.reasons = ["Bad Topic"]
            outcome.counts.accepted = 1
            outcome.counts.failed = ["Bad Topic": 1]
            outcome.counts.skipped[.gdprDenied] = 1
            for counts in [outcome.counts, BroadcastCounts()] {
                outcome.counts = counts
                let first = try #require(try await held.begin())
                _ = try #require(try await held.finish(first, outcome))
                let second = try await held.usualUpdate(outcome)
                var texts: [[String]] = []
                for id in [first.order.id, second.id] {
                    let text = try await held.stage.ended(id, in: held.record.activity.id)
                    texts.append(
                        try #require(text).split(separator: " ", omittingEmptySubsequences: false)
                            .map { String($0) })
                }
                // The timestamp and the updates of the hour are those of the next.
                for place in [3, 4] {
                    #expect(Int(texts[1][place]) == (Int(texts[0][place]) ?? 0) + 1)
                    for number in 0..<2 { texts[number][place] = "" }
                }
                #expect(texts[0] == texts[1])
            }
        }
    }

    @Test("It changes the activity as any other update does")
    func activity() async throws {
        try await HeldStage.run { held in
            _ = try await held.usualUpdate()
            let before = try await held.activityFields()
            _ = try await held.finish(try #require(try await held.begin()))
            var after = try await held.activityFields()
            #expect(Set(before.keys).subtracting(after.keys).isEmpty)
            // The kept record of the update itself.
            let added = Set(after.keys).subtracting(before.keys)
            #expect(added.count == 1)
            #expect(after["ended"] == "3" && before["ended"] == "2")
            for name in added { after[name] = nil }
            #expect(Int(after["timestamp"] ?? "") == Int(before["timestamp"] ?? "").map { $0 + 1 })
            #expect(after["order"] == "3" && after["settled"] == "3" && after["shown_order"] == "3")
            #expect(after["hour_updates"] == "2" && after["shown"] == before["shown"])
            #expect(before["shown"] != nil && after["hour_urgent"] == "2")
            for name in [
                "timestamp", "order", "settled", "shown_order", "hour_updates", "hour_urgent", "recent", "ended",
            ] {
                after[name] = before[name]
            }
            #expect(after == before)
        }
    }

    @Test("What becomes of its devices is what any other update leaves")
    func outcomes() async throws {
        try await HeldStage.run { held in
            let update = try #require(try await held.begin())
            var outcome = PageOutcome(page: 0)
            outcome.accepted = [0, 2]
            outcome.failed = [1]
            outcome.failedFor = [0]
            outcome.reasons = ["BadTopic"]
            outcome.counts.accepted = 2
            outcome.counts.failed = ["BadTopic": 1]
            let ended = try #require(try await held.finish(update, outcome))
            #expect(ended.counts.failed == ["BadTopic": 1] && ended.counts.accepted == 2)
            let page = OutcomePage(try await held.stage.stored(.outcomes, held.record.activity.id, 0))
            #expect((0..<3).map { page.outcome($0)?.failure } == [nil, "BadTopic", nil])
            #expect(page.outcome(2)?.at.seconds == held.stage.now.seconds)
            // One of some of them leaves what was known of the others.
            let second = try #require(try await held.begin())
            outcome = PageOutcome(page: 0)
            outcome.accepted = [1]
            outcome.counts.accepted = 1
            _ = try #require(try await held.finish(second, outcome))
            let then = OutcomePage(try await held.stage.stored(.outcomes, held.record.activity.id, 0))
            #expect((0..<3).map { then.outcome($0)?.failure } == [nil, nil, nil] && then.outcome(0) != nil)
        }
    }

    @Test("While another broadcast is open, an update has a job like any other")
    func queued() async throws {
        try await HeldStage.run { held in
            let stage = held.stage
            let open = try #require(try await stage.begin(.update, held.record))
            let second = try #require(try await held.recorded())
            #expect(second.job == nil && second.order.superseded == [open.id])
            let jobs = try await stage.jobs(open)
            for order in [open, second.order] {
                let job = try #require(jobs.first { $0.broadcastID == order.id })
                _ = try await stage.store.jobs.complete(job, order, as: stage.gateway)
            }
            let update = try #require(try await held.begin())
            let third = try #require(try await held.recorded())
            #expect(third.job == nil && third.order.superseded == [update.order.id])
            #expect(try await held.finish(update)?.state == .done)
            try await held.set("state", "3")
            #expect(try await held.recorded() == nil)
        }
    }

    @Test("The page that is read with the record has the newest tokens of live devices")
    func newestToken() async throws {
        try await HeldStage.run { held in
            let id = held.record.activity.id
            held.stage.advance(.seconds(1))
            _ = try await held.stage.sync(1, .id(id, type: nil), token: StoreStage.token(9_999))
            let update = try #require(try await held.begin())
            if StoreBackend.isCluster {
                #expect(update.page == nil)
            } else {
                #expect(update.page?.tokens[1] == StoreStage.token(9_999))
            }
            _ = try await held.finish(update)
            let gone = [DeliveryStatus.ended(.userDismissed), DeliveryStatus.startAccepted, DeliveryStatus.absent]
            try await held.stage.putStatuses(gone, from: 0, id)
            let next = try #require(try await held.begin())
            if let page = next.page { #expect(page.devices.map(\.index) == [1]) }
        }
    }

    @Test("The job of a broadcast to many devices or to a list is not held")
    func kinds() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<51)
            let (many, few) = (try await stage.started(0..<51), try await stage.started(0..<50))
            func draft(_ record: ActivityRecord, _ kind: PushEvent = .update) -> BroadcastDraft {
                BroadcastDraft(
                    id: record.activity.id.randomBroadcast(), kind: kind, scope: .wholeSegment,
                    payload: .update(content: Content(), options: PresentationOptions()), priority: 10, expiration: 7)
            }
            #expect(draft(few).mayBeHeld(few) && !draft(many).mayBeHeld(many) && !draft(few, .end).mayBeHeld(few))
            var other = draft(few)
            other.scope = .slots([1])
            #expect(!other.mayBeHeld(few))
            other = draft(few)
            other.id = .random()
            #expect(!other.mayBeHeld(few))
        }
    }

    @Test("The pace of an activity's updates holds for those as well")
    func pace() async throws {
        try await HeldStage.run(minimumInterval: .seconds(1)) { held in
            held.stage.advance(.milliseconds(1000 - Int(held.stage.now.milliseconds % 1000)))
            _ = try await held.finish(try #require(try await held.begin()))
            let second = try #require(try await held.begin())
            _ = try await held.finish(second)
            // The third one waits, so it has a job of the stream.
            let third = try #require(try await held.recorded())
            #expect(third.job == nil && third.order.timestamp == second.order.timestamp.map { $0 + 1 })
            #expect(try await held.stage.jobs(third.order).count == 1)
        }
    }

    @Test("A newer one makes it like any other: it is superseded, waited for, and ends once")
    func contended() async throws {
        try await HeldStage.run { held in
            let stage = held.stage
            let first = try #require(try await held.begin())
            let second = try #require(try await stage.begin(.update, held.record))
            #expect(second.superseded == [first.order.id] && second.order == first.order.order + 1)
            #expect(try await stage.isSuperseded(first.order))
            let job = try #require(try await stage.jobs(second).first)
            #expect(try await stage.store.jobs.isDue(job, second) == false)
            let running = try #require(try await stage.store.broadcasts.broadcast(first.order.id))
            #expect(running.state == .running)
            let ended = try #require(try await held.finish(first))
            #expect(ended.state == .done && ended.counts.accepted == 3)
            let read = try #require(try await stage.store.broadcasts.broadcast(first.order.id))
            #expect(read.state == .done && read.counts.accepted == 3)
            #expect(try await stage.store.jobs.isDue(job, second) == true)
            let record = try await stage.store.jobs.complete(job, second, as: stage.gateway)
            #expect(record?.state == .done)
            #expect(try await stage.keys("*:b:\(first.order.id)").isEmpty)
            // Held jobs are not in the index of turns, but the second broadcast was.
            #expect(try await stage.keys("*:turns*").isEmpty)
            // And the next is sent at once again.
            #expect(try await held.begin() != nil)
        }
    }

    @Test("When its gateway is gone it gets a job, which sends the same")
    func takeOver() async throws {
        try await HeldStage.run { held in
            let stage = held.stage
            let update = try #require(try await held.begin())
            stage.advance(.milliseconds(5999))
            #expect(try await stage.jobs(update.order).isEmpty)
            stage.advance(.milliseconds(1))
            let job = try #require(try await stage.jobs(update.order).first)
            #expect(!job.isHeld && job.broadcastID == update.order.id && job.part == .partition(0))
            // From here on they expire without a gateway.
            let id = held.record.activity.id
            for key in [Keys.broadcast(id, update.order.id), Keys.openBroadcasts(id)] {
                #expect(try await held.store.value(RedisCommand("PTTL", key)).int ?? 0 > 0, "\(key)")
            }
            guard case .due(let order) = try await stage.store.jobs.startJob(job) else {
                Issue.record("its turn has not come")
                return
            }
            #expect(order.payload == update.order.payload && order.order == update.order.order)
            #expect(order.expiration == update.order.expiration && order.priority == update.order.priority)
            #expect(try await held.finish(update) == nil)
            let page = try await stage.page(0, order)
            #expect(page.devices.count == 3)
            var outcome = PageOutcome(page: 0)
            outcome.accepted = [0, 1, 2]
            outcome.counts.accepted = 3
            let progress = try await stage.store.jobs.open(job, order, owner: StoreStage.owner)
            #expect(progress?.doubt == .usual)
            try await stage.finish(outcome, order)
            let ended = try await stage.store.jobs.complete(job, order, as: stage.gateway)
            #expect(ended?.state == .done && ended?.counts.accepted == 3)
            #expect(try await stage.store.jobs.forgetVanished().isEmpty)
            // The late end does not end the next update either, of any hold.
            let next = try #require(try await held.begin())
            try await held.remove(String(update.order.id.description.suffix(12)))
            #expect(try await held.finish(update) == nil)
            #expect(try await held.finish(next)?.state == .done)
        }
    }

    @Test("Who is still at work keeps it, who gives it back leaves a job, and who has lost it is told")
    func renewal() async throws {
        try await HeldStage.run { held in
            let stage = held.stage
            let update = try #require(try await held.begin())
            stage.advance(.seconds(5))
            #expect(try await held.renew(update).isEmpty)
            stage.advance(.seconds(5))
            #expect(try await stage.jobs(update.order).isEmpty)
            #expect(try await held.renew(update, areHandedOver: true).isEmpty)
            #expect(try await stage.jobs(update.order).count == 1)
            #expect(try await held.renew(update) == [update.job])
        }
    }

    @Test("When the activity is gone nothing is left of it")
    func vanished() async throws {
        try await HeldStage.run { held in
            let update = try #require(try await held.begin())
            _ = try await held.stage.store.value(RedisCommand("DEL", Keys.activity(held.record.activity.id)))
            held.stage.advance(.seconds(7))
            #expect(try await held.stage.jobs(update.order).isEmpty)
            for pattern in ["fanfare:{*}:held", "*:b:\(update.order.id)"] {
                #expect(try await held.stage.keys(pattern).isEmpty, "\(pattern)")
            }
            let open = Keys.openBroadcasts(held.record.activity.id)
            #expect(try await held.store.value(RedisCommand("PTTL", open)).int ?? 0 > 0)
        }
    }

    @Test("A call that is repeated is recorded once, and so is an end whose answer was lost")
    func repetition() async throws {
        try await HeldStage.run { held in
            let id = held.record.activity.id.randomBroadcast()
            let update = try #require(try await held.begin(id: id))
            #expect(try await held.recorded(id: id) == nil)
            #expect(try await held.finish(update)?.state == .done)
            #expect(try await held.finish(update)?.state == .done)
            let again = try await held.recorded(id: id)
            #expect(again == nil)
            #expect(try await held.stage.store.broadcasts.broadcast(id)?.counts.accepted == 3)
        }
    }

    @Test("A first call that comes late finds what its repetition recorded, while that is open and after its end")
    func lateFirstCall() async throws {
        try await HeldStage.run { held in
            let id = held.record.activity.id.randomBroadcast()
            let order = try await held.usualBeginning(id: id)
            #expect(try await held.recorded(id: id) == nil)
            _ = try await held.end(order)
            #expect(try await held.recorded(id: id) == nil)
            #expect(try await held.activityFields()["order"] == "2")
        }
    }

    @Test("An update without a device leaves no record if its activity was not read for it")
    func withdrawn() async throws {
        try await HeldStage.run { held in
            let before = try await held.stage.keys("fanfare:*")
            let first = try #require(try await held.begin())
            let record = try #require(try await held.finish(first, PageOutcome(page: 0), mayBeWithdrawn: true))
            #expect(record.counts.accepted == 0)
            #expect(try await held.stage.store.broadcasts.broadcast(first.order.id) == nil)
            #expect(Set(try await held.stage.keys("fanfare:*")) == Set(before))
            // The answer was lost.
            #expect(try await held.finish(first, PageOutcome(page: 0), mayBeWithdrawn: true) != nil)
            // Its caller may record it after all, and one with a device leaves its record.
            let second = try #require(try await held.begin(id: first.order.id))
            _ = try await held.finish(second, mayBeWithdrawn: true)
            #expect(try await held.stage.store.broadcasts.broadcast(first.order.id)?.counts.accepted == 3)
            let recent = try await held.stage.store.broadcasts.recentBroadcasts(
                of: held.stage.read(held.record.activity.id))
            #expect(recent.map(\.id).filter { $0 == first.order.id }.count == 1)
        }
    }

    @Test("The drivers of single users are forgotten with an update that a customer sends to all")
    func drivers() async throws {
        try await HeldStage.run { held in
            let driven = Keys.activity(held.record.activity.id) + ":driven"
            try await held.set("driven", "1")
            _ = try await held.store.value(RedisCommand("HSET", driven, "user", "id:name"))
            _ = try await held.finish(try #require(try await held.begin()))
            #expect(try await held.stage.keys(driven).isEmpty)
            #expect(try await held.activityFields()["driven"] == nil)
        }
    }

    @Test("Content that may not have come to anybody counts as unseen")
    func failed() async throws {
        try await HeldStage.run { held in
            var outcome = PageOutcome(page: 0)
            outcome.failed = [0, 1, 2]
            outcome.failedFor = [0, 0, 0]
            outcome.reasons = ["ExpiredProviderToken"]
            outcome.counts.failed = ["ExpiredProviderToken": 3]
            let update = try #require(try await held.begin())
            #expect(try await held.finish(update, outcome, stop: "ExpiredProviderToken")?.state == .failed)
            #expect(try await held.activityFields()["shown"] == nil)
            let read = try #require(try await held.stage.store.broadcasts.broadcast(update.order.id))
            #expect(read.state == .failed && read.counts.failed == ["ExpiredProviderToken": 3])
            #expect(!read.hasWrongEnvironment)
        }
    }

    @Test("Tokens of another environment are told of in the record")
    func wrongEnvironment() async throws {
        try await HeldStage.run { held in
            let update = try #require(try await held.begin())
            #expect(try await held.finish(update, hasWrongEnvironment: true)?.hasWrongEnvironment == true)
            let read = try await held.stage.store.broadcasts.broadcast(update.order.id)
            #expect(read?.hasWrongEnvironment == true)
        }
    }
}
