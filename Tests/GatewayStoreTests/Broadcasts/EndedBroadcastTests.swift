import Delivery
import LiveActivity
import Reactor
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Broadcasts that have ended")
struct EndedBroadcastTests {
    private static let madeAt = WallTime(milliseconds: 9000)

    private func record(_ stage: StoreStage, _ order: BroadcastOrder) async throws -> [String] {
        let key = Keys.broadcast(order.activity.id, order.id)
        return try await stage.store.value(RedisCommand("HKEYS", key)).array?.compactMap(\.string) ?? []
    }

    private func kept(_ stage: StoreStage, _ order: BroadcastOrder) async throws -> String? {
        try await stage.ended(order.id, in: order.activity.id)
    }

    private func carryOut(
        _ order: BroadcastOrder, _ stage: StoreStage, _ counts: BroadcastCounts = BroadcastCounts()
    ) async throws -> BroadcastRecord? {
        var ended: BroadcastRecord?
        for job in try await stage.jobs(order) {
            guard case .due = try await stage.store.jobs.startJob(job) else { throw NotDue() }
            _ = try await stage.store.jobs.open(job, order, owner: StoreStage.owner)
            var outcome = PageOutcome(page: order.pages(of: job.part)[0])
            outcome.counts = counts
            if order.kind == .start {
                outcome.accepted = (0..<counts.accepted).map { UInt16($0) }
                _ = try await stage.write(outcome, order, owner: StoreStage.owner)
                #expect(try await stage.store.jobs.openPages(of: job, order, owner: StoreStage.owner).isEmpty)
            } else {
                try await stage.finish(outcome, order)
            }
            ended = try await stage.store.jobs.complete(job, order, as: stage.gateway)
        }
        return ended
    }

    private struct NotDue: Error {}

    @Test(
        "Who opens a broadcast's partitions when others have ended it leaves nothing behind", arguments: [true, false])
    func lateHold(isStart: Bool) async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let activity = try await isStart ? stage.register(0..<3) : stage.started(0..<3)
            if !isStart { for user in 0..<3 { _ = try await stage.sync(user, .id(activity.activity.id, type: nil)) } }
            let order = try #require(try await stage.begin(isStart ? .start : .update, activity))
            let job = try #require(try await stage.jobs(order).first)
            guard case .due = try await stage.store.jobs.startJob(job) else { throw NotDue() }
            _ = try await stage.store.jobs.open(job, order, owner: StoreStage.owner)
            var outcome = PageOutcome(page: order.pages(of: job.part)[0])
            outcome.accepted = [0, 1, 2]
            outcome.counts.accepted = 3
            if isStart {
                _ = try await stage.write(outcome, order, owner: StoreStage.owner)
                _ = try await stage.store.jobs.openPages(of: job, order, owner: StoreStage.owner)
            } else {
                try await stage.finish(outcome, order)
            }
            #expect(try await stage.store.jobs.complete(job, order, as: stage.gateway)?.state == .done)
            let before = try await stage.keys("fanfare:*:b:\(order.id)*")
            #expect(try await stage.store.jobs.open(job, order, owner: "late") == nil)
            #expect(try await stage.keys("fanfare:*:b:\(order.id)*") == before)
        }
    }

    @Test("One field stands for a broadcast that nothing more is sent of, and says all that its record said")
    func field() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let activity = try await stage.register(0..<3)
            let start = try #require(try await stage.begin(.start, activity))
            stage.advance(.seconds(2))
            var counts = BroadcastCounts()
            counts.accepted = 1
            counts.failed = ["Bad Token": 2, "unknown": 1]
            counts.skipped[.noPushToStartToken] = 4
            let ended = try #require(try await carryOut(start, stage, counts))
            let read = try #require(try await stage.store.broadcasts.broadcast(start.id))
            for each in [ended, read] {
                #expect(each.kind == .start && each.state == .done && each.counts.accepted == 1)
                #expect(each.counts.failed == ["Bad Token": 2, "unknown": 1] && each.total == 8)
                #expect(each.counts.skipped[.noPushToStartToken] == 4 && each.activityID == activity.activity.id)
                #expect(each.startedAt == stage.now && each.finishedAt == stage.now)
                #expect(each.createdAt.milliseconds == stage.now.milliseconds - 2000)
                #expect(each.updatesThisHour == 0 && !each.recordsEvents && !each.hasWrongEnvironment)
            }
            #expect(try await record(stage, start).isEmpty)
            #expect(try await kept(stage, start)?.hasPrefix("sd") == true)

            let update = try #require(try await stage.begin(.update, stage.read(activity.activity.id)))
            #expect(try await carryOut(update, stage)?.updatesThisHour == 1)
            let list = try await stage.store.broadcasts.recentBroadcasts(of: stage.read(activity.activity.id))
            #expect(list.map(\.id) == [update.id, start.id] && list.map(\.updatesThisHour) == [1, 0])
        }
    }

    @Test("The first ones are in the activity's hash, the others beside it as long as the hash")
    func places() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let id = try await stage.started(0..<1).activity.id
            var updates: [BroadcastOrder] = []
            func update(_ broadcast: UniqueID? = nil, _ counts: BroadcastCounts = BroadcastCounts()) async throws {
                stage.advance(.seconds(60))
                let order = try #require(try await stage.begin(.update, stage.read(id), id: broadcast))
                _ = try await carryOut(order, stage, counts)
                updates.append(order)
            }
            var long = BroadcastCounts()
            long.failed = [String(repeating: "Reason ", count: 8): 1]
            try await update(nil, long)
            try await update(.random())
            for _ in 0..<20 { try await update() }

            var isInHash: [Bool] = []
            for order in updates {
                let found = try await stage.store.values(EndedBroadcast.reads(order.id, in: id))
                #expect(found.count { !$0.isNull } == 1)
                isInHash.append(!found[0].isNull)
                #expect(try await stage.store.broadcasts.broadcast(order.id, in: id)?.state == .done)
                // A repeated begin starts no other broadcast.
                let orders = RedisCommand("HGET", Keys.activity(id), "order")
                let before = try await stage.store.value(orders).string
                _ = try await stage.begin(.update, stage.read(id), id: order.id)
                #expect(try await stage.store.value(orders).string == before)
            }
            // The start is the first.
            let count = ScriptLimits.endedInActivity - 1
            #expect(isInHash == (0..<22).map { $0 >= 2 && $0 < 2 + count })
            let read = RedisCommand("HGET", Keys.activity(id), "ended")
            #expect(try await stage.store.value(read).string == "16")
            let encoding = RedisCommand("OBJECT", "ENCODING", Keys.activity(id))
            #expect(try await stage.store.value(encoding).string == "listpack")

            let recent = try await stage.store.broadcasts.recentBroadcasts(of: stage.read(id)).map(\.id)
            #expect(recent == updates.suffix(10).reversed().map(\.id))
            let lives = try await stage.store.values(
                [Keys.endedBroadcasts(id), Keys.activity(id)].map { RedisCommand("PEXPIRETIME", $0) }
            ).compactMap(\.int)
            #expect(lives.count == 2 && abs(lives[1] - lives[0]) <= 1)
        }
    }

    @Test("One that is not named after its activity is listed among those that are, by time")
    func strangers() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let id = try await stage.started(0..<1).activity.id
            var updates: [UniqueID] = []
            for number in 0..<6 {
                stage.advance(.seconds(60))
                let name = number % 2 == 0 ? UniqueID.random() : nil
                let update = try #require(try await stage.begin(.update, stage.read(id), id: name))
                if number < 4 { _ = try await carryOut(update, stage) }
                updates.append(update.id)
            }
            let recent = try await stage.store.broadcasts.recentBroadcasts(of: stage.read(id)).map(\.id)
            #expect(recent.prefix(6) == updates.reversed()[...])
        }
    }

    @Test("Dozens of updates of an activity take less than a hundred bytes each")
    func size() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let id = try await stage.started(0..<1).activity.id
            for _ in 0..<50 {
                stage.advance(.seconds(60))
                let update = try #require(try await stage.begin(.update, stage.read(id)))
                _ = try await carryOut(update, stage)
            }
            let sizes = try await stage.store.values(
                [Keys.endedBroadcasts(id), Keys.activity(id)].map { RedisCommand("MEMORY", "USAGE", $0, "SAMPLES", 0) })
            #expect(sizes.compactMap(\.int).reduce(0, +) < 51 * 100)
        }
    }

    @Test("An end keeps its record with its content, and an update for those who catch up until the next one")
    func kept() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let id = try await stage.started(0..<2).activity.id
            for user in 0..<2 { _ = try await stage.sync(user, .id(id, type: nil)) }
            _ = try await stage.store.value(RedisCommand("HSET", Keys.activity(id), "catch_up", "1"))
            var updates: [BroadcastOrder] = []
            for number in 0..<2 {
                stage.advance(.seconds(60))
                let update = try #require(try await stage.begin(.update, stage.read(id)))
                updates.append(update)
                if number == 1 { #expect(try await kept(stage, updates[0]) != nil) }
                _ = try await carryOut(update, stage)
                #expect(try await record(stage, update).contains("payload"))
                #expect(try await kept(stage, update) == nil)
            }
            #expect(try await record(stage, updates[0]).isEmpty)
            #expect(try await stage.store.broadcasts.broadcast(updates[0].id)?.state == .done)
            let end = try #require(try await stage.begin(.end, stage.read(id)))
            _ = try await carryOut(end, stage)
            #expect(try await record(stage, end).contains("payload"))
            #expect(try await kept(stage, end) == nil)
            #expect(try await record(stage, updates[1]).isEmpty)
            let states = try await stage.store.broadcasts.recentBroadcasts(of: stage.read(id)).map(\.state)
            #expect(states == [.done, .done, .done, .done])
        }
    }

    @Test(
        "The content of an end that each device has got is kept for an hour; of one that a device may ask for, for as long as the rest"
    )
    func reached() async throws {
        for (accepted, isEntered, external) in [
            (2, false, nil), (1, false, nil), (2, true, nil), (2, false, "ext"),
        ] as [(Int, Bool, String?)] {
            try await StoreStage.run { stage in
                try await stage.addDevices(0..<2)
                let id = try await stage.started(0..<2).activity.id
                if let external {
                    _ = try await stage.store.value(RedisCommand("HSET", Keys.activity(id), "external_id", external))
                }
                let end = try #require(try await stage.begin(.end, stage.read(id)))
                if isEntered {
                    let slots = SlotRanges([0..<3])
                    _ = try await stage.store.value(RedisCommand("HSET", Keys.activity(id), "slots", slots.bytes))
                }
                var counts = BroadcastCounts()
                counts.accepted = accepted
                counts.skipped[.notSynced] = 2 - accepted
                #expect(try await carryOut(end, stage, counts)?.counts.accepted == accepted)
                let key = Keys.broadcast(id, end.id)
                #expect(try await record(stage, end).contains("payload"))
                let isPassing = try await stage.store.value(RedisCommand("PTTL", key)).int ?? 0 <= 3_600_000
                #expect(isPassing == (accepted == 2 && !isEntered && external == nil))
                for _ in 0..<(isPassing ? 2 : 1) {
                    let read = try await stage.store.broadcasts.broadcast(end.id)
                    #expect(read?.state == .done && read?.kind == .end && read?.counts.accepted == accepted)
                    #expect(read?.endReason == .endedByAPI && read?.total == 2)
                    _ = try await stage.store.value(RedisCommand("DEL", key))
                }
            }
        }
    }

    @Test("One that waits for its end is found by whoever asks how far it is")
    func state() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let id = try await stage.started(0..<1).activity.id
            let update = try #require(try await stage.begin(.update, stage.read(id)))
            #expect(try await state(of: update.id, in: id, stage) == .queued)
            _ = try await carryOut(update, stage)
            #expect(try await state(of: update.id, in: id, stage) == .done)
            #expect(try await state(of: .random(), in: id, stage) == nil)
        }
    }

    private func state(
        of broadcast: UniqueID, in activity: UniqueID, _ stage: StoreStage
    ) async throws -> BroadcastState? {
        try await withCheckedContinuation { continuation in
            stage.reactor.execute {
                stage.store.jobs.readState(of: broadcast, in: activity) { continuation.resume(returning: $0) }
            }
        }.get()
    }

    @Test("Nothing is written into one that has ended, by who read before that it had not")
    func late() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let activity = try await stage.started(0..<1)
            let list = try #require(try await stage.begin(.update, activity, .slots([0])))
            func supersede() async throws -> Bool {
                let key = Keys.broadcast(activity.activity.id, list.id)
                return try await stage.store.run(Scripts.supersedeList(broadcast: key, time: 1))
            }
            #expect(try await supersede())
            #expect(try await record(stage, list).contains("superseded"))
            for job in try await stage.jobs(list) {
                _ = try await stage.store.jobs.complete(job, list, as: stage.gateway)
            }
            #expect(try await !supersede())
            #expect(try await record(stage, list).isEmpty)
        }
    }

    @Test("A start lock is given back when its start is over; the state refuses any other start from the first on")
    func startLock() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let activity = try await stage.register(0..<1)
            let lock = RedisCommand("GET", Keys.startLock(activity.activity.id))
            let start = try #require(try await stage.begin(.start, activity))
            #expect(try await stage.store.value(lock).string == start.id.description)
            #expect(try await stage.begin(.start, activity) == nil)
            _ = try await carryOut(start, stage)
            #expect(try await stage.store.value(lock).string == nil)
            #expect(try await stage.begin(.start, activity) == nil)
            let counters = RedisCommand("HEXISTS", Keys.counters(activity.activity.id, 0), "startable")
            #expect(try await stage.store.value(counters).int == 0)
        }
    }

    @Test(
        "The tokens of an activity go after its end, unless a Live Activity of it may be there still: short pages at once",
        arguments: [2, 70])
    func tokens(count: Int) async throws {
        let statuses = [
            DeliveryStatus.startAccepted, DeliveryStatus.startFailed, DeliveryStatus.ended(.userDismissed),
            DeliveryStatus.ended(.tokenInvalid),
        ]
        for status in statuses {
            try await StoreStage.run { stage in
                try await stage.addDevices(0..<count)
                let record = try await stage.started(0..<count)
                let id = record.activity.id
                for user in 0..<2 { _ = try await stage.sync(user, .id(id, type: nil)) }
                // Two tokens of 32 bytes are no short page.
                let key = PageKey(.updateTokens, id, 0)
                if count == 2 {
                    let cells = [TokenPage.cell(content: [1, 2, 3, 4, 5]), TokenPage.cell(content: [6, 7, 8, 9, 10])]
                    try await stage.put(TokenPage.encode(cells), .updateTokens, id, 0)
                }
                try await stage.putStatuses([status], from: 1, id)
                func life() async throws -> Int64? {
                    if count == 2 {
                        // Digests of the tokens stay for a day.
                        let cells =
                            try await stage.store.value(RedisCommand("HGET", key.counters, key.field)).bytes ?? []
                        return cells.indices.contains { cells[$0...].starts(with: [1, 2, 3, 4, 5]) } ? .max : 0
                    }
                    return try await stage.store.value(RedisCommand("PTTL", key.key)).int
                }
                for scope in [BroadcastScope.slots([0]), .wholeSegment] {
                    let end = try #require(try await stage.begin(.end, stage.read(id), scope))
                    var outcome = PageOutcome(page: 0)
                    if scope == .wholeSegment { outcome.accepted = [0] + (2..<count).map { UInt16($0) } }
                    try await stage.finish(outcome, end)
                    let isForgotten = scope == .wholeSegment && status == DeliveryStatus.ended(.tokenInvalid)
                    #expect((try await life() ?? 0 <= 86_400_000) == isForgotten, "\(status) \(scope)")
                }
            }
        }
    }

    @Test("What only updates ask for goes with the end; what is sent to who reports late has a newer timestamp")
    func activity() async throws {
        try await StoreStage.run { stage in
            let paced = GatewayStore(
                redis: stage.redis, wallClock: { stage.now }, rules: StoreRules(minimumInterval: .seconds(1)))
            try await stage.addDevices(0..<1)
            let id = try await stage.started(0..<1).activity.id
            let content = Content(contentState: Array(#"{"stops_left":7}"#.utf8)[...])
            let draft = BroadcastDraft(
                kind: .update, scope: .wholeSegment,
                payload: .update(content: content, options: PresentationOptions()), priority: 10, expiration: 77)
            _ = try await carryOut(paced.broadcasts.begin(draft, for: stage.read(id)).get(), stage)
            func names() async throws -> Set<String> {
                let reply = try await stage.store.value(RedisCommand("HKEYS", Keys.activity(id)))
                return Set(reply.array?.compactMap(\.string) ?? [])
            }
            _ = try await stage.store.value(
                RedisCommand("HSET", Keys.activity(id), "whole_timestamp", 1, "used_timestamp", 1))
            let ofUpdates: Set = ["pace", "whole_timestamp", "used_timestamp", "hour_urgent", "shown", "shown_order"]
            #expect(try await names().isSuperset(of: ofUpdates))
            let end = try #require(try await stage.begin(.end, stage.read(id), by: paced))
            #expect(try await names().isDisjoint(with: ofUpdates))
            _ = try await carryOut(end, stage)
            #expect(try await names().isDisjoint(with: ofUpdates))
            let record = try await stage.read(id)
            #expect(record.activity.state == .dead && record.endBroadcast == end.id)
            let late = try #require(try await stage.store.broadcasts.part(end.id, of: record, slot: 0))
            #expect(late.payload != end.payload && !late.payload.isEmpty)
        }
    }

    @Test("A text that is none of ours is no broadcast")
    func texts() {
        for text in ["", "s", "sd", "xd1 2 3", "sx1 2 3", "sdx 2 3"] {
            #expect(EndedBroadcast(Array(text.utf8), madeAt: Self.madeAt) == nil)
        }
        let text = "uf1000 5 70 -1 2 3 superseded=4 apns=5/3,fcm=1/0 ew3 3=abc Odd One=2"
        let ended = EndedBroadcast(Array(text.utf8), madeAt: Self.madeAt)
        #expect(ended?.kind == .update && ended?.state == .failed && ended?.createdAt.milliseconds == 1000)
        #expect(ended?.startedAt?.milliseconds == 1005 && ended?.finishedAt?.milliseconds == 1070)
        #expect(ended?.updatesThisHour == 2 && ended?.counts.accepted == 3 && ended?.counts.failed == ["Odd One": 2])
        #expect(ended?.counts.skipped[.superseded] == 4 && ended?.counts.cohorts.text == "apns=5/3,fcm=1/0")
        #expect(ended?.recordsEvents == true && ended?.hasWrongEnvironment == true && ended?.endReason == .lifetime)
        #expect(ended?.follows[RouteKind(rawValue: 3)] == "abc")
        #expect(ended?.pushes == nil)
        let pushed = EndedBroadcast(Array("ud1000 5+2+40 70".utf8), madeAt: Self.madeAt)
        #expect(pushed?.startedAt?.milliseconds == 1005 && pushed?.finishedAt?.milliseconds == 1070)
        #expect(pushed?.pushes?.first.milliseconds == 1007 && pushed?.pushes?.last.milliseconds == 1047)
        for (text, milliseconds) in [("ud+7 5", 9007), ("ud-7 5", 8993), ("ud7 5", 7)] as [(String, Int64)] {
            let ended = EndedBroadcast(Array(text.utf8), madeAt: Self.madeAt)
            #expect(ended?.createdAt.milliseconds == milliseconds)
            #expect(ended?.startedAt?.milliseconds == milliseconds + 5)
        }
        let waited = EndedBroadcast(Array("us1000  70".utf8), madeAt: Self.madeAt)
        #expect(waited?.startedAt == nil && waited?.finishedAt?.milliseconds == 1070 && waited?.state == .superseded)
    }
}
