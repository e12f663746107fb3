import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Segments over several kinds of route")
struct BandedSegmentTests {
    /// Users with some devices each, as the store should have them, and the segment that it should be.
    private struct Model {
        /// By user and device.
        var environments: [[Device.Environment]]
        /// Over which kind each member is reached: as it was when the device joined.
        var members: [DeviceKey: RouteKind] = [:]

        init(users: Int, _ random: inout SeededGenerator) {
            environments = (0..<users).map { _ in
                (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    Int.random(in: 0..<4, using: &random) == 0 ? .sandbox : .production
                }
            }
        }

        func device(_ user: Int, _ number: Int) -> (key: DeviceKey, device: Device, token: [UInt8]?) {
            var device = StoreStage.device()
            device.environment = environments[user][number]
            return (StoreStage.key(user, number), device, Model.token(user, number))
        }

        static func token(_ user: Int, _ number: Int) -> [UInt8] { StoreStage.token(user * 4 + number) }

        var devices: [(key: DeviceKey, device: Device, token: [UInt8]?)] {
            environments.indices.flatMap { user in environments[user].indices.map { device(user, $0) } }
        }

        mutating func join(_ users: Range<Int>) {
            for user in users {
                for number in environments[user].indices where members[StoreStage.key(user, number)] == nil {
                    members[StoreStage.key(user, number)] =
                        environments[user][number] == .sandbox ? .apnsSandbox : .apns
                }
            }
        }

        mutating func leave(_ users: Range<Int>) {
            for user in users { for number in 0..<3 { members[StoreStage.key(user, number)] = nil } }
        }
    }

    /// Every member has a slot of its own in the band of its kind, which holds its token and its name.
    private func expect(_ model: Model, _ stage: StoreStage, _ id: UniqueID, _ step: Comment) async throws {
        let record = try await stage.read(id)
        #expect(record.devices == model.members.count, step)
        #expect(record.users == Set(model.members.keys.map(\.insiderID)).count, step)
        #expect(try await stage.store.roster.reach(.pushToStart, in: record).holders == model.members.count, step)
        // One for each band that there is.
        #expect(record.slots.ranges.count <= 2, step)
        let tokens = try await stage.startTokens(id)
        #expect(tokens.count == model.members.count, step)
        var slots: Set<UInt32> = []
        for user in model.environments.indices {
            let keys = model.environments[user].indices.map { StoreStage.key(user, $0) }
            let read = try await stage.store.devices.user(keys[0].insiderID, tenantID: stage.tenant)
            let membership = read?.membership(in: id)
            for (number, key) in keys.enumerated() {
                let device = try #require(read?.device(key.udid))
                let slot = membership?.slot(device: device.number)
                guard let kind = model.members[key] else {
                    #expect(slot == nil, step)
                    continue
                }
                let place = try #require(slot, step)
                #expect(slots.insert(place).inserted && RosterGeometry.kind(ofSlot: place) == kind, step)
                #expect(tokens[Int(place)] == Model.token(user, number), step)
            }
        }
        let listed = try await listed(stage, record)
        #expect(listed.count == model.members.count && Set(listed) == Set(model.members.keys), step)
        let counts = try await stage.store.reader.summedStates(in: record)
        #expect(counts[.registered] == model.members.count && counts.total == model.members.count, step)
    }

    private func listed(_ stage: StoreStage, _ record: ActivityRecord) async throws -> [DeviceKey] {
        var keys: [DeviceKey] = []
        var cursor: DeviceCursor?
        repeat {
            let page = try await stage.store.reader.devices(of: record, limit: 300, from: cursor)
            keys += page.devices.map(\.key)
            cursor = page.next.flatMap { DeviceCursor($0.text) }
        } while cursor != nil
        return keys
    }

    @Test("However a segment grows and shrinks, each device is in the band of its kind, once, and found there")
    func walk() async throws {
        try await StoreStage.run { stage in
            var random = TestSeed.generator()
            let users = 900
            var model = Model(users: users, &random)
            try await stage.store.devices.importDevices(model.devices, tenantID: stage.tenant)
            let first = 0..<Int.random(in: 1..<users, using: &random)
            let id = try await stage.register(first).activity.id
            model.join(first)
            try await expect(model, stage, id, "registered \(first), seed \(TestSeed.current)")
            for _ in 0..<8 {
                let start = Int.random(in: 0..<users, using: &random)
                let range = start..<min(users, start + Int.random(in: 1..<400, using: &random))
                let adds = Bool.random(using: &random)
                if adds {
                    guard case .changed = try await stage.store.activities.addUsers(StoreStage.ids(range), to: id)
                    else {
                        throw Refused()
                    }
                    model.join(range)
                } else {
                    guard case .changed = try await stage.store.activities.removeUsers(StoreStage.ids(range), from: id)
                    else {
                        throw Refused()
                    }
                    model.leave(range)
                }
                try await expect(model, stage, id, "\(adds ? "added" : "removed") \(range), seed \(TestSeed.current)")
            }
        }
    }

    private struct Refused: Error {}

    @Test("A stored segment makes the same activity as its ids do")
    func storedSegment() async throws {
        try await StoreStage.run { stage in
            var random = TestSeed.generator(1)
            var model = Model(users: 2500, &random)
            try await stage.store.devices.importDevices(model.devices, tenantID: stage.tenant)
            try await stage.put("all", StoreStage.ids(0..<2500))
            let registration = StoredActivities.Registration(
                type: StoreStage.type, endsAt: stage.now + .seconds(3600))
            let outcome = try await stage.store.activities.register(
                registration, segment: "all", tenantID: stage.tenant, checkpoint: {})
            guard case .registered(let report) = outcome else { throw Refused() }
            model.join(0..<2500)
            let id = try #require(report.activityID)
            try await expect(model, stage, id, "seed \(TestSeed.current)")
            let record = try await stage.read(id)
            let byIDs = try await stage.register(0..<2500)
            #expect(record.slots == byIDs.slots && record.users == byIDs.users)
            let (left, right) = (try await bands(stage, id), try await bands(stage, byIDs.activity.id))
            #expect(left == right)
        }
    }

    /// The fields of an activity that say how many slots are given out.
    private func bands(_ stage: StoreStage, _ id: UniqueID) async throws -> [String?] {
        let kinds = [RouteKind.apns, .apnsSandbox, .fcm]
        let reply = try await stage.store.value(
            RedisCommand("HMGET", arguments: [Keys.activity(id)] + kinds.map(BandSizes.field)))
        return (reply.array ?? []).map(\.string)
    }

    @Test("An activity of one kind has not a field, key or byte for others")
    func production() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<900)
            let id = try await stage.register(0..<880).activity.id
            _ = try await stage.store.activities.addUsers(StoreStage.ids(880..<900), to: id)
            let fields = try await stage.store.value(RedisCommand("HGETALL", Keys.activity(id))).fields
            let names = Set(fields.map { String(decoding: $0.name, as: UTF8.self) })
            #expect(
                names == [
                    "tenant", "type", "state", "created_at", "ends_at", "devices", "users", "reserved", "slots",
                    "ended",
                ])
            #expect(try await bands(stage, id) == ["900", nil, nil])
            #expect(try await stage.read(id).slots.ranges == [0..<900])
            let keys = try await stage.keys("fanfare:{\(id).*").sorted()
            #expect(
                keys == (["c", "f:0", "i:0", "i:1", "s:0", "s:1"].map { "fanfare:{\(id).0}:\($0)" }))
        }
    }

    @Test("A segment of sandbox devices alone has its band from the first slot on, and an empty first one")
    func sandboxAlone() async throws {
        try await StoreStage.run { stage in
            var device = StoreStage.device()
            device.environment = .sandbox
            try await stage.store.devices.importDevices(
                (0..<5).map { (StoreStage.key($0), device, StoreStage.token($0)) }, tenantID: stage.tenant)
            let first = RosterGeometry.firstSlot(of: .apnsSandbox)
            let record = try await stage.register(0..<3)
            #expect(record.slots.ranges == [first..<(first + 3)] && record.devices == 3)
            #expect(try await bands(stage, record.activity.id) == ["0", "3", nil])
            _ = try await stage.store.activities.addUsers(StoreStage.ids(3..<5), to: record.activity.id)
            #expect(try await stage.read(record.activity.id).slots.ranges == [first..<(first + 5)])
        }
    }

    @Test("Devices that open an activity by themselves get slots in their bands, however they alternate")
    func deviceInitiatedActivity() async throws {
        try await StoreStage.run { stage in
            var random = TestSeed.generator(2)
            let model = Model(users: 60, &random)
            try await stage.store.devices.importDevices(model.devices, tenantID: stage.tenant)
            let reference = ActivityReference.external("order", type: StoreStage.type)
            let reports = (model.devices + model.devices).shuffled(using: &random)
            let places = try await withThrowingTaskGroup(of: (DeviceKey, UInt32, UniqueID).self) { group in
                for (key, _, token) in reports {
                    group.addTask {
                        let outcome = try await stage.store.reports.sync(
                            key, token: token, reference: reference, systemActivityID: nil, tenantID: stage.tenant)
                        guard case .synced(let record, let slot, nil) = outcome else { throw Refused() }
                        return (key, slot, record.activity.id)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let id = try #require(places.first?.2)
            #expect(places.allSatisfy { $0.2 == id })
            let slots = Dictionary(places.map { ($0.0, $0.1) }) { first, second in
                #expect(first == second)
                return first
            }
            #expect(Set(slots.values).count == model.devices.count)
            for (key, device, _) in model.devices {
                #expect(slots[key].map(RosterGeometry.kind(ofSlot:)) == RouteKind(device))
            }
            let record = try await stage.read(id)
            #expect(record.devices == model.devices.count && record.users == 60)
            #expect(record.slots.ranges.count == 2 && record.slots.count >= model.devices.count)
            #expect(slots.values.allSatisfy { record.slots.contains($0) })
            #expect(try await stage.store.reader.summedStates(in: record)[.active] == model.devices.count)
        }
    }

    @Test("A band that is full refuses who would join it, and nobody else")
    func full() async throws {
        try await StoreStage.run { stage in
            var device = StoreStage.device()
            device.environment = .sandbox
            try await stage.addDevices(0..<3)
            try await stage.store.devices.importDevices(
                (3..<5).map { (StoreStage.key($0), device, StoreStage.token($0)) }, tenantID: stage.tenant)
            let id = try await stage.register(0..<1).activity.id
            let field = BandSizes.field(.apnsSandbox)
            _ = try await stage.store.value(
                RedisCommand("HSET", Keys.activity(id), field, StoredRoster.maximumSlots - 1))
            guard case .refused = try await stage.store.activities.addUsers(StoreStage.ids(1..<5), to: id) else {
                throw Refused()
            }
            // Nothing was set aside.
            #expect(try await bands(stage, id) == ["1", "\(StoredRoster.maximumSlots - 1)", nil])
            guard case .changed = try await stage.store.activities.addUsers(StoreStage.ids(1..<4), to: id) else {
                throw Refused()
            }
            #expect(try await bands(stage, id) == ["3", "\(StoredRoster.maximumSlots)", nil])
            guard case .refused = try await stage.store.activities.addUsers(StoreStage.ids(4..<5), to: id) else {
                throw Refused()
            }
        }
    }
}
