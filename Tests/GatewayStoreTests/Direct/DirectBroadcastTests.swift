import Delivery
import LiveActivity
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Updates to few devices that are sent at once")
struct DirectBroadcastTests {
    @Test("Its record says what that of any other update says, and nothing else of it is left")
    func record() async throws {
        try await DirectStage.run { direct in
            let stage = direct.stage
            let id = direct.record.activity.id
            let keys = Set(try await stage.keys("fanfare:*"))
            let usual = try await direct.usualUpdate()
            let afterUsual = Set(try await stage.keys("fanfare:*"))
            let update = try #require(try await direct.begin())
            let ended = try #require(try await direct.finish(update))
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

    @Test("One whose id came before the activity was known is listed among the others")
    func strangers() async throws {
        try await DirectStage.run { direct in
            var ids: [UniqueID] = []
            for number in 0..<6 {
                direct.stage.advance(.seconds(60))
                let update = try #require(try await direct.begin(id: number % 2 == 0 ? .random() : nil))
                _ = try #require(try await direct.finish(update))
                ids.append(update.order.id)
            }
            let record = try await direct.stage.read(direct.record.activity.id)
            let recent = try await direct.stage.store.broadcasts.recentBroadcasts(of: record).map(\.id)
            #expect(recent.prefix(6) == ids.reversed()[...])
        }
    }

    @Test("Its outcomes are a field of the partition's counters")
    func outcomePage() async throws {
        try await DirectStage.run { direct in
            let id = direct.record.activity.id
            let update = try #require(try await direct.begin())
            _ = try #require(try await direct.finish(update))
            let page = PageKey(.outcomes, id, 0)
            let places = try await direct.store.values([
                RedisCommand("EXISTS", page.key), RedisCommand("HEXISTS", page.counters, page.field),
            ])
            #expect(places.map(\.int) == [0, 1])
            let codes = try await direct.stage.stored(.outcomes, id, 0)
            #expect(codes.count > 3)
        }
    }

    @Test(
        "What is kept of one is the same, byte for byte, whether its gateway has written it or a script, from its record"
    )
    func kept() async throws {
        try await DirectStage.run { direct in
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
                let direct1 = try #require(try await direct.begin())
                _ = try #require(try await direct.finish(direct1, outcome))
                let shown = try #require(try await direct.begin())
                try await direct.store.direct.show(direct.record.activity.id)
                _ = try #require(try await direct.finish(shown, outcome))
                var texts: [[String]] = []
                for update in [direct1, shown] {
                    let text = try await direct.stage.ended(update.order.id, in: direct.record.activity.id)
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
        try await DirectStage.run { direct in
            _ = try await direct.usualUpdate()
            let before = try await direct.activityFields()
            _ = try await direct.finish(try #require(try await direct.begin()))
            var after = try await direct.activityFields()
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
        try await DirectStage.run { direct in
            let update = try #require(try await direct.begin())
            var outcome = PageOutcome(page: 0)
            outcome.accepted = [0, 2]
            outcome.failed = [1]
            outcome.failedFor = [0]
            outcome.reasons = ["BadTopic"]
            outcome.counts.accepted = 2
            outcome.counts.failed = ["BadTopic": 1]
            let ended = try #require(try await direct.finish(update, outcome))
            #expect(ended.counts.failed == ["BadTopic": 1] && ended.counts.accepted == 2)
            let page = OutcomePage(try await direct.stage.stored(.outcomes, direct.record.activity.id, 0))
            #expect((0..<3).map { page.outcome($0)?.failure } == [nil, "BadTopic", nil])
            #expect(page.outcome(2)?.at.seconds == direct.stage.now.seconds)
            // One of some of them leaves what was known of the others.
            let second = try #require(try await direct.begin())
            outcome = PageOutcome(page: 0)
            outcome.accepted = [1]
            outcome.counts.accepted = 1
            _ = try #require(try await direct.finish(second, outcome))
            let then = OutcomePage(try await direct.stage.stored(.outcomes, direct.record.activity.id, 0))
            #expect((0..<3).map { then.outcome($0)?.failure } == [nil, nil, nil] && then.outcome(0) != nil)
        }
    }

    @Test("Nothing is begun, and nothing changes, where it has to be a broadcast like any other")
    func declined() async throws {
        try await DirectStage.run { direct in
            let stage = direct.stage
            let before = try await direct.activityFields()
            #expect(try await direct.begin(tenantID: "another") == nil)
            #expect(try await direct.begin(type: "Another") == nil)
            #expect(try await direct.begin(segment: SmallSegment(direct.record, end: 2)) == nil)
            for field in ["topic", "channels", "catch_up", "heal", "schedule", "external_id"] {
                try await direct.set(field, "1")
                #expect(try await direct.begin() == nil, "\(field)")
                try await direct.remove(field)
            }
            try await direct.set("state", "1")
            let open = try #require(try await stage.begin(.update, direct.record))
            #expect(try await direct.begin() == nil)
            let job = try #require(try await stage.jobs(open).first)
            _ = try await stage.store.jobs.complete(job, open, as: stage.gateway)
            let update = try #require(try await direct.begin())
            // Another one of the same activity is under way.
            #expect(try await direct.begin() == nil)
            _ = try await direct.finish(update)
            stage.advance(.seconds(3601))
            #expect(try await direct.begin() == nil)
            #expect(before["order"] == "1")
        }
    }

    @Test("A token that is reported before it is recorded is the one that it is sent to, whatever was looked at before")
    func newestToken() async throws {
        try await DirectStage.run { direct in
            let update = try await direct.begin {
                direct.stage.advance(.seconds(1))
                _ = try await direct.stage.sync(
                    1, .id(direct.record.activity.id, type: nil), token: StoreStage.token(9_999))
            }
            #expect(try #require(update).page.tokens[1] == StoreStage.token(9_999))
        }
    }

    @Test("Tokens of devices that have left or ended open no gate")
    func endedDevices() async throws {
        try await DirectStage.run { direct in
            let id = direct.record.activity.id
            let gone = [DeliveryStatus.ended(.userDismissed), DeliveryStatus.removed, DeliveryStatus.absent]
            try await direct.stage.putStatuses(gone, from: 0, id)
            #expect(try await direct.begin() == nil)
            let live = [DeliveryStatus.startAccepted]
            try await direct.stage.putStatuses(live, from: 1, id)
            #expect(try await direct.begin()?.page.devices.map(\.index) == [1])
        }
    }

    @Test("Nobody to send it to: the gate stays closed")
    func gate() async throws {
        try await DirectStage.run { direct in
            for user in 0..<3 {
                let slot = UInt32(user)
                _ = try await direct.stage.store.run(
                    direct.stage.store.roster.clearUpdateCell(
                        direct.record.activity, slot: slot, TokenPage.cellOfDeadToken,
                        status: user == 0 ? DeliveryStatus.ended(.userDismissed) : nil, asOf: nil))
                let update = try await direct.begin()
                #expect((update == nil) == (user == 2))
                if let update { _ = try await direct.finish(update) }
            }
        }
    }

    @Test("An activity of many devices, or with more to do, is no small one")
    func kinds() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<51)
            let many = try await stage.started(0..<51)
            let few = try await stage.started(0..<50)
            #expect(SmallSegment(many) == nil && SmallSegment(few) != nil)
            let direct = stage.store.direct
            let found = try await DirectStage.find([many, few], direct, stage)
            #expect(found.map { $0 != nil } == [false, true])
        }
    }

    @Test("The pace of an activity's updates holds for those as well")
    func pace() async throws {
        try await DirectStage.run(minimumInterval: .seconds(1)) { direct in
            direct.stage.advance(.milliseconds(1000 - Int(direct.stage.now.milliseconds % 1000)))
            _ = try await direct.finish(try #require(try await direct.begin()))
            let second = try #require(try await direct.begin())
            _ = try await direct.finish(second)
            #expect(try await direct.begin() == nil)
            direct.stage.advance(.milliseconds(999))
            #expect(try await direct.begin() == nil)
            direct.stage.advance(.milliseconds(1))
            let third = try #require(try await direct.begin())
            _ = try await direct.finish(third)
            #expect(third.order.timestamp == second.order.timestamp.map { $0 + 1 })
        }
    }

    @Test("A newer one makes it like any other: it is superseded, waited for, and ends once")
    func contended() async throws {
        try await DirectStage.run { direct in
            let stage = direct.stage
            let first = try #require(try await direct.begin())
            let second = try #require(try await stage.begin(.update, direct.record))
            #expect(second.superseded == [first.order.id] && second.order == first.order.order + 1)
            #expect(try await stage.isSuperseded(first.order))
            let job = try #require(try await stage.jobs(second).first)
            #expect(try await stage.store.jobs.isDue(job, second) == false)
            let running = try #require(try await stage.store.broadcasts.broadcast(first.order.id))
            #expect(running.state == .running)
            let ended = try #require(try await direct.finish(first))
            #expect(ended.state == .done && ended.counts.accepted == 3)
            let read = try #require(try await stage.store.broadcasts.broadcast(first.order.id))
            #expect(read.state == .done && read.counts.accepted == 3)
            #expect(try await stage.store.jobs.isDue(job, second) == true)
            let record = try await stage.store.jobs.complete(job, second, as: stage.gateway)
            #expect(record?.state == .done)
            #expect(try await stage.keys("*:b:\(first.order.id)").isEmpty)
            // And the next is sent at once again.
            #expect(try await direct.begin() != nil)
        }
    }

    @Test("When its gateway is gone it gets a job, which sends the same")
    func takeOver() async throws {
        try await DirectStage.run { direct in
            let stage = direct.stage
            let update = try #require(try await direct.begin())
            stage.advance(.milliseconds(5999))
            #expect(try await stage.jobs(update.order).isEmpty)
            stage.advance(.milliseconds(1))
            let job = try #require(try await stage.jobs(update.order).first)
            #expect(!job.isDirect && job.broadcastID == update.order.id && job.part == .partition(0))
            guard case .due(let order) = try await stage.store.jobs.startJob(job) else {
                Issue.record("its turn has not come")
                return
            }
            #expect(order.payload == update.order.payload && order.order == update.order.order)
            #expect(order.expiration == update.order.expiration && order.priority == update.order.priority)
            #expect(try await direct.finish(update) == nil)
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
            let next = try #require(try await direct.begin())
            try await direct.remove(String(update.order.id.description.suffix(12)))
            #expect(try await direct.finish(update) == nil)
            #expect(try await direct.finish(next)?.state == .done)
        }
    }

    @Test("Who is still at work keeps it, who gives it back leaves a job, and who has lost it is told")
    func renewal() async throws {
        try await DirectStage.run { direct in
            let stage = direct.stage
            let update = try #require(try await direct.begin())
            stage.advance(.seconds(5))
            #expect(try await direct.renew(update).isEmpty)
            stage.advance(.seconds(5))
            #expect(try await stage.jobs(update.order).isEmpty)
            #expect(try await direct.renew(update, areHandedOver: true).isEmpty)
            #expect(try await stage.jobs(update.order).count == 1)
            #expect(try await direct.renew(update) == [update.job])
        }
    }

    @Test("When the activity is gone nothing is left of it")
    func vanished() async throws {
        try await DirectStage.run { direct in
            let update = try #require(try await direct.begin())
            _ = try await direct.stage.store.value(RedisCommand("DEL", Keys.activity(direct.record.activity.id)))
            direct.stage.advance(.seconds(7))
            #expect(try await direct.stage.jobs(update.order).isEmpty)
            let left = try await direct.stage.keys("fanfare:{*}:direct")
            #expect(left.isEmpty)
        }
    }

    @Test("A call that is repeated is recorded once, and so is an end whose answer was lost")
    func repetition() async throws {
        try await DirectStage.run { direct in
            let id = UniqueID.random()
            let update = try #require(try await direct.begin(id: id, isRepetition: true))
            #expect(try await direct.begin(id: id, isRepetition: true) == nil)
            #expect(try await direct.finish(update)?.state == .done)
            #expect(try await direct.finish(update)?.state == .done)
            let again = try await direct.begin(id: id, isRepetition: true)
            #expect(again == nil)
            #expect(try await direct.stage.store.broadcasts.broadcast(id)?.counts.accepted == 3)
        }
    }

    @Test("Content that may not have come to anybody counts as unseen")
    func failed() async throws {
        try await DirectStage.run { direct in
            var outcome = PageOutcome(page: 0)
            outcome.failed = [0, 1, 2]
            outcome.failedFor = [0, 0, 0]
            outcome.reasons = ["ExpiredProviderToken"]
            outcome.counts.failed = ["ExpiredProviderToken": 3]
            let update = try #require(try await direct.begin())
            #expect(try await direct.finish(update, outcome, stop: "ExpiredProviderToken")?.state == .failed)
            #expect(try await direct.activityFields()["shown"] == nil)
            let read = try #require(try await direct.stage.store.broadcasts.broadcast(update.order.id))
            #expect(read.state == .failed && read.counts.failed == ["ExpiredProviderToken": 3])
            #expect(!read.hasWrongEnvironment)
        }
    }

    @Test("Tokens of another environment are told of in the record")
    func wrongEnvironment() async throws {
        try await DirectStage.run { direct in
            let update = try #require(try await direct.begin())
            #expect(try await direct.finish(update, hasWrongEnvironment: true)?.hasWrongEnvironment == true)
            let read = try await direct.stage.store.broadcasts.broadcast(update.order.id)
            #expect(read?.hasWrongEnvironment == true)
        }
    }
}
