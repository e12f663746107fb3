import Delivery
import LiveActivity
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Jobs in the store")
struct JobStreamTests {
    /// Starts an activity with this number of devices and records an update.
    private func update(_ stage: StoreStage, _ count: Int = 3) async throws -> (ActivityRecord, BroadcastOrder) {
        try await stage.addDevices(0..<count)
        let record = try await stage.started(0..<count)
        return (record, try #require(try await stage.begin(.update, record)))
    }

    @Test("A job is given to one gateway, however many ask")
    func once() async throws {
        try await StoreStage.run { stage in
            let (_, order) = try await update(stage)
            let taken = try await withThrowingTaskGroup(of: [JobTicket].self) { group in
                for _ in 0..<40 { group.addTask { try await stage.jobs(order, as: .random()) } }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(taken.count == 1)
            #expect(taken.first?.broadcastID == order.id && taken.first?.activityID == order.activity.id)
            #expect(taken.first?.partition == 0 && taken.first?.lane == .small)
        }
    }

    @Test("Lanes: few devices go ahead of many, and starts and ends have another queue than updates")
    func lanes() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2001)
            let small = try await stage.register(0..<2000)
            let large = try await stage.register(0..<2001)
            func lane(_ kind: PushEvent, _ record: ActivityRecord, _ scope: BroadcastScope = .wholeSegment)
                async throws -> JobLane?
            {
                let order = try #require(try await stage.begin(kind, record, scope))
                let jobs = try await stage.jobs(order)
                for job in jobs { _ = try await stage.store.jobs.complete(job, order, as: stage.gateway) }
                return jobs.first?.lane
            }
            #expect(try await lane(.start, small) == .small)
            #expect(try await lane(.start, large) == .first)
            let started = try await stage.read(large.activity.id)
            #expect(try await lane(.update, started) == .updates)
            #expect(try await lane(.update, started, .slots(Array(0..<2000))) == .small)
            #expect(try await lane(.end, started, .slots(Array(0..<2001))) == .first)
            #expect(try await lane(.end, started) == .first)
        }
    }

    @Test("A lane without capacity is left alone")
    func capacity() async throws {
        try await StoreStage.run { stage in
            let (_, order) = try await update(stage)
            #expect(try await stage.jobs(order, JobCapacity(small: 0, first: 5, updates: 5)).isEmpty)
            #expect(try await stage.jobs(order, JobCapacity(small: -1, first: 0, updates: 0)).isEmpty)
            #expect(try await stage.jobs(order, JobCapacity(small: 1, first: 0, updates: 0)).count == 1)
        }
    }

    @Test("A job is taken over when its gateway has been silent, not while it renews it")
    func takeOver() async throws {
        try await StoreStage.run { stage in
            let (_, order) = try await update(stage)
            let (first, second) = (UniqueID.random(), UniqueID.random())
            let jobs = try await stage.jobs(order, as: first)
            #expect(jobs.count == 1)
            #expect(try await stage.jobs(order, as: second).isEmpty)
            let silence = TimeCore.TimeInterval.seconds(1800)
            try await stage.beSilent(for: silence, jobs, as: first)
            #expect(try await stage.renew(jobs, as: first).isEmpty)
            #expect(try await stage.jobs(order, as: second, silence: silence).isEmpty)
            try await stage.beSilent(for: silence, jobs, as: first)
            #expect(try await stage.jobs(order, as: second, silence: silence) == jobs)
            // The first gateway has lost the lease and can no longer complete the job.
            #expect(try await stage.renew(jobs, as: first) == jobs)
            #expect(try await stage.store.jobs.complete(try #require(jobs.first), order, as: first) == nil)
            #expect(try await stage.renew(jobs, as: second).isEmpty)
            #expect(try await stage.store.jobs.complete(try #require(jobs.first), order, as: second)?.state == .done)
        }
    }

    @Test("A job that is handed over is taken at once")
    func handOver() async throws {
        try await StoreStage.run { stage in
            let (_, order) = try await update(stage)
            let jobs = try await stage.jobs(order)
            let next = UniqueID.random()
            #expect(try await stage.renew(jobs, as: next, areHandedOver: true) == jobs)
            #expect(try await stage.jobs(order, as: next).isEmpty)
            #expect(try await stage.renew(jobs, as: stage.gateway, areHandedOver: true).isEmpty)
            #expect(try await stage.jobs(order, as: next) == jobs)
        }
    }

    @Test("A page is finished once, by the one who holds the job; what an earlier hold writes is refused")
    func fencing() async throws {
        try await StoreStage.run { stage in
            let (_, order) = try await update(stage)
            let job = try #require(try await stage.jobs(order).first)
            let before = try await stage.store.jobs.open(job, order, owner: "a")
            #expect(before?.state(ofPage: 0) == .open && before?.isTouched == false)
            _ = try await stage.store.jobs.open(job, order, owner: "b")
            var outcome = PageOutcome(page: 0)
            outcome.counts.accepted = 3
            #expect(try await stage.write(outcome, order, owner: "a") == .lost)
            #expect(try await stage.write(outcome, order, owner: "b") == .written)
            #expect(try await stage.write(outcome, order, owner: "b") == .written)
            #expect(try await stage.store.broadcasts.broadcast(order.id)?.counts.accepted == 3)
            let after = try await stage.store.jobs.open(job, order, owner: "c")
            #expect(after?.state(ofPage: 0) == .done && after?.state(ofPage: 1) == .open && after?.isTouched == true)
        }
    }

    @Test("A broadcast ends with its last job, once, and leaves nothing behind")
    func finishing() async throws {
        try await StoreStage.run { stage in
            let first = RosterGeometry.slotsPerPartition
            try await stage.addDevices(0..<2)
            let record = try await stage.register(0..<2)
            // A segment of three partitions with hardly any device.
            let ranges = SlotRanges([
                0..<2, UInt32(first)..<UInt32(first + 1), UInt32(2 * first)..<UInt32(2 * first + 9),
            ])
            _ = try await stage.store.values([
                RedisCommand("HSET", Keys.activity(record.activity.id), "slots", ranges.bytes),
                RedisCommand("HSET", Keys.activity(record.activity.id), "devices", 5000),
            ])
            let order = try #require(try await stage.begin(.start, stage.read(record.activity.id)))
            let jobs = try await stage.jobs(order)
            #expect(jobs.map(\.partition) == [0, 1, 2] && jobs.allSatisfy { $0.lane == .first })
            for (number, job) in jobs.enumerated() {
                _ = try await stage.store.jobs.open(job, order, owner: "a")
                var outcome = PageOutcome(page: order.pages(of: job.part)[0])
                // Unreadable tokens are counted without naming their slots.
                outcome.counts.failed["Unsendable"] = number + 1
                outcome.counts.skipped[.noPushToStartToken] = 1
                #expect(try await stage.write(outcome, order, owner: "a") == .written)
                let under = try #require(try await stage.store.broadcasts.broadcast(order.id))
                #expect(under.counts.total == (number + 1) * (number + 2) / 2 + number + 1)
                #expect(try await stage.store.jobs.openPages(of: job, order, owner: "a").isEmpty)
                let ended = try await stage.store.jobs.complete(job, order, as: stage.gateway)
                #expect((ended != nil) == (number == 2))
            }
            let ended = try #require(try await stage.store.broadcasts.broadcast(order.id))
            #expect(ended.state == .done && ended.counts.failed == ["Unsendable": 6] && ended.finishedAt != nil)
            #expect(ended.counts.skipped[.noPushToStartToken] == 3)
            for pattern in ["*:j:*", "*.*}:b:*", "*:open", "*:turns*", "*:unfinished", "*}:s:*"] {
                let keys = try await stage.keys(pattern)
                #expect(keys.isEmpty, "\(pattern): \(keys)")
            }
            let fields = try await stage.store.value(
                RedisCommand("HKEYS", Keys.broadcast(record.activity.id, order.id)))
            let names = Set((fields.array ?? []).compactMap(\.string))
            #expect(names.isDisjoint(with: ["payload", "scope", "jobs_done", "d0", "d1", "d2"]))
        }
    }

    @Test("A gateway that dies between the last page and the finish leaves that to the next, with the same counts")
    func finishedByAnother() async throws {
        try await StoreStage.run { stage in
            let (_, order) = try await update(stage)
            let job = try #require(try await stage.jobs(order).first)
            _ = try await stage.store.jobs.open(job, order, owner: "a")
            var outcome = PageOutcome(page: 0)
            outcome.counts.accepted = 3
            #expect(try await stage.write(outcome, order, owner: "a") == .written)
            let next = UniqueID.random()
            #expect(try await stage.jobs(order, as: next, silence: .zero) == [job])
            guard case .due = try await stage.store.jobs.startJob(job) else { throw Unexpected() }
            #expect(try await stage.store.jobs.open(job, order, owner: "b")?.state(ofPage: 0) == .done)
            #expect(try await stage.store.jobs.complete(job, order, as: next)?.counts.accepted == 3)
            // A gateway that dies after the finish leaves a job that is only discarded.
            guard case .pointless = try await stage.store.jobs.startJob(job) else { throw Unexpected() }
            #expect(try await stage.store.jobs.open(job, order, owner: "c") == nil)
            try await stage.store.jobs.discard(job, as: next)
            let progress = Keys.progress(job.activityID, 0, order.id)
            #expect(try await stage.store.value(RedisCommand("EXISTS", progress)).int == 0)
        }
    }

    private struct Unexpected: Error {}

    @Test(
        "A newer broadcast to the whole segment supersedes updates, an end also the start; a target list only its own")
    func superseding() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let registered = try await stage.register(0..<3)
            let start = try #require(try await stage.begin(.start, registered))
            let record = try await stage.read(registered.activity.id)
            let first = try #require(try await stage.begin(.update, record))
            let list = try #require(try await stage.begin(.update, record, .slots([0, 1])))
            #expect(list.superseded.isEmpty)
            let other = try #require(try await stage.begin(.update, record, .slots([1, 2])))
            #expect(other.superseded.isEmpty)
            let covering = try #require(try await stage.begin(.update, record, .slots([0, 1, 2])))
            #expect(Set(covering.superseded) == [list.id, other.id])
            let second = try #require(try await stage.begin(.update, record))
            #expect(Set(second.superseded) == [first.id, covering.id])
            #expect(try await stage.isSuperseded(first))
            #expect(try await !stage.isSuperseded(start))
            #expect(try await !stage.isSuperseded(second))
            let end = try #require(try await stage.begin(.end, record))
            #expect(end.superseded.contains(second.id) && end.superseded.contains(start.id))
            #expect(try await stage.isSuperseded(start))
            #expect(try await !stage.isSuperseded(end))
        }
    }

    @Test("An update's turn comes when the older ones have nothing left to do in its partition")
    func turns() async throws {
        try await StoreStage.run { stage in
            let (record, first) = try await update(stage)
            var jobs = try await stage.jobs(first)
            func isDue(_ number: Int, _ order: BroadcastOrder) async throws -> Bool? {
                try await stage.store.jobs.isDue(jobs[number], order)
            }
            #expect(try await isDue(0, first) == true)
            let second = try #require(try await stage.begin(.update, record))
            let list = try #require(try await stage.begin(.update, record, .slots([1])))
            jobs += try await stage.jobs(first)
            #expect(jobs.map(\.broadcastID) == [first.id, second.id, list.id])
            #expect(try await isDue(1, second) == false)
            #expect(try await stage.store.jobs.complete(jobs[0], first, as: stage.gateway)?.state == .done)
            #expect(try await isDue(1, second) == true)
            #expect(try await isDue(2, list) == false)
            #expect(try await stage.store.jobs.complete(jobs[1], second, as: stage.gateway)?.state == .done)
            #expect(try await isDue(2, list) == true)
            // An ended broadcast is not opened again, even by a late request.
            #expect(try await isDue(0, first) == nil)
            #expect(try await stage.store.jobs.open(jobs[0], first, owner: "late") == nil)
        }
    }

    @Test("A gateway that dies after the finish leaves its pages to whoever takes the job next")
    func discarding() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let order = try #require(try await stage.begin(.start, stage.register(0..<3)))
            let job = try #require(try await stage.jobs(order).first)
            _ = try await stage.store.jobs.open(job, order, owner: "a")
            // The finish sets the state before the job is removed.
            _ = try await stage.store.value(
                RedisCommand("HSET", Keys.broadcast(order.activity.id, order.id), "state", "done"))
            guard case .pointless = try await stage.store.jobs.startJob(job) else { throw Unexpected() }
            try await stage.store.jobs.discard(job, as: stage.gateway)
            for pattern in ["*}:s:*", "*.*}:b:*", "*:j:*"] {
                #expect(try await stage.keys(pattern).isEmpty, "\(pattern)")
            }
        }
    }

    @Test("The same broadcast is recorded once, whoever repeats it")
    func sameID() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.register(0..<1)
            let payload = Payload.update(content: Content(), options: PresentationOptions())
            let draft = BroadcastDraft(
                kind: .start, scope: .wholeSegment, payload: payload, priority: 10, expiration: 0)
            for _ in 0..<3 {
                let order = try await stage.store.broadcasts.begin(draft, for: record).get()
                #expect(order.id == draft.id && order.order == 1)
            }
            let again = try await stage.store.broadcasts.begin(draft, for: record).get()
            let jobs = try await stage.jobs(again)
            #expect(jobs.count == 1)
            // A repeat also finds the broadcast after its end, which deletes its content.
            _ = try await stage.store.jobs.complete(try #require(jobs.first), again, as: stage.gateway)
            let ended = try await stage.store.broadcasts.begin(draft, for: record).get()
            #expect(ended.id == draft.id && ended.activity.id == record.activity.id)
            #expect(try await stage.jobs(ended).isEmpty)
        }
    }
}
