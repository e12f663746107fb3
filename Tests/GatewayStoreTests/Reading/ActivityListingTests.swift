import LiveActivity
import RedisClient
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("What a listing of activities costs")
struct ActivityListingTests {
    /// Adds activities like a gateway, the oldest first; `number` distinguishes them.
    private func add(_ count: Int, to stage: StoreStage, type: String = "A", byDevices: Bool = false) async throws {
        var commands: [RedisCommand] = []
        for number in 0..<count {
            let activity = Activity(
                id: .random(), tenantID: stage.tenant, type: type, state: .started,
                createdAt: stage.now + .milliseconds(number), endsAt: stage.now + .seconds(86_400),
                externalID: byDevices ? "\(number)" : nil)
            try await stage.store.activities.addToIndex(activity)
            var fields = [
                "tenant", stage.tenant, "type", type, "state", "1", "created_at", "\(activity.createdAt.milliseconds)",
                "ends_at", "\(activity.endsAt.milliseconds)",
            ]
            if byDevices { fields += ["external_id", "\(number)"] }
            commands.append(RedisCommand("HSET", arguments: [Keys.activity(activity.id)] + fields))
        }
        _ = try await stage.store.reader.values(commands)
    }

    /// The number of activities that were read since the last call.
    private func read(_ stage: StoreStage) async throws -> Int {
        let text = try await stage.redis.value(RedisCommand("INFO", "commandstats")).string ?? ""
        _ = try await stage.redis.value(RedisCommand("CONFIG", "RESETSTAT"))
        let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("cmdstat_hmget:calls=") }
        return line?.dropFirst("cmdstat_hmget:calls=".count).split(separator: ",").first.flatMap { Int($0) } ?? 0
    }

    @Test("A page reads what it returns, however many activities devices have opened")
    func cost() async throws {
        try await StoreStage.run(onCluster: false) { stage in
            try await add(30, to: stage)
            stage.advance(.seconds(60))
            try await add(2_000, to: stage, byDevices: true)
            _ = try await read(stage)
            let own = try await stage.store.reader.activities(of: stage.tenant, limit: 100)
            #expect(own.activities.count == 30 && own.next == nil)
            #expect(try await read(stage) == 30)
            let some = try await stage.store.reader.activities(of: stage.tenant, limit: 10)
            #expect(some.activities.count == 10 && some.next != nil)
            #expect(try await read(stage) == 11)
            for opener in [ActivityOpener.device, .any] {
                let page = try await stage.store.reader.activities(
                    of: stage.tenant, ActivityFilter(openedBy: opener), limit: 50)
                #expect(page.activities.count == 50 && page.next != nil)
                #expect(try await read(stage) == 51)
            }
        }
    }

    @Test("What is rare, or not there at all, is looked for some way at a time, and found in the end")
    func rare() async throws {
        try await StoreStage.run(onCluster: false) { stage in
            try await add(1, to: stage, type: "Rare")
            stage.advance(.seconds(3_600))
            try await add(1_200, to: stage)
            var cursor: ActivityCursor?
            var (pages, found) = (0, 0)
            repeat {
                _ = try await read(stage)
                let page = try await stage.store.reader.activities(
                    of: stage.tenant, ActivityFilter(type: "Rare"), limit: 10, from: cursor)
                #expect(try await read(stage) <= ActivityReader.entriesPerCall)
                (pages, found, cursor) = (pages + 1, found + page.activities.count, page.next)
            } while cursor != nil && pages < 10
            #expect(pages == 3 && found == 1)
        }
    }

    /// All that is listed, a page after the other.
    private func listed(_ stage: StoreStage, limit: Int) async throws -> [UniqueID] {
        var (found, cursor): ([UniqueID], ActivityCursor?) = ([], nil)
        repeat {
            let page = try await stage.store.reader.activities(of: stage.tenant, limit: limit, from: cursor)
            found += page.activities.map(\.record.activity.id)
            cursor = page.next
        } while cursor != nil
        return found
    }

    @Test("An hour of many activities lies in packed parts, and is listed in order, also where some come late")
    func parts() async throws {
        try await StoreStage.run { stage in
            var random = SeededGenerator(seed: 11)
            var entries: [(id: UniqueID, at: Int)] = []
            for window in 0..<50 {
                for number in (0..<30).shuffled(using: &random) {
                    let at = 30 * window + number / 2
                    let activity = Activity(
                        id: .random(), tenantID: stage.tenant, type: "A", state: .started,
                        createdAt: stage.now + .milliseconds(at), endsAt: stage.now + .seconds(86_400))
                    try await stage.store.activities.addToIndex(activity)
                    _ = try await stage.store.reader.value(
                        RedisCommand(
                            "HSET", Keys.activity(activity.id), "tenant", stage.tenant, "type", "A", "state", "1",
                            "created_at", activity.createdAt.milliseconds, "ends_at", activity.endsAt.milliseconds))
                    entries.append((activity.id, at))
                }
            }
            let expected = entries.sorted { ($1.at, $1.id.description) < ($0.at, $0.id.description) }.map(\.id)
            for limit in [37, 1_000] { #expect(try await listed(stage, limit: limit) == expected) }

            let parts = try await stage.keys("fanfare:{l:*").filter { !$0.hasSuffix("}") && !$0.hasSuffix(":parts") }
            #expect(parts.count >= 8)
            let newest = parts.max()
            for key in parts {
                let count = try await stage.store.reader.value(RedisCommand("ZCARD", key)).int ?? 0
                #expect((key == newest ? 1 : 80)...128 ~= count)
                let encoding = RedisCommand("OBJECT", "ENCODING", key)
                #expect(try await stage.store.reader.value(encoding).string == "listpack")
                #expect(try await stage.store.reader.value(RedisCommand("PTTL", key)).int ?? 0 > 0)
            }

            // The listing skips dead activities once, and deletes their parts.
            _ = try await stage.store.reader.values(entries.map { RedisCommand("DEL", Keys.activity($0.id)) })
            stage.advance(.seconds(7200))
            #expect(try await listed(stage, limit: 1_000).isEmpty)
            #expect(try await stage.keys("fanfare:{l:*").isEmpty)
        }
    }
}
