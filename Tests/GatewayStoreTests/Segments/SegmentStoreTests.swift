import LiveActivity
import RedisClient
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

extension StoreStage {
    func upload(_ ids: some Sequence<String>) async throws -> SegmentUpload {
        var upload = SegmentUpload()
        var run = InsiderIDRun()
        for id in ids {
            run.append(Array(id.utf8))
            if run.count == 1000 {
                #expect(try await store.segments.take(run, into: &upload))
                run.removeAll()
            }
        }
        #expect(try await store.segments.take(run, into: &upload))
        return upload
    }

    @discardableResult
    func put(_ name: String, _ ids: some Sequence<String>) async throws -> SegmentOutcome {
        let upload = try await upload(ids)
        let outcome = try await store.segments.replaceSegment(name, tenantID: tenant, with: upload)
        await store.segments.discard(upload)
        return outcome
    }

    func change(
        _ name: String, _ kind: StoredSegments.SegmentChangeKind, _ ids: some Sequence<String>
    ) async throws -> SegmentOutcome {
        let upload = try await upload(ids)
        let outcome = try await store.segments.changeSegment(name, tenantID: tenant, kind, upload)
        await store.segments.discard(upload)
        return outcome
    }

    func segmentKeys(_ name: String) async throws -> [String] {
        let root = try #require(try await store.segments.segmentRoot(name, tenantID: tenant))
        return root.parts.flatMap { $1.keys($0) }
    }

    /// All ids of the segment.
    func members(_ name: String) async throws -> [String] {
        var ids: [String] = []
        for page in try await store.segments.segmentPages(try await segmentKeys(name)) {
            #expect(SegmentPage.forEach(page) { ids.append(PackedName.decode($0)) })
        }
        return ids
    }

    /// In milliseconds; -1 for one that does not expire, -2 for one that is not there.
    func lifetimes(_ keys: [String]) async throws -> [Int64] {
        try await store.values(keys.map { RedisCommand("PTTL", $0) }).compactMap(\.int)
    }
}

@Suite("Stored segments")
struct SegmentStoreTests {
    @Test("A segment holds the ids of its last upload, each once, and says how many and since when")
    func replacing() async throws {
        try await StoreStage.run { stage in
            #expect(try await stage.store.segments.segment("vip", tenantID: stage.tenant) == nil)
            let first = (0..<3000).map { "user-\($0)" }
            #expect(
                try await stage.put("vip", first + first[..<500] + ["żółw"])
                    == .changed(users: 3001, difference: 3001, at: stage.now))
            #expect(try await stage.members("vip").sorted() == (first + ["żółw"]).sorted())
            stage.advance(.seconds(60))
            let uuids = (0..<100).map { _ in UniqueID.random().description.uppercased() }
            #expect(try await stage.put("vip", uuids) == .changed(users: 100, difference: 100, at: stage.now))
            #expect(try await stage.members("vip").sorted() == uuids.sorted())
            let summary = try await stage.store.segments.segment("vip", tenantID: stage.tenant)
            #expect(summary == SegmentSummary(name: "vip", users: 100, updatedAt: stage.now))
            #expect(try await stage.put("vip", []) == .changed(users: 0, difference: 0, at: stage.now))
            #expect(try await stage.members("vip").isEmpty)
        }
    }

    @Test("An upload that does not fit into memory is laid down, under keys that expire, and comes out whole")
    func layingDown() async throws {
        try await StoreStage.run { stage in
            let ids = (0..<120_000).map { "customer-number-\($0)" }
            let upload = try await stage.upload(ids)
            #expect(upload.hasStored && upload.waitingBytes < SegmentUpload.memory && upload.count == ids.count)
            let laidDown = try await stage.keys("*:h")
            #expect(laidDown.count == SegmentGeometry.buckets)
            #expect(try await stage.lifetimes(laidDown).allSatisfy { (1...3_600_000).contains($0) })
            _ = try await stage.store.segments.replaceSegment("big", tenantID: stage.tenant, with: upload)
            #expect(Set(try await stage.members("big")) == Set(ids))
            await stage.store.segments.discard(upload)
            #expect(try await stage.keys("*:h").isEmpty)
            #expect(try await stage.lifetimes(try await stage.segmentKeys("big")).allSatisfy { $0 == -1 })
        }
    }

    @Test("An upload of which a part has been lost changes nothing")
    func lostPart() async throws {
        try await StoreStage.run { stage in
            try await stage.put("big", ["a"])
            let upload = try await stage.upload((0..<120_000).map { "customer-number-\($0)" })
            let key = try #require(try await stage.keys("*:h").first)
            _ = try await stage.store.value(RedisCommand("DEL", key))
            await #expect(throws: StoreError.self) {
                _ = try await stage.store.segments.replaceSegment("big", tenantID: stage.tenant, with: upload)
            }
            #expect(try await stage.members("big") == ["a"])
        }
    }

    @Test("Adding and removing walk along with a set, through all numbers of partitions")
    func walk() async throws {
        try await StoreStage.run { stage in
            let seed = TestSeed.current
            var random = SeededGenerator(seed: seed)
            var model: Set<String> = []
            try await stage.put("walk", [])
            for round in 0..<40 {
                let most = [3, 50, 4000].randomElement(using: &random) ?? 3
                let ids = (0..<Int.random(in: 0...most, using: &random)).map { _ in
                    "u\(Int.random(in: 0..<9000, using: &random))"
                }
                let before = model.count
                let outcome: SegmentOutcome
                switch Int.random(in: 0..<10, using: &random) {
                case 0:
                    outcome = try await stage.put("walk", ids)
                    model = Set(ids)
                    #expect(outcome == .changed(users: model.count, difference: model.count, at: stage.now))
                    continue
                case 1..<4:
                    outcome = try await stage.change("walk", .remove, ids)
                    model.subtract(ids)
                default:
                    outcome = try await stage.change("walk", .add, ids)
                    model.formUnion(ids)
                }
                let comment = Comment(rawValue: "seed \(seed), round \(round)")
                let expected = SegmentOutcome.changed(
                    users: model.count, difference: model.count - before, at: stage.now)
                #expect(outcome == expected, comment)
                let members = try await stage.members("walk")
                #expect(members.count == model.count && Set(members) == model, comment)
            }
        }
    }

    @Test("A segment that is not there is neither changed nor deleted")
    func missing() async throws {
        try await StoreStage.run { stage in
            let added = try await stage.change("none", .add, ["a"])
            #expect(added == .notFound)
            #expect(try await stage.change("none", .remove, ["a"]) == .notFound)
            #expect(try await !stage.store.segments.deleteSegment("none", tenantID: stage.tenant))
            #expect(
                try await stage.store.segments.segments(tenantID: stage.tenant, limit: 10, after: nil).segments.isEmpty)
        }
    }

    @Test("What is replaced or deleted can be read on for a while, and then expires")
    func outliving() async throws {
        try await StoreStage.run { stage in
            let ids = (0..<5000).map { "user-\($0)" }
            try await stage.put("vip", ids)
            let root = try #require(try await stage.store.segments.segmentRoot("vip", tenantID: stage.tenant))
            let old = root.parts.flatMap { $1.keys($0) }
            try await stage.put("vip", ["somebody-else"])
            #expect(
                try await stage.lifetimes(old).allSatisfy {
                    (60_000...StoredSegments.segmentPagesOutlive).contains(Int($0))
                })
            var read: Set<String> = []
            for page in try await stage.store.segments.segmentPages(old) {
                #expect(SegmentPage.forEach(page) { read.insert(PackedName.decode($0)) })
            }
            #expect(read == Set(ids))
            let last = try await stage.segmentKeys("vip")
            #expect(try await stage.store.segments.deleteSegment("vip", tenantID: stage.tenant))
            #expect(try await stage.lifetimes(last).allSatisfy { $0 > 0 })
            #expect(try await stage.store.segments.segment("vip", tenantID: stage.tenant) == nil)
            #expect(try await stage.store.value(RedisCommand("EXISTS", Keys.segmentCleanups(stage.tenant))).int == 0)
        }
    }

    @Test("Changes at the same time are all made: none is lost")
    func atOnce() async throws {
        try await StoreStage.run { stage in
            try await stage.put("all", [])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<8 {
                    group.addTask {
                        for round in 0..<10 {
                            var outcome = SegmentOutcome.busy
                            while outcome == .busy {
                                outcome = try await stage.change("all", .add, ["w\(worker)-r\(round)", "r\(round)"])
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await stage.store.segments.segment("all", tenantID: stage.tenant)?.users == 90)
            #expect(try await Set(stage.members("all")).count == 90)
        }
    }

    @Test("A change that was made of another version is refused by its step, and what it wrote expires")
    func overtaken() async throws {
        try await StoreStage.run { stage in
            try await stage.put("vip", ["a"])
            let cleanups = Keys.segmentCleanups(stage.tenant)
            let writer = UniqueID.random().description
            let cleanup = SegmentCleanup(.writing, notedAt: stage.now, parts: []).bytes
            _ = try await stage.store.value(RedisCommand("HSET", cleanups, writer, cleanup))
            let call = Scripts.installSegment(
                segment: Keys.segment(stage.tenant, "vip"), names: Keys.segmentNames(stage.tenant), cleanups: cleanups,
                writer: writer, name: "vip", expected: "another", users: 7, now: 1, partitions: 1, replaces: "1",
                parts: [])
            #expect(try await stage.store.run(call) == .raced)
            #expect(try await stage.members("vip") == ["a"])
        }
    }

    @Test("The pages of a gateway that died before its change was made expire, and it cannot make it any more")
    func cleanups() async throws {
        try await StoreStage.run { stage in
            var draft = SegmentDraft(partitions: 1)
            var ids = SegmentIDs()
            ids.append(Array("a".utf8))
            _ = try await stage.store.values(draft.add(ids, partition: 0))
            let pages = draft.written.flatMap { $0.part.keys($0.partition) }
            _ = try await stage.store.values(pages.map { RedisCommand("PERSIST", $0) })
            let cleanups = Keys.segmentCleanups(stage.tenant)
            let writer = draft.writer.description
            let cleanup = SegmentCleanup(.writing, notedAt: stage.now, parts: draft.written)
            _ = try await stage.store.value(RedisCommand("HSET", cleanups, writer, cleanup.bytes))
            try await stage.store.segments.doLeftCleanups(tenantID: stage.tenant)
            #expect(try await stage.lifetimes(pages) == [-1], "it may still be at work")
            stage.advance(.seconds(700))
            try await stage.store.segments.doLeftCleanups(tenantID: stage.tenant)
            #expect(try await stage.lifetimes(pages).allSatisfy { $0 > 0 })
            let call = Scripts.installSegment(
                segment: Keys.segment(stage.tenant, "vip"), names: Keys.segmentNames(stage.tenant), cleanups: cleanups,
                writer: writer, name: "vip", expected: "", users: 1, now: 1, partitions: 1, replaces: "1",
                parts: [0, draft.written[0].part.bytes])
            #expect(try await stage.store.run(call) == .takenOver)
            #expect(try await stage.store.value(RedisCommand("EXISTS", cleanups)).int == 0)
        }
    }

    @Test("Segments are listed by name, page after page, each tenant's for itself")
    func listing() async throws {
        try await StoreStage.run { stage in
            let names = ["a", "b:1", "b.2", "c~", "d-4", "z"]
            var random = TestSeed.generator()
            for name in names.shuffled(using: &random) { try await stage.put(name, ["u"]) }
            let other = SegmentUpload()
            _ = try await stage.store.segments.replaceSegment("foreign", tenantID: stage.tenant + "x", with: other)
            var read: [String] = []
            var cursor: String?
            repeat {
                let page = try await stage.store.segments.segments(tenantID: stage.tenant, limit: 2, after: cursor)
                #expect(page.segments.count == 2)
                read += page.segments.map(\.name)
                cursor = page.next
            } while cursor != nil
            #expect(read == names.sorted())
            #expect(try await stage.store.segments.segment("foreign", tenantID: stage.tenant) == nil)
            #expect(try await !stage.store.segments.deleteSegment("foreign", tenantID: stage.tenant))
        }
    }

    @Test("A user of a large segment takes few bytes")
    func memory() async throws {
        try await StoreStage.run { stage in
            let count = 64_000
            for (ids, most) in [
                ((0..<count).map { "user-\(1_000_000 + $0)" }, 9.0),
                ((0..<count).map { _ in UniqueID.random().description }, 22.0),
            ] {
                try await stage.put("measured", ids)
                let keys = try await stage.segmentKeys("measured") + [Keys.segment(stage.tenant, "measured")]
                let sizes = try await stage.store.values(
                    keys.map { RedisCommand("MEMORY", "USAGE", $0, "SAMPLES", 0) }
                ).compactMap(\.int)
                let each = Double(sizes.reduce(0, +)) / Double(count)
                #expect(each > 2 && each < most, "\(each) bytes")
            }
        }
    }
}
