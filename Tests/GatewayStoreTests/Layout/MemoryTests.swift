import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Memory in Redis")
struct MemoryTests {
    /// The memory that each key uses, in bytes; 0 for a missing key.
    private func memory(_ stage: StoreStage, _ keys: [String]) async throws -> [Int] {
        try await stage.store.values(keys.map { RedisCommand("MEMORY", "USAGE", $0, "SAMPLES", 0) }).map {
            Int($0.int ?? 0)
        }
    }

    private static func device(_ number: Int, tokenLength: Int = 32) -> (
        key: DeviceKey, device: Device, token: [UInt8]?
    ) {
        var device = StoreStage.device()
        device.appVersion = "5.12.0"
        let key = DeviceKey(insiderID: "user-\(1_000_000 + number)", udid: UniqueID.random().description.uppercased())
        return (key, device, StoreStage.token(number, length: tokenLength))
    }

    /// An ID of the usual length, because it is part of every user's key.
    private static let tenant = UniqueID.random().description

    @Test("A device takes less than 300 bytes, and its place in an activity with both kinds of token less than 120")
    func budget() async throws {
        try await StoreStage.run { stage in
            // Five full pages and a partial one. The last two calls extend pages that exist.
            let count = 5 * RosterGeometry.slotsPerPage + 300
            let devices = (0..<count).map { Self.device($0) }
            let users = devices.map { Keys.user(Self.tenant, $0.key.insiderID) }
            try await stage.store.devices.importDevices(devices, tenantID: Self.tenant)
            let registry = try await memory(stage, users)
            let owners = try await memory(stage, stage.keys("fanfare:{o:*"))
            #expect(registry.allSatisfy { $0 > 100 })
            // Redis's key table takes 8 to 16 bytes a key.
            let whole = registry.reduce(0, +) + owners.reduce(0, +) + 16 * (count + owners.count)
            print("of the registry's bytes \(Double(owners.reduce(0, +)) / Double(count)) say whose token it is")
            #expect(!owners.isEmpty && Double(whole) / Double(count) < 300)

            let ids = devices.map(\.key.insiderID)
            let registration = StoredActivities.Registration(
                type: StoreStage.type, endsAt: stage.now + .seconds(86_400))
            let report = try await stage.store.activities.register(
                registration, insiderIDs: Array(ids[..<2000]), tenantID: Self.tenant)
            let id = try #require(report.activityID)
            for part in [ids[2000..<2100], ids[2100...]] {
                _ = try await stage.store.activities.addUsers(Array(part), to: id)
            }
            _ = try #require(try await stage.begin(.start, stage.read(id)))
            var random = TestSeed.generator()
            let order = devices.shuffled(using: &random)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<20 {
                    group.addTask {
                        for number in stride(from: worker, to: count, by: 20) {
                            _ = try await stage.store.reports.sync(
                                order[number].key, token: StoreStage.token(number), reference: .id(id, type: nil),
                                systemActivityID: nil, tenantID: Self.tenant)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await stage.store.roster.reach(.update, in: stage.read(id)).holders == count)

            let roster = try await stage.keys("*").filter {
                !$0.hasPrefix("fanfare:{u:") && !$0.hasPrefix("fanfare:{o:")
            }
            #expect(roster.count >= 4 * 6)
            let ofActivity = try await memory(stage, roster).reduce(0, +) + 2 * 48 * roster.count
            let ofUsers = try await memory(stage, users).reduce(0, +) - registry.reduce(0, +)
            let each = Double(ofActivity + ofUsers) / Double(count)
            print("registry \(Double(registry.reduce(0, +)) / Double(count)), roster \(each) bytes a device")
            #expect(each > 90 && each < 118)

            // The size classes of full pages, 28 and 32 KiB, and a little for the key and its name.
            for (name, limit) in [(Keys.startPage(id, 2), 28), (Keys.updatePage(id, 2), 32)] {
                #expect(try await memory(stage, [name])[0] <= limit * 1024 + 200, "\(name)")
            }
        }
    }

    @Test("A small activity takes little: pages are as long as they have slots")
    func small() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<4)
            let record = try await stage.register(0..<3)
            let id = record.activity.id
            _ = try #require(try await stage.begin(.start, record))
            for user in 0..<3 { _ = try await stage.sync(user, .id(id, type: nil)) }
            let contents: [PageKey.Content] = [.startTokens, .updateTokens, .statuses]
            let lengths = try await stage.store.roster.pages(contents.map { PageKey($0, id, 0) }).map(\.count)
            #expect(lengths == [1 + 3 * 33, 1 + 3 * 37, 3])
            let sizes = try await memory(stage, [Keys.startPage(id, 0), Keys.updatePage(id, 0), Keys.counters(id, 0)])
            #expect(sizes.allSatisfy { $0 < 400 })
        }
    }

    @Test("A page that a longer token made wider has no slack either")
    func wider() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<868)
            let record = try await stage.started(0..<868)
            let id = record.activity.id
            for user in [5, 0, 867] { _ = try await stage.sync(user, .id(id, type: nil)) }
            let token = StoreStage.token(7, length: 100)
            _ = try await stage.sync(7, .id(id, type: nil), token: token)
            _ = try await stage.sync(8, .id(id, type: nil))
            let length = 1 + 868 * 105
            #expect(try await stage.store.value(RedisCommand("STRLEN", Keys.updatePage(id, 0))).int == Int64(length))
            #expect(try await memory(stage, [Keys.updatePage(id, 0)])[0] < length * 5 / 4 + 200)
            let order = try #require(try await stage.begin(.update, record))
            let tokens = try await stage.page(0, order).tokens
            #expect(tokens.count == 5 && tokens[7] == token && tokens[867] == StoreStage.token(5867))
        }
    }

    @Test("The hash of a user with long tokens stays packed on the private server")
    func packed() async throws {
        try await StoreStage.run { stage in
            let device = Self.device(1, tokenLength: TokenPage.maximumTokenLength)
            try await stage.store.devices.importDevices([device], tenantID: stage.tenant)
            for number in 0..<20 {
                let registration = StoredActivities.Registration(
                    type: "T\(number)", endsAt: stage.now + .seconds(3600))
                let report = try await stage.store.activities.register(
                    registration, insiderIDs: [device.key.insiderID], tenantID: stage.tenant)
                #expect(report.devices == 1)
            }
            let key = Keys.user(stage.tenant, device.key.insiderID)
            #expect(try await stage.store.value(RedisCommand("HLEN", key)).int == 23)
            #expect(try await stage.store.value(RedisCommand("OBJECT", "ENCODING", key)).string == "listpack")
        }
    }
}
