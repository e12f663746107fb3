import Delivery
import LiveActivity
import Reactor
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Reports of update tokens")
struct SyncStoreTests {
    private func updateTokens(_ stage: StoreStage, _ record: ActivityRecord) async throws -> [Int: [UInt8]] {
        let order = try #require(try await stage.begin(.update, record))
        return try await stage.page(0, order).tokens
    }

    @Test("A token is noted once, a rotated one takes its place, and the count of synced devices is right")
    func noting() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let record = try await stage.started(0..<3)
            let id = record.activity.id
            for _ in 0..<2 { #expect(try await stage.sync(0, .id(id, type: nil), token: [1, 2, 3]).word == "synced") }
            #expect(
                try await stage.sync(2, .id(id, type: nil), token: StoreStage.token(9, length: 200)).word == "synced")
            #expect(try await updateTokens(stage, record) == [0: [1, 2, 3], 2: StoreStage.token(9, length: 200)])
            #expect(try await stage.sync(0, .id(id, type: nil), token: [4]).word == "synced")
            #expect(try await updateTokens(stage, record) == [0: [4], 2: StoreStage.token(9, length: 200)])
            #expect(try await stage.store.roster.reach(.update, in: record).holders == 2)
        }
    }

    @Test("Whoever is not in it, or was removed, or reports for a registered one, is told so")
    func refused() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<4)
            let record = try await stage.register(0..<3)
            let id = record.activity.id
            #expect(try await stage.sync(0, .id(id, type: nil)).word == "not started")
            _ = try await stage.store.activities.removeUsers(StoreStage.ids(2..<3), from: id)
            _ = try await stage.begin(.start, record)
            #expect(try await stage.sync(0, .id(id, type: nil)).word == "synced")
            for user in [2, 3, 99] { #expect(try await stage.sync(user, .id(id, type: nil)).word == "not found") }
            #expect(try await stage.sync(0, .id(.random(), type: nil)).word == "not found")
            let other = try await stage.store.reports.sync(
                StoreStage.key(0), token: [1], reference: .id(id, type: nil), systemActivityID: nil, tenantID: "other")
            #expect(other.word == "not found")
            let wrongPhone = DeviceKey(insiderID: StoreStage.key(0).insiderID, udid: StoreStage.key(1).udid)
            let mixed = try await stage.store.reports.sync(
                wrongPhone, token: [1], reference: .id(id, type: nil), systemActivityID: nil, tenantID: stage.tenant)
            #expect(mixed.word == "not found")
        }
    }

    @Test("Who syncs after the end is given the end; after a cancelled or expired one nothing is there")
    func lateEnd() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.started(0..<2)
            let end = try #require(try await stage.begin(.end, record))
            guard
                case .synced(_, slot: 1, lateEnd: let late?) = try await stage.sync(
                    1, .id(record.activity.id, type: nil))
            else {
                Issue.record("no late end")
                return
            }
            #expect(late == end.id)
            let cancelled = try await stage.register(0..<2)
            _ = try await stage.store.broadcasts.cancel(cancelled.activity)
            #expect(try await stage.sync(0, .id(cancelled.activity.id, type: nil)).word == "not found")
            stage.advance(.seconds(3601))
            #expect(try await stage.sync(0, .id(record.activity.id, type: nil)).word == "not found")
        }
    }

    @Test("A slot that is remembered for an end of its own is given that end when it syncs, and only that slot")
    func remembered() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.started(0..<2)
            let end = try #require(try await stage.begin(.end, record, .slots([1])))
            try await stage.store.roster.remember([1], endedBy: end.id, in: record.activity)
            #expect(try await stage.sync(0, .id(record.activity.id, type: nil)).word == "synced")
            for _ in 0..<2 { #expect(try await stage.sync(1, .id(record.activity.id, type: nil)).word == "late end") }
            var outcome = PageOutcome(page: 0)
            outcome.accepted = [1]
            try await stage.finish(outcome, end)
            #expect(try await updateTokens(stage, record).keys.sorted() == [0])
            // Another token proves that the end went to a former one.
            #expect(try await stage.sync(1, .id(record.activity.id, type: nil), token: [7]).word == "ended before")
        }
    }

    @Test("An end that finds a token dead or refused waits for the device's next token")
    func endOfDeadTokens() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<5)
            let record = try await stage.started(0..<5)
            let reference = ActivityReference.id(record.activity.id, type: nil)
            for user in 0..<5 { _ = try await stage.sync(user, reference, token: [UInt8(user + 1)]) }
            func dead(_ indexes: [Int]) -> PageOutcome {
                var outcome = PageOutcome(page: 0)
                outcome.deadTokens = indexes.map { ($0, [UInt8($0 + 1)], stage.now) }
                return outcome
            }
            let update = try #require(try await stage.begin(.update, record))
            let end = try #require(try await stage.begin(.end, record, .slots([0, 1, 2])))
            // An update has found the token of 2 dead before the end did, and that of 3, which is not ended.
            try await stage.finish(dead([2, 3]), update)
            var outcome = dead([0, 2])
            outcome.quarantinedTokens = [(1, [2])]
            outcome.pushedAt = stage.now
            try await stage.finish(outcome, end)
            for _ in 0..<2 { try await stage.quarantine(outcome, end) }
            let cells = RosterCell.decode(
                try await stage.store.run(stage.store.roster.readCells(0, Array(0..<5), .update, record.activity.id)))
            #expect(cells.map(\.content.isEmpty) == [true, true, true, true, false])
            for user in 0..<3 {
                #expect(try await stage.sync(user, reference, token: [UInt8(user + 11)]).word == "late end")
            }
            #expect(try await stage.sync(4, reference, token: [9]).word == "synced")
            #expect(try await stage.sync(3, reference, token: [8]).word == "synced")
        }
    }

    @Test("Healing skips devices whose end found a dead token")
    func endedAndNotHealed() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.started(0..<1)
            let (id, healing) = (record.activity.id, Healing(limit: 1))
            _ = try await stage.sync(0, .id(id, type: nil), token: [1])
            var outcome = PageOutcome(page: 0)
            outcome.deadTokens = [(0, [1], stage.now)]
            let update = try #require(try await stage.begin(.update, record))
            try await stage.finish(outcome, update)
            stage.advance(.seconds(30))
            #expect(try await stage.store.restarts.lookForHealing(healing, of: record, from: 0).pages == [0])
            let end = try #require(try await stage.begin(.end, record, .slots([0])))
            try await stage.finish(outcome, end)
            #expect(try await stage.store.restarts.lookForHealing(healing, of: record, from: 0).pages == [])
            let lock = try #require(try await stage.store.restarts.lockRestarts(of: id, for: .random()))
            let preparation = try await stage.store.restarts.prepareRestart(healing.wish, of: record, lock)
            #expect(preparation?.slots == [])
        }
    }

    @Test("A token that is reported while an end finds the former one dead is ended once, by a job of its own")
    func tokenDuringEnd() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.started(0..<2)
            let reference = ActivityReference.id(record.activity.id, type: nil)
            for user in 0..<2 { _ = try await stage.sync(user, reference, token: [UInt8(user + 1)]) }
            let end = try #require(try await stage.begin(.end, record, .slots([0, 1])))
            for user in 0..<2 {
                #expect(try await stage.sync(user, reference, token: [UInt8(user + 11)]).word == "synced")
            }
            var outcome = PageOutcome(page: 0)
            outcome.deadTokens = [(0, [1], stage.now)]
            outcome.quarantinedTokens = [(1, [2])]
            outcome.pushedAt = stage.now
            for _ in 0..<2 {
                try await stage.finish(outcome, end)
                try await stage.quarantine(outcome, end)
            }
            let parts = try await stage.jobs(end).map(\.part.description)
            #expect(parts.filter { $0.hasPrefix("s") }.sorted() == ["s0", "s1"], "\(parts)")
            // The former token called dead once more says nothing new.
            #expect(try await stage.sync(0, reference, token: [11]).word == "late end")
        }
    }

    @Test(
        "A token that is reported while the former one accepts an end receives the end too",
        arguments: [BroadcastScope.wholeSegment, .slots([0, 1])])
    func tokenDuringAcceptedEnd(scope: BroadcastScope) async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.started(0..<2)
            let reference = ActivityReference.id(record.activity.id, type: nil)
            for user in 0..<2 { _ = try await stage.sync(user, reference, token: [UInt8(user + 1)]) }
            let end = try #require(try await stage.begin(.end, record, scope))
            var outcome = PageOutcome(page: 0)
            outcome.accepted = [0, 1]
            // The page is read and the token is reported in one millisecond.
            stage.advance(.seconds(1))
            outcome.reportTimes = try await stage.page(0, end).reportTimes
            _ = try await stage.sync(0, reference, token: [11])
            try await stage.finish(outcome, end)
            // An end to all needs no job, because a report finds it behind its write.
            func lateEnds() async throws -> Int {
                let stream = Keys.jobs(Keys.shard(record.activity.id), .small)
                let jobs = try await stage.store.value(RedisCommand("XRANGE", stream, "-", "+")).array ?? []
                return jobs.count { $0.array?[1].array?.contains { $0.string == "s0" } == true }
            }
            #expect(try await lateEnds() == (scope == .wholeSegment ? 0 : 1))
            // A call whose answer was lost is repeated.
            try await stage.finish(outcome, end)
            #expect(try await lateEnds() == (scope == .wholeSegment ? 0 : 2))
            for _ in 0..<2 { #expect(try await stage.sync(0, reference, token: [11]).word == "late end") }
            #expect(try await stage.sync(1, reference, token: [2]).word != "late end")
            let part = try #require(try await stage.store.broadcasts.part(end.id, of: record, slot: 0))
            func finishPart() async throws {
                let outcome = outcome
                try await withCheckedThrowingContinuation { done in
                    stage.reactor.execute {
                        stage.store.pages.finishPart(outcome, of: part) { done.resume(with: $0) }
                    }
                }
            }
            // Another token is reported while the late end is under way.
            outcome.accepted = [0]
            stage.advance(.seconds(1))
            outcome.reportTimes = try await stage.page(0, part).reportTimes
            // The clock of the gateway that takes the report is behind.
            stage.setBack(.seconds(2))
            _ = try await stage.sync(0, reference, token: [12])
            try await finishPart()
            #expect(try await stage.sync(0, reference, token: [12]).word == "late end")
            outcome.reportTimes = try await stage.page(0, part).reportTimes
            try await finishPart()
            #expect(try await stage.sync(0, reference, token: [12]).word != "late end")
        }
    }

    @Test(
        "A Live Activity that is there after its end is ended once more, also if the first report was cut off",
        arguments: [false, true])
    func owedEnd(isDismissed: Bool) async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.started(0..<2)
            let reference = ActivityReference.id(record.activity.id, type: nil)
            _ = try await stage.sync(0, reference, token: [1])
            var outcome = PageOutcome(page: 0)
            outcome.accepted = [0]
            if isDismissed {
                _ = try await stage.store.reports.dismiss(
                    StoreStage.key(0), reference: reference, tenantID: stage.tenant)
            } else {
                try await stage.finish(outcome, try #require(try await stage.begin(.end, record, .slots([0]))))
            }
            // Nothing records the end after the first report.
            let owed = isDismissed ? "dismissed" : "ended before"
            for _ in 0..<2 { #expect(try await stage.sync(0, reference, token: [2]).word == owed) }
            let end = try #require(try await stage.begin(.end, record, .slots([0])))
            try await stage.store.roster.remember([0], endedBy: end.id, in: record.activity)
            #expect(try await stage.sync(0, reference, token: [2]).word == "late end")
            try await stage.finish(outcome, end)
            #expect(try await stage.sync(0, reference, token: [2]).word == "synced")
        }
    }

    @Test("A report by type selects the only running activity that was pushed to the device and has no token")
    func byType() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let byType = ActivityReference.ofType(StoreStage.type)
            #expect(try await stage.sync(0, byType).word == "not found")
            let first = try await stage.started(0..<2)
            stage.advance(.seconds(10))
            let second = try await stage.started(0..<1)
            stage.advance(.seconds(10))
            _ = try await stage.started(0..<2, type: "Other")
            guard case .ambiguous(let candidates) = try await stage.sync(0, byType) else {
                Issue.record("not ambiguous")
                return
            }
            #expect(candidates.map(\.activityID) == [second.activity.id, first.activity.id])
            #expect(try await stage.sync(0, .id(first.activity.id, type: nil), token: [9]).word == "synced")
            guard case .synced(let record, slot: _, lateEnd: nil) = try await stage.sync(0, byType) else {
                Issue.record("not synced")
                return
            }
            #expect(record.activity.id == second.activity.id)
            // Both have a token, and neither has this one.
            #expect(try await stage.sync(0, byType, token: [8]).word == "ambiguous")
            // A start that is under way may have reached its devices already.
            #expect(try await stage.sync(1, .id(first.activity.id, type: nil), token: [7]).word == "synced")
            let unpushed = try await stage.register(0..<2)
            _ = try await stage.begin(.start, unpushed, .slots([1]))
            guard case .synced(let underWay, slot: 1, lateEnd: nil) = try await stage.sync(1, byType) else {
                Issue.record("not synced")
                return
            }
            #expect(underWay.activity.id == unpushed.activity.id)
        }
    }

    @Test("What is known of a Live Activity says whose it is, whatever was started since of its type")
    func knownTokenOrName() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let byType = ActivityReference.ofType(StoreStage.type)
            func reported(_ token: [UInt8], system: String? = nil) async throws -> UniqueID? {
                guard
                    case .synced(let record, slot: _, lateEnd: nil) = try await stage.sync(
                        0, byType, token: token, system: system)
                else { return nil }
                return record.activity.id
            }
            let first = try await stage.started(0..<1)
            #expect(try await reported([1], system: "FIRST") == first.activity.id)
            stage.advance(.seconds(10))
            let second = try await stage.started(0..<1)
            // The app was opened again, and reports what it has: the first one's token, before the second one's.
            #expect(try await reported([1]) == first.activity.id)
            #expect(try await updateTokens(stage, second) == [:])
            #expect(try await reported([2]) == second.activity.id)
            #expect(try await reported([1]) == first.activity.id)
            // A token that iOS has changed is known by the name of its Live Activity.
            #expect(try await reported([3], system: "FIRST") == first.activity.id)
            #expect(try await updateTokens(stage, first) == [0: [3]])
            #expect(try await updateTokens(stage, second) == [0: [2]])
            // A start that is under way is not taken for one that was reported before.
            stage.advance(.seconds(10))
            let third = try await stage.register(0..<1)
            _ = try await stage.begin(.start, third)
            #expect(try await reported([3]) == first.activity.id)
            #expect(try await reported([4], system: "THIRD") == third.activity.id)
            // A report of an activity that is gone counts for no other.
            _ = try await stage.store.value(RedisCommand("DEL", Keys.activity(third.activity.id)))
            #expect(try await stage.sync(0, byType, token: [5], system: "THIRD").word == "not found")
            #expect(try await updateTokens(stage, second) == [0: [2]])
        }
    }

    @Test("A Live Activity is found by the id that iOS gave it, by its own device only; dismissing it ends it once")
    func systemID() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.started(0..<2)
            #expect(try await stage.sync(0, .id(record.activity.id, type: nil), system: "ABC").word == "synced")
            #expect(try await stage.sync(0, .system("ABC"), token: [8]).word == "synced")
            #expect(try await updateTokens(stage, record)[0] == [8])
            #expect(try await stage.sync(1, .system("ABC")).word == "not found")
            for _ in 0..<2 {
                let id = try await stage.store.reports.dismiss(
                    StoreStage.key(0), reference: .system("ABC"), tenantID: stage.tenant)
                #expect(id.dismissal?.activityID == record.activity.id)
            }
            #expect(try await stage.store.roster.reach(.update, in: record).holders == 0)
            #expect(try await stage.store.roster.skipCounts(.update, in: record)[.ended] == 1)
            #expect(
                try await stage.store.reports.dismiss(
                    StoreStage.key(5), reference: .id(record.activity.id, type: nil), tenantID: stage.tenant)
                    == .notFound)
            let registered = try await stage.register(0..<1)
            #expect(
                try await stage.store.reports.dismiss(
                    StoreStage.key(0), reference: .id(registered.activity.id, type: nil), tenantID: stage.tenant)
                    == .notFound)
        }
    }

    @Test("A device that reports while an update looks for devices is found, or has not synced")
    func reportMeanwhile() async throws {
        try await StoreStage.run(onCluster: false) { stage in
            var (step, last) = (0, 1)
            while step <= last {
                try await stage.addDevices(step..<(step + 1))
                let record = try await stage.started(step..<(step + 1))
                let (user, steps) = (step, Locked(0))
                try await stage.stepping {
                    steps.withLock { $0 += 1 }
                    guard steps.withLock(\.self) == user + 1 else { return }
                    _ = try await stage.sync(user, .id(record.activity.id, type: nil))
                } _: {
                    let (reach, skipped) = try await $0.roster.reachOrSkips(.update, in: record)
                    #expect(reach.holders == 1 || skipped[.notSynced] == 1, "reported at step \(user)")
                }
                last = steps.withLock(\.self)
                step += 1
            }
            #expect(last >= 3)
        }
    }

    @Test("A device that refuses pushes loses its token, and a token that it reports afterwards is not kept")
    func refusal() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.started(0..<2)
            for user in 0..<2 { _ = try await stage.sync(user, .id(record.activity.id, type: nil)) }
            try await stage.store.devices.putDevice(
                StoreStage.device(optIn: false), StoreStage.key(0), tenantID: stage.tenant)
            #expect(try await updateTokens(stage, record).keys.sorted() == [1])
            _ = try await stage.sync(0, .id(record.activity.id, type: nil), token: [6])
            #expect(try await updateTokens(stage, record).keys.sorted() == [1])
            #expect(try await stage.store.roster.reach(.update, in: record).holders == 1)
            #expect(try await stage.store.roster.skipCounts(.update, in: record)[.pushOptOut] == 1)
        }
    }

    @Test("A token of a running activity is recorded for it, although the report names one that has expired")
    func nameOfExpired() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let expired = try await stage.started(0..<1).activity.id
            #expect(try await stage.sync(0, .id(expired, type: nil), token: [1]).word == "synced")
            stage.advance(.seconds(1800))
            let running = try await stage.started(0..<1).activity.id
            #expect(try await stage.sync(0, .id(running, type: nil), token: [2]).word == "synced")
            stage.advance(.seconds(1801))
            guard case .synced(let record, _, nil) = try await stage.sync(0, .id(expired, type: nil), token: [2]) else {
                Issue.record("the report is refused")
                return
            }
            #expect(record.activity.id == running)
        }
    }

    @Test("A known name leads to its activity from one that the device is not in")
    func nameWithoutPlace() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let (named, other) = (
                try await stage.started(0..<1).activity.id, try await stage.started(1..<2).activity.id
            )
            #expect(try await stage.sync(0, .id(named, type: nil), token: [1], system: "la").word == "synced")
            let outcome = try await stage.sync(0, .id(other, type: nil), token: [2], system: "la")
            guard case .synced(let record, _, nil) = outcome else {
                Issue.record("the report is \(outcome.word)")
                return
            }
            #expect(record.activity.id == named)
            #expect(try await stage.sync(0, .id(other, type: nil), token: [2], system: "new").word == "not found")
        }
    }

    @Test("A report by topic for an activity that has not started is refused on a phone with several logins as well")
    func topicBeforeStart() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            for user in 0..<2 {
                stage.advance(.milliseconds(1))
                try await stage.store.devices.putPushToStartToken(
                    [7, 7], StoreStage.key(user), tenantID: stage.tenant, type: nil, receivedAt: stage.now)
                if user == 0 { _ = try await stage.started(0..<1) }
            }
            let registered = try await stage.register(1..<2).activity.id
            let topic = Keys.topic(TopicID(tenantID: stage.tenant, name: "derby"))
            _ = try await stage.store.value(RedisCommand("HSET", topic, "activity", registered.description))
            let outcome = try await stage.store.reports.sync(
                StoreStage.key(1), token: nil, reference: .topic("derby", type: nil), systemActivityID: "new",
                tenantID: stage.tenant)
            #expect(outcome.word == "not started")
        }
    }
}
