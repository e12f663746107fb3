import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Which device is meant")
struct DeviceNumberTests {
    private static let user = "user"

    private func token(_ number: Int) -> [UInt8] { StoreStage.token(number + 1000) }

    private func sync(_ stage: StoreStage, _ udid: String, _ token: [UInt8], _ id: UniqueID) async throws -> SyncOutcome
    {
        try await stage.store.reports.sync(
            DeviceKey(insiderID: Self.user, udid: udid), token: token, reference: .id(id, type: nil),
            systemActivityID: nil, tenantID: stage.tenant)
    }

    /// Names that a packed or shortened form could take for one another.
    private static let alike: [String] = {
        let id = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d"
        let mixed = "0A1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d"
        return [
            id, id.uppercased(), mixed, id.filter { $0 != "-" }, "{\(id)}", id + " ", " " + id, "é", "e\u{301}", "",
            "1",
            "\u{1}", String(repeating: "x", count: 249), String(repeating: "x", count: 250),
        ]
    }()

    @Test("Every device's token goes to its own slot, however alike their names are")
    func alikeNames() async throws {
        try await StoreStage.run { stage in
            var random = TestSeed.generator()
            let udids = Self.alike.shuffled(using: &random)
            try await stage.store.devices.importDevices(
                udids.enumerated().map {
                    (DeviceKey(insiderID: Self.user, udid: $1), StoreStage.device(), token($0))
                }, tenantID: stage.tenant)
            let registration = StoredActivities.Registration(type: StoreStage.type, endsAt: stage.now + .seconds(3600))
            let report = try await stage.store.activities.register(
                registration, insiderIDs: [Self.user], tenantID: stage.tenant)
            #expect(report.devices == udids.count)
            let id = try #require(report.activityID)
            let startTokens = try await stage.startTokens(id)
            let record = try await stage.read(id)
            _ = try await stage.begin(.start, record)
            var slots: Set<UInt32> = []
            for (number, udid) in udids.enumerated() {
                let key = DeviceKey(insiderID: Self.user, udid: udid)
                let target = try await stage.store.roster.targets([key], .pushToStart, in: record.activity).found.first
                let slot = try #require(target?.slot, "\(udid.debugDescription)")
                slots.insert(slot)
                #expect(startTokens[Int(slot)] == token(number), "\(udid.debugDescription)")
                guard case .synced(_, slot: slot, lateEnd: nil) = try await sync(stage, udid, token(number + 50), id)
                else {
                    Issue.record("\(udid.debugDescription) was not synced")
                    continue
                }
            }
            #expect(slots.count == udids.count)
            let order = try #require(try await stage.begin(.update, stage.read(id)))
            let tokens = try await stage.page(0, order).tokens
            let expected: Set<[UInt8]> = Set(udids.indices.map { token($0 + 50) })
            #expect(Set(tokens.values) == expected)
            #expect(tokens.count == udids.count)
        }
    }

    @Test("A phone that the user has not registered, or got later, reaches nobody's slot", arguments: [0, 1, 2])
    func strangers(number: Int) async throws {
        try await StoreStage.run { stage in
            let stranger = ["stranger", UniqueID.random().description, "PHONE"][number]
            let key = DeviceKey(insiderID: Self.user, udid: stranger)
            try await stage.store.devices.importDevices(
                [(DeviceKey(insiderID: Self.user, udid: "phone"), StoreStage.device(), token(0))],
                tenantID: stage.tenant)
            let registration = StoredActivities.Registration(type: StoreStage.type, endsAt: stage.now + .seconds(3600))
            let id = try #require(
                try await stage.store.activities.register(registration, insiderIDs: [Self.user], tenantID: stage.tenant)
                    .activityID
            )
            _ = try await stage.begin(.start, stage.read(id))
            _ = try await sync(stage, "phone", token(1), id)
            for round in 0..<3 {
                // First unknown, then known by a token alone, then as a whole.
                if round == 1 {
                    try await stage.store.devices.putPushToStartToken(token(9), key, tenantID: stage.tenant, type: nil)
                }
                if round == 2 {
                    try await stage.store.devices.putDevice(StoreStage.device(), key, tenantID: stage.tenant)
                }
                #expect(try await sync(stage, stranger, token(2), id).word == "not found", "round \(round)")
                let newest = try await stage.store.reports.sync(
                    key, token: token(2), reference: .ofType(StoreStage.type), systemActivityID: nil,
                    tenantID: stage.tenant)
                #expect(newest.word == "not found", "round \(round)")
                let record = try await stage.read(id)
                #expect(try await stage.store.roster.targets([key], .update, in: record.activity).notInSegment == 1)
            }
            let order = try #require(try await stage.begin(.update, stage.read(id)))
            #expect(try await stage.page(0, order).tokens == [0: token(1)])
        }
    }

    @Test("No two devices of a user ever have the same number, whatever is written and dropped, in whatever order")
    func numbers() async throws {
        let seed = TestSeed.current
        print("seed: \(seed)")
        try await StoreStage.run { stage in
            var generator = SeededGenerator(seed: seed)
            let (store, tenant) = (stage.store, stage.tenant)
            var expected: [String: (number: UInt32, token: [UInt8]?, isDevice: Bool)] = [:]
            for step in 0..<600 {
                let udid = "phone-\(Int.random(in: 0..<90, using: &generator))"
                let key = DeviceKey(insiderID: Self.user, udid: udid)
                let field = UserRecord.deviceField(udid)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0:
                    let device = StoreStage.device("18.\(step)")
                    try await store.devices.putDevice(device, key, tenantID: tenant)
                    expected[udid, default: (0, nil, true)].isDevice = true
                case 1:
                    try await store.devices.putPushToStartToken(token(step), key, tenantID: tenant, type: nil)
                    expected[udid, default: (0, nil, false)].token = token(step)
                case 2:
                    try await store.devices.importDevices(
                        [(key, StoreStage.device("18.\(step)"), token(step))], tenantID: tenant)
                    expected[udid, default: (0, nil, true)].isDevice = true
                    expected[udid]?.token = token(step)
                default:
                    guard let entry = expected[udid], let dropped = entry.token else { continue }
                    let identity = IdentityRun.Entry(insiderID: Self.user, device: entry.number)
                    let call = store.devices.dropCall(
                        .init(owner: identity, token: dropped, asOf: stage.now), tenantID: tenant, types: [""])
                    #expect(try await store.run(call) == 1, "seed \(seed)")
                    expected[udid]?.token = nil
                }
                let value = try await store.value(
                    RedisCommand("HGET", Keys.user(tenant, Self.user), field)
                ).bytes
                let number = try #require(value.flatMap(DeviceRecord.number))
                let known = expected[udid]?.number ?? 0
                #expect(known == 0 || known == number, "seed \(seed)")
                expected[udid]?.number = number
            }
            #expect(Set(expected.values.map(\.number)).count == expected.count, "seed \(seed)")
            // Numbers of more than one byte are among them.
            #expect(expected.values.contains { $0.number > 127 }, "seed \(seed)")
            let user = try #require(try await store.devices.user(Self.user, tenantID: tenant))
            for (udid, entry) in expected {
                #expect((user.device(udid) != nil) == entry.isDevice, "seed \(seed)")
                let token = user.pushToStartToken(device: entry.number, type: "any").map { Array($0.token) }
                #expect(token == entry.token, "seed \(seed)")
            }
        }
    }

    @Test("An import of what is there brings new tokens to the rosters as well")
    func importAgain() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<3)
            let id = try await stage.register(0..<3).activity.id
            try await stage.store.devices.importDevices(
                [
                    (StoreStage.key(0), StoreStage.device(), [9]), (StoreStage.key(1), StoreStage.device(), nil),
                    (StoreStage.key(2), StoreStage.device(optIn: false), nil),
                ], tenantID: stage.tenant)
            #expect(try await stage.startTokens(id) == [0: [9], 1: StoreStage.token(1)])
        }
    }
}
