import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Adding and removing users")
struct SegmentChangeTests {
    /// Adds the users, again as long as another change is under way; nil when it is refused.
    private func add(
        _ stage: StoreStage, _ users: Range<Int>, _ record: ActivityRecord
    ) async throws -> RegistrationReport? {
        while true {
            switch try await stage.store.activities.addUsers(StoreStage.ids(users), to: record.activity.id) {
            case .changed(let report): return report
            case .refused: return nil
            case .busy: await Task.yield()
            }
        }
    }

    private func remove(
        _ stage: StoreStage, _ users: Range<Int>, _ record: ActivityRecord
    ) async throws -> StoredActivities.Removal? {
        while true {
            switch try await stage.store.activities.removeUsers(StoreStage.ids(users), from: record.activity.id) {
            case .changed(let removal): return removal
            case .refused: return nil
            case .busy: await Task.yield()
            }
        }
    }

    /// The segment is exactly these users, each once.
    private func expectSegment(
        _ stage: StoreStage, _ record: ActivityRecord, _ users: some Collection<Int>,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let tokens = try await stage.startTokens(record.activity.id).values.sorted { $0.lexicographicallyPrecedes($1) }
        let expected = users.map { StoreStage.token($0) }.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(tokens == expected, sourceLocation: location)
        let read = try await stage.read(record.activity.id)
        #expect(read.devices == users.count && read.users == users.count, sourceLocation: location)
        #expect(
            try await stage.store.roster.reach(.pushToStart, in: read).holders == users.count, sourceLocation: location)
    }

    @Test("Users are added, those who are in already are passed over, and the pages grow")
    func adding() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3000)
            let record = try await stage.register(0..<1000)
            let first = try #require(try await add(stage, 990..<2500, record))
            #expect(first.users == 1500 && first.devices == 1500 && !first.isPartial && first.skipped.isEmpty)
            let second = try #require(try await add(stage, 0..<3005, record))
            #expect(second.users == 500 && second.skipped[.unknownUser] == 5 && second.isPartial)
            #expect(try await stage.read(record.activity.id).slots.ranges == [0..<3000])
            try await expectSegment(stage, record, 0..<3000)
        }
    }

    @Test("Devices with tokens of any length join a page that is there, and everybody's token stays what it was")
    func widths() async throws {
        try await StoreStage.run { stage in
            var random = TestSeed.generator()
            let lengths = [32, 40, 8, 32, 200, 1, 64].shuffled(using: &random)
            let calls = lengths.enumerated().map { call, length in
                (users: (call * 40)..<(call * 40 + 40), length: length)
            }
            var expected: [Int: [UInt8]] = [:]
            for (users, length) in calls {
                try await stage.store.devices.importDevices(
                    users.map {
                        (StoreStage.key($0), StoreStage.device(), StoreStage.token($0, length: length))
                    }, tenantID: stage.tenant)
                for user in users { expected[user] = StoreStage.token(user, length: length) }
            }
            let record = try await stage.register(calls[0].users)
            for (users, _) in calls[1...] { #expect(try await add(stage, users, record)?.devices == 40) }
            #expect(try await stage.startTokens(record.activity.id) == expected, "\(lengths)")
            let read = try await stage.read(record.activity.id)
            #expect(try await stage.store.roster.reach(.pushToStart, in: read).holders == 280)
            for key in [Keys.startPage(read.activity.id, 0), Keys.statusPage(read.activity.id, 0)] {
                #expect(try await stage.store.value(RedisCommand("PTTL", key)).int ?? 0 > 0)
            }
        }
    }

    @Test("A device that a member gets later can be added, and the user is not counted twice")
    func furtherDevice() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2)
            let record = try await stage.register(0..<2)
            try await stage.store.devices.importDevices(
                [(StoreStage.key(0, 1), StoreStage.device(), [4])], tenantID: stage.tenant)
            #expect(try await add(stage, 0..<2, record)?.devices == 1)
            let read = try await stage.read(record.activity.id)
            #expect(read.users == 2 && read.devices == 3)
            let removed = try await remove(stage, 0..<1, record)
            #expect(removed?.users == 1 && removed?.devices == 2)
            try await expectSegment(stage, record, [1])
        }
    }

    @Test("Users are removed from several pages, once, and may come back")
    func removing() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<2200)
            let record = try await stage.register(0..<2200)
            let removed = try await remove(stage, 500..<2300, record)
            #expect(removed?.users == 1700 && removed?.devices == 1700)
            let again = try await remove(stage, 500..<2300, record)
            #expect(again == StoredActivities.Removal())
            try await expectSegment(stage, record, 0..<500)
            #expect(try await add(stage, 1000..<1010, record)?.users == 10)
            try await expectSegment(stage, record, Array(0..<500) + Array(1000..<1010))
        }
    }

    @Test("Once it has started, nobody is added or removed")
    func started() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<4)
            let record = try await stage.started(0..<2)
            #expect(try await add(stage, 2..<4, record) == nil)
            let order = try #require(try await stage.begin(.update, record))
            #expect(order.slots.count == 2)
        }
    }

    @Test("Users who are added by many calls at once are in the segment once")
    func concurrentAdds() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1300)
            let record = try await stage.register(0..<10)
            let added = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
                for call in 0..<8 {
                    // Overlapping parts: most users are in several calls.
                    group.addTask {
                        let report = try #require(try await add(stage, (call * 100)..<(call * 100 + 600), record))
                        return (report.users, report.devices)
                    }
                }
                return try await group.reduce((0, 0)) { ($0.0 + $1.0, $0.1 + $1.1) }
            }
            #expect(added == (1290, 1290))
            try await expectSegment(stage, record, 0..<1300)
            let targets = try await stage.store.roster.targets(
                (0..<1300).map { StoreStage.key($0) }, .pushToStart, in: record.activity)
            #expect(targets.found.count == 1300 && Set(targets.found.map(\.slot)).count == 1300)
        }
    }

    @Test("Users who are removed by many calls at once are counted once")
    func concurrentRemoves() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<300)
            let record = try await stage.register(0..<300)
            let removed = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<6 { group.addTask { try await remove(stage, 50..<300, record)?.devices ?? -1000 } }
                return try await group.reduce(0, +)
            }
            #expect(removed == 250)
            try await expectSegment(stage, record, 0..<50)
        }
    }

    @Test("Adding and removing at the same time leaves members with slots, and no slots without members")
    func mixed() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<200)
            let record = try await stage.register(0..<1)
            for _ in 0..<6 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<6 {
                        group.addTask {
                            if number % 2 == 0 {
                                _ = try await add(stage, 1..<200, record)
                            } else {
                                _ = try await remove(stage, 1..<200, record)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                var members: [Int] = []
                for user in 0..<200 {
                    let read = try await stage.store.devices.user(
                        StoreStage.key(user).insiderID, tenantID: stage.tenant)
                    if read?.membership(in: record.activity.id) != nil { members.append(user) }
                }
                try await expectSegment(stage, record, members)
            }
        }
    }
}
