import Delivery
import Encodings
import LiveActivity
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("The search for lost Live Activities in Redis")
struct FindLostTests {
    private struct Combination {
        let status: UInt8
        let cell: [UInt8]
        let age: Int64?
    }

    private static let statuses: [UInt8] = [0, 1, 2, 3, 4, 5, 6, 17, 20, DeliveryStatus.ended(.userUnfollow)]
    /// A cell with a token, and cells with marks in place of one.
    private static let cells: [[UInt8]] = [[1, 9], [0, 0], [0, 255], [0, 254], [0, 253], [0, 252], [0, 10]]
    private static let ages: [Int64?] = [nil, 0, 29, 30, 99, 100, 101, 119, 120, 400]

    private static let combinations = statuses.flatMap { status in
        cells.flatMap { cell in ages.map { Combination(status: status, cell: cell, age: $0) } }
    }

    @Test("For every state of a device, the script and the function agree")
    func agreement() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<Self.combinations.count)
            var record = try await stage.started(0..<Self.combinations.count)
            stage.advance(.seconds(500))
            try await lay(out: stage, record.activity.id)
            for mayBeSilent in [false, true] {
                if mayBeSilent { record = try await withChannel(record, stage) }
                try await followers(stage, record, mayBeSilent)
                try await search(stage, record, mayBeSilent)
                try await stage.put(Self.combinations.map(\.status), .statuses, record.activity.id, 0)
            }
        }
    }

    private func withChannel(_ record: ActivityRecord, _ stage: StoreStage) async throws -> ActivityRecord {
        var channels = Channels()
        channels.set("channel", of: .apns, storesNewest: true)
        let id = record.activity.id
        _ = try await stage.store.value(RedisCommand("HSET", Keys.activity(id), "channels", channels.text))
        return try #require(try await stage.store.activities.activity(id))
    }

    private func lay(out stage: StoreStage, _ id: UniqueID) async throws {
        let ages = Self.ages.compactMap(\.self)
        var outcomes: [UInt8] = [UInt8(ages.count)]
        for age in ages {
            outcomes.append(littleEndian: UInt32(stage.now.seconds - age), bytes: 4)
            outcomes.append(0)
        }
        outcomes += Self.combinations.map { $0.age.flatMap(ages.firstIndex).map { UInt8($0 + 1) } ?? 0 }
        try await stage.put(outcomes, .outcomes, id, 0)
        try await stage.put(Self.combinations.map(\.status), .statuses, id, 0)
        try await stage.put(TokenPage.encode(Self.combinations.map(\.cell)), .updateTokens, id, 0)
    }

    private func next(_ place: Combination, _ evidence: SlotEvidence, mayBeSilent: Bool) -> SlotStep {
        let mark = place.cell[0] == 0 ? place.cell[1] : nil
        var has = SlotState(status: place.status, report: .init(mark: mark), age: place.age ?? 500)
        has.mayBeSilent = mayBeSilent
        // A follower's dead token is queued at once, for the time at which it counts.
        if evidence == .follower, has.report == .deadToken { has.age = max(has.age, SlotStep.grace) }
        return .next(wanted: .running, has: has, evidence: evidence)
    }

    private func followers(
        _ stage: StoreStage, _ record: ActivityRecord, _ mayBeSilent: Bool
    ) async throws {
        let call = stage.store.roster.findLost([0], for: .follower, in: record)
        let found = try call.reply(try await stage.store.value(call.command))
        let expected = Self.combinations.indices.filter { index in
            let place = Self.combinations[index]
            let isSearched =
                DeliveryStatus.isStartDecided(place.status) || place.status == DeliveryStatus.ended(.userUnfollow)
                || place.cell == TokenPage.cellOfDeadToken && DeliveryStatus.isLive(place.status)
            return isSearched && next(place, .follower, mayBeSilent: mayBeSilent) == .start
        }
        #expect(found.sorted() == expected)
    }

    /// Goes on behind each found slot, because a search finds the first one of a page.
    private func search(
        _ stage: StoreStage, _ record: ActivityRecord, _ mayBeSilent: Bool
    ) async throws {
        var statuses = Self.combinations.map(\.status)
        func found() async throws -> [Int] {
            try await stage.put(statuses, .statuses, record.activity.id, 0)
            let call = stage.store.roster.findLost([0], for: .search, in: record, most: 2)
            return try call.reply(try await stage.store.value(call.command))
        }
        for index in statuses.indices
        where next(Self.combinations[index], .search, mayBeSilent: mayBeSilent) == .start {
            #expect(try await found() == [index], "\(Self.combinations[index])")
            statuses[index] = DeliveryStatus.removed
        }
        #expect(try await found().isEmpty)
    }
}
