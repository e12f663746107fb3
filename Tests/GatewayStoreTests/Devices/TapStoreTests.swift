import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Taps in the store")
struct TapStoreTests {
    @Test("Of a device the last 32 taps of an hour are known, however many it names; each of another counts as ever")
    func bounded() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let id = try await stage.started(0..<2).activity.id
            for user in 0..<2 { _ = try await stage.sync(user, .id(id, type: nil), system: "la-\(user)") }
            func tap(_ name: String?, user: Int = 0) async throws -> Int? {
                _ = try await stage.store.reports.tap(
                    StoreStage.key(user), systemActivityID: "la-\(user)", reference: nil, tapID: name,
                    tenantID: stage.tenant)
                return try await stage.store.reader.status(of: id)?.taps
            }
            for number in 1...100 {
                stage.advance(.milliseconds(1))
                #expect(try await tap("t\(number)") == number)
                #expect(try await tap("t\(number)") == number)
            }
            #expect(try await tap("t1", user: 1) == 101)
            let keys = try await stage.keys("fanfare:*:taps:*")
            #expect(keys.count == 2)
            let counts = try await stage.store.values(keys.map { RedisCommand("ZCARD", $0) })
            #expect(counts.compactMap(\.int).sorted() == [1, 32])
            for life in try await stage.store.values(keys.map { RedisCommand("PTTL", $0) }) {
                #expect((1...3_600_000).contains(life.int ?? 0))
            }
            // The oldest of those that are known, and the one before it, which has made way.
            #expect(try await tap("t69") == 101)
            #expect(try await tap("t68") == 102)
            stage.advance(.seconds(3600))
            #expect(try await tap("t100") == 103)
            for count in 104...105 { #expect(try await tap(nil) == count) }
            #expect(try await stage.keys("fanfare:*:taps:*").count == 2)
        }
    }

    @Test("A tap on a former login's Live Activity is attributed to the schedule that drives it for that login")
    func formerLogin() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            var id: UniqueID?
            for user in 0..<2 {
                stage.advance(.milliseconds(1))
                try await stage.store.devices.putPushToStartToken(
                    [7, 7], StoreStage.key(user), tenantID: stage.tenant, type: nil, receivedAt: stage.now)
                if user == 0 { id = try await stage.started(0..<1).activity.id }
            }
            let activity = try #require(id)
            _ = try await stage.store.value(
                RedisCommand("HSET", Keys.driven(activity), "user-0", "one:mine", "user-1", "two:other"))
            let tap = try await stage.store.reports.tap(
                StoreStage.key(1), systemActivityID: nil, reference: .id(activity, type: nil), tapID: "t",
                tenantID: stage.tenant)
            #expect(tap?.scheduleName == "mine")
        }
    }
}
