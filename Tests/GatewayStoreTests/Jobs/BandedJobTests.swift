import Delivery
import LiveActivity
import Reactor
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Jobs over several kinds of route")
struct BandedJobTests {
    private static let sandbox = RosterGeometry.firstSlot(of: .apnsSandbox)

    /// Starts an activity of six devices: users 0 to 3 in production, 4 and 5 in the sandbox.
    private func started(_ stage: StoreStage) async throws -> ActivityRecord {
        try await stage.addDevices(0..<6)
        try await stage.moveToSandbox(4..<6)
        return try await stage.started(0..<6)
    }

    private func texts(_ jobs: [JobTicket]) -> [String] { jobs.map(\.part.description) }

    private func accepted(_ slots: [UInt32]) -> PageOutcome {
        var outcome = PageOutcome(page: RosterGeometry.page(ofSlot: slots[0]))
        outcome.accepted = slots.map { UInt16(RosterGeometry.index(ofSlot: $0)) }
        outcome.counts.accepted = slots.count
        return outcome
    }

    private func readStop(_ stage: StoreStage, _ order: BroadcastOrder) async throws -> BroadcastStop {
        try await withCheckedContinuation { continuation in
            stage.reactor.execute {
                stage.store.jobs.readStop(
                    of: order.id, in: order.activity.id, over: [.apns, .apnsSandbox]
                ) { continuation.resume(returning: $0) }
            }
        }.get()
    }

    /// Notes a stop and returns when the record contains it.
    private func stop(
        _ stage: StoreStage, _ order: BroadcastOrder, _ reason: String, over kind: RouteKind? = nil
    ) async throws {
        stage.reactor.execute { stage.store.broadcasts.noteStop(reason, of: order, over: kind) }
        while try await readStop(stage, order).stopReason(kind ?? .apns) == nil { await Task.yield() }
    }

    @Test("A broadcast to the whole segment has a job for each partition of each band, one to a list one for each kind")
    func parts() async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            #expect(record.slots.ranges == [0..<4, Self.sandbox..<(Self.sandbox + 2)])
            let scopes: [(BroadcastScope, [String])] = [
                (.wholeSegment, ["0", "1024"]), (.slots([1, Self.sandbox]), ["*", "*1"]), (.slots([1, 2]), ["*"]),
                (.slots([Self.sandbox + 1]), ["*1"]), (.slots([]), ["*"]),
            ]
            for (scope, expected) in scopes {
                let order = try #require(try await stage.begin(.update, record, scope))
                let jobs = try await stage.jobs(order)
                #expect(texts(jobs) == expected)
                for (number, job) in jobs.enumerated() {
                    let ended = try await stage.store.jobs.complete(job, order, as: stage.gateway)
                    #expect((ended != nil) == (number == jobs.count - 1), "\(scope)")
                }
            }
            for pattern in ["*:j:*", "*:open", "*:unfinished"] { #expect(try await stage.keys(pattern).isEmpty) }
        }
    }

    @Test("The jobs of a list are worked on by two gateways, and that of the one that falls silent is taken over")
    func takeOver() async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            let slots = [0, 2, Self.sandbox, Self.sandbox + 1]
            let order = try #require(try await stage.begin(.end, record, .slots(slots)))
            let (first, second) = (UniqueID.random(), UniqueID.random())
            let one = JobCapacity(small: 1, first: 0, updates: 0)
            let jobs = try await stage.jobs(order, as: first, one) + stage.jobs(order, as: second, one)
            #expect(texts(jobs) == ["*", "*1"])
            let (production, sandbox) = (jobs[0], jobs[1])
            #expect(order.pages(of: production.part) == [0] && order.pages(of: sandbox.part) == [65_536])
            for job in jobs {
                guard case .due = try await stage.store.jobs.startJob(job) else { throw Unexpected() }
                let progress = try await stage.store.jobs.open(job, order, owner: "of \(job.part)")
                #expect(progress?.isTouched == false)
            }
            #expect(try await stage.write(accepted([0, 2]), order, owner: "of *") == .written)
            #expect(try await stage.store.jobs.complete(production, order, as: first) == nil)

            let silence = TimeCore.TimeInterval.seconds(1800)
            try await stage.beSilent(for: silence, [sandbox], as: second)
            #expect(try await stage.jobs(order, as: first, silence: silence) == [sandbox])
            let progress = try await stage.store.jobs.open(sandbox, order, owner: "heir")
            #expect(progress?.isTouched == true && progress?.state(ofPage: 65_536) == .open)
            let outcome = accepted([Self.sandbox, Self.sandbox + 1])
            #expect(try await stage.write(outcome, order, owner: "of *1") == .lost)
            #expect(try await stage.write(outcome, order, owner: "heir") == .written)
            #expect(try await stage.store.jobs.complete(sandbox, order, as: second) == nil)
            let ended = try #require(try await stage.store.jobs.complete(sandbox, order, as: first))
            #expect(ended.state == .done && ended.counts.accepted == 4)
            for pattern in ["*:j:*", "*.*}:b:\(order.id)*", "*:open", "*:unfinished"] {
                #expect(try await stage.keys(pattern).isEmpty, "\(pattern)")
            }
            let fields = try await stage.store.value(
                RedisCommand("HKEYS", Keys.broadcast(record.activity.id, order.id)))
            let names = Set((fields.array ?? []).compactMap(\.string))
            #expect(names.isDisjoint(with: ["jobs_done", "d*", "d*1"]))
        }
    }

    private struct Unexpected: Error {}

    @Test("A job of a list waits for whatever is older, over whichever kind of route")
    func turns() async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            let whole = try #require(try await stage.begin(.update, record))
            let both = BroadcastScope.slots([0, 1, Self.sandbox, Self.sandbox + 1])
            let list = try #require(try await stage.begin(.update, record, both))
            let jobs = try await stage.jobs(whole)
            #expect(texts(jobs) == ["0", "1024", "*", "*1"])
            for job in jobs[2...] { #expect(try await stage.store.jobs.isDue(job, list) == false) }
            #expect(try await stage.store.jobs.complete(jobs[1], whole, as: stage.gateway) == nil)
            for job in jobs[2...] { #expect(try await stage.store.jobs.isDue(job, list) == false) }
            #expect(try await stage.store.jobs.complete(jobs[0], whole, as: stage.gateway)?.state == .done)
            for job in jobs[2...] { #expect(try await stage.store.jobs.isDue(job, list) == true) }
            // A later list waits for its own half of the list. The end waits for all of both lists.
            let other = try #require(try await stage.begin(.update, record, .slots([1, Self.sandbox + 1])))
            let next = try #require(try await stage.begin(.end, record, .wholeSegment))
            let last = try await stage.jobs(other)
            #expect(texts(last) == ["*", "*1", "0", "1024"])
            func due() async throws -> [Bool] {
                var due: [Bool] = []
                for job in last {
                    due.append(
                        try await stage.store.jobs.isDue(job, job.broadcastID == other.id ? other : next) == true)
                }
                return due
            }
            // A superseded update would be due at once.
            _ = try await stage.store.value(
                RedisCommand("HDEL", Keys.broadcast(record.activity.id, other.id), "superseded"))
            #expect(try await due() == [false, false, false, false])
            #expect(try await stage.store.jobs.complete(jobs[2], list, as: stage.gateway) == nil)
            #expect(try await due() == [true, false, false, false])
            #expect(try await stage.store.jobs.complete(jobs[3], list, as: stage.gateway) != nil)
            #expect(try await due() == [true, true, false, false])
            for job in last[..<2] { _ = try await stage.store.jobs.complete(job, other, as: stage.gateway) }
            #expect(try await due()[2...] == [true, true])
        }
    }

    @Test("A late end follows the half of its list that goes over its kind of route")
    func lateEnd() async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            let order = try #require(try await stage.begin(.end, record, .slots([0, Self.sandbox])))
            let jobs = try await stage.jobs(order)
            for slot in [1, Self.sandbox + 1] {
                try await stage.store.jobs.add(slot: slot, of: order.id, in: record.activity.id)
            }
            let late = try await stage.jobs(order)
            #expect(texts(late) == ["s1", "s\(Self.sandbox + 1)"])
            for (done, expected) in [(nil, [false, false]), (0, [true, false]), (1, [true, true])] as [(Int?, [Bool])] {
                if let done { _ = try await stage.store.jobs.complete(jobs[done], order, as: stage.gateway) }
                for (job, isDue) in zip(late, expected) {
                    #expect(try await stage.store.jobs.isDue(job, order) == isDue)
                }
            }
        }
    }

    @Test("Of two late ends to one device one is sent at a time, unless its gateway is gone")
    func lateEndTwice() async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            let order = try #require(try await stage.begin(.end, record, .slots([0])))
            let end = try #require(try await stage.jobs(order).first)
            for slot in [1, 1, 2] as [UInt32] {
                try await stage.store.jobs.add(slot: slot, of: order.id, in: record.activity.id)
            }
            let late = try await stage.jobs(order)
            #expect(texts(late) == ["s1", "s1", "s2"])
            _ = try await stage.store.jobs.complete(end, order, as: stage.gateway)
            func due() async throws -> [Bool?] {
                var due: [Bool?] = []
                for job in late { due.append(try await stage.store.jobs.isDue(job, order)) }
                return due
            }
            for _ in 0..<2 { #expect(try await due() == [true, false, true]) }
            try await stage.store.jobs.remove(late[0], as: stage.gateway)
            #expect(try await stage.store.jobs.isDue(late[1], order) == true)
            #expect(try await stage.store.jobs.isDue(late[0], order) == false)
            stage.advance(.milliseconds(ScriptLimits.lateEnd + 1))
            #expect(try await stage.store.jobs.isDue(late[0], order) == true)
        }
    }

    @Test("A stop over one kind of route leaves the other alone, and makes the broadcast a failed one")
    func stopOfOneKind() async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            let order = try #require(try await stage.begin(.update, record))
            let jobs = try await stage.jobs(order)
            for job in jobs {
                guard case .due = try await stage.store.jobs.startJob(job) else { throw Unexpected() }
            }
            #expect(try await readStop(stage, order).stopReason(.apnsSandbox) == nil)
            try await stop(stage, order, "TopicDisallowed", over: .apnsSandbox)
            try await stop(stage, order, "BadPath", over: .apnsSandbox)
            let one = try await readStop(stage, order)
            #expect(one.stopReason(.apnsSandbox) == "TopicDisallowed" && one.stopReason(.apns) == nil)
            #expect(try await stage.store.jobs.open(jobs[0], order, owner: "a")?.isStopped == false)
            #expect(try await stage.store.jobs.open(jobs[1], order, owner: "a")?.stopReason == "TopicDisallowed")
            for job in jobs { _ = try await stage.store.jobs.complete(job, order, as: stage.gateway) }
            #expect(try await stage.store.broadcasts.broadcast(order.id)?.state == .failed)
            let fields = try await stage.store.value(
                RedisCommand("HKEYS", Keys.broadcast(record.activity.id, order.id)))
            #expect(!(fields.array ?? []).contains { $0.string?.hasPrefix("stop") == true })
        }
    }

    @Test("A stop of everything, and one over the only kind that there is, stands in the record as ever")
    func stopOfAll() async throws {
        try await StoreStage.run { stage in
            let record = try await started(stage)
            let all = try #require(try await stage.begin(.update, record))
            try await stop(stage, all, "Expired")
            let list = try #require(try await stage.begin(.update, record, .slots([Self.sandbox])))
            try await stop(stage, list, "BadTopic", over: .apnsSandbox)
            for (order, reason) in [(all, "Expired"), (list, "BadTopic")] {
                let field = RedisCommand("HGET", Keys.broadcast(record.activity.id, order.id), "stop")
                #expect(try await stage.store.value(field).string == reason)
                let read = try await readStop(stage, order)
                #expect(read.stopReason(.apns) == reason && read.stopReason(.apnsSandbox) == reason)
            }
        }
    }

    @Test("A start over two kinds of route takes its notes in both bands, and a killed hold leaves doubts in its own")
    func doubts() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<6)
            try await stage.moveToSandbox(4..<6)
            let record = try await stage.register(0..<6)
            let order = try #require(try await stage.begin(.start, record, expiration: 4_000_000_000))
            let jobs = try await stage.jobs(order)
            #expect(texts(jobs) == ["0", "1024"])
            for job in jobs { _ = try await stage.store.jobs.open(job, order, owner: "a") }
            let run = NotedRun(.noted, number: 1, page: 65_536, indexes: [1])
            let noted = try await withCheckedContinuation { continuation in
                stage.reactor.execute {
                    stage.store.jobs.note([run], of: order, owner: "a") { continuation.resume(returning: $0) }
                }
            }.get()
            #expect(noted == .written)
            for job in jobs { #expect(try await stage.store.jobs.open(job, order, owner: "b")?.isTouched == true) }
            let under = try #require(try await stage.store.broadcasts.broadcast(order.id))
            #expect(under.counts.unknown == 1 && under.counts.total == 1)
            #expect(try await stage.keys("*}:q") == [Keys.doubts(record.activity.id, 1024)])
            let doubted = try await stage.store.value(
                RedisCommand("HKEYS", Keys.doubts(record.activity.id, 1024)))
            #expect(doubted.array?.map(\.string) == ["\(Self.sandbox + 1)"])
            #expect(try await stage.page(65_536, order, isResumed: true).devices.map(\.index) == [0])
            #expect(try await stage.page(0, order, isResumed: true).devices.count == 4)
        }
    }
}
