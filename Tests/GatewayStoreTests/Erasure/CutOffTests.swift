import LiveActivity
import Reactor
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("What gateways leave that are killed between two steps, or come behind an erasure")
struct CutOffTests {
    private static let key = DeviceKey(insiderID: "anna/ä:1", udid: "phone-of-anna")
    private static let tokens = (1...3).map { [UInt8](repeating: UInt8($0), count: 32) }

    /// Writes and claims a token, and stops there like a killed gateway.
    private func cutOffChange(to token: [UInt8], _ stage: StoreStage) async throws {
        let report = TokenReport(
            key: Self.key, token: token, type: "", record: [], tenantID: stage.tenant, receivedAt: stage.now,
            limits: .standard)
        let store = stage.store
        _ = try await store.run(store.devices.putDeviceCall(report, .none))
        _ = try await store.devices.importing(stage.tenant).claim([(report.index, report.owner)], reportedAt: stage.now)
        stage.advance(.seconds(1))
    }

    private func owned(_ stage: StoreStage) async throws -> Int {
        try await stage.keys("fanfare:{o:*").count
    }

    /// The number of replaced tokens in the user's hash that still have an owner in the index.
    private func replaced(_ stage: StoreStage) async throws -> Int {
        let user = Keys.user(stage.tenant, Self.key.insiderID)
        return try await stage.store.value(RedisCommand("HKEYS", user)).array?
            .count { $0.bytes?.first == UInt8(ascii: "r") } ?? 0
    }

    private func add(_ stage: StoreStage) async throws {
        try await stage.store.devices.importDevices(
            [(Self.key, StoreStage.device(), Self.tokens[0])], tenantID: stage.tenant)
        stage.advance(.seconds(1))
    }

    @Test(
        "A token that was replaced is nobody's after the erasure, though its gateway was killed before it said so",
        arguments: [true, false])
    func replacedToken(isOfUser: Bool) async throws {
        try await StoreStage.run { stage in
            try await add(stage)
            for token in Self.tokens[1...] { try await cutOffChange(to: token, stage) }
            #expect(try await owned(stage) == 3)
            #expect(try await replaced(stage) == 2)
            let erasures = stage.store.erasures
            let start =
                isOfUser
                ? try await erasures.begin(Self.key.insiderID, tenantID: stage.tenant)
                : try await erasures.begin(Self.key, tenantID: stage.tenant)
            var report = ErasureReport()
            try await erasures.forgetRest(start.erasure, &report)
            #expect(report.tokens == 1)
            #expect(try await owned(stage) == 0)
        }
    }

    @Test("The device's next change goes on with what was left, and leaves nothing itself")
    func nextChange() async throws {
        try await StoreStage.run { stage in
            try await add(stage)
            try await cutOffChange(to: Self.tokens[1], stage)
            #expect(try await owned(stage) == 2)
            #expect(try await replaced(stage) == 1)
            try await stage.store.devices.putPushToStartToken(
                Self.tokens[2], Self.key, tenantID: stage.tenant, type: nil)
            #expect(try await owned(stage) == 1)
            #expect(try await replaced(stage) == 0)
        }
    }

    @Test("A token that the device has again meanwhile stays its own")
    func hasItAgain() async throws {
        try await StoreStage.run { stage in
            try await add(stage)
            try await cutOffChange(to: Self.tokens[1], stage)
            try await stage.store.devices.putPushToStartToken(
                Self.tokens[0], Self.key, tenantID: stage.tenant, type: nil)
            #expect(try await owned(stage) == 1)
            var index = TokenIndex(Self.tokens[0], tenantID: stage.tenant)
            #expect(try await stage.keys(index.key(level: 0)).count == 1)
            index = TokenIndex(Self.tokens[1], tenantID: stage.tenant)
            #expect(try await stage.keys(index.key(level: 0)).isEmpty)
        }
    }

    @Test("A token that made way is nobody's after the erasure, though its gateway was killed before it said so")
    func droppedToken() async throws {
        try await StoreStage.run { stage in
            try await add(stage)
            let devices = stage.store.devices
            func dead() async throws -> StoredDevices.DeadStartToken {
                let number = try await devices.user(Self.key.insiderID, tenantID: stage.tenant)?.devices.first?.number
                return StoredDevices.DeadStartToken(
                    owner: IdentityRun.Entry(insiderID: Self.key.insiderID, device: try #require(number)),
                    token: Self.tokens[0], asOf: stage.now)
            }
            let dropped = try await stage.store.run(
                devices.dropCall(dead(), tenantID: stage.tenant, types: [""]))
            #expect(dropped == 1)
            #expect(try await owned(stage) == 1)
            try await stage.removeDevice(Self.key)
            #expect(try await owned(stage) == 0)

            // A drop that completes leaves nothing.
            stage.advance(.seconds(1))
            try await add(stage)
            try await devices.drop([dead()], tenantID: stage.tenant, types: [""])
            #expect(try await owned(stage) == 0)
            #expect(try await replaced(stage) == 0)
        }
    }

    @Test(
        "The activities that an erased user is counted in go with the user, and nobody is counted behind that",
        arguments: [true, false])
    func opened(isOfUser: Bool) async throws {
        try await StoreStage.run { stage in
            try await add(stage)
            let opened = Keys.opened(stage.tenant, Self.key.insiderID)
            func enter() async throws {
                try await stage.store.opened.enter(Self.key.insiderID, .random(), tenantID: stage.tenant, .standard)
            }
            try await enter()
            #expect(try await stage.keys(opened).count == 1)
            let erasures = stage.store.erasures
            _ =
                isOfUser
                ? try await erasures.begin(Self.key.insiderID, tenantID: stage.tenant)
                : try await erasures.begin(Self.key, tenantID: stage.tenant)
            #expect(try await stage.keys(opened).isEmpty)
            try await enter()
            #expect(try await stage.keys(opened).isEmpty)
        }
    }

    @Test(
        "A token that is written while its device is erased is answered as if nobody knew the device, and does not stay",
        arguments: [Device.Platform.ios, .android])
    func syncBehindErasure(platform: Device.Platform) async throws {
        try await StoreStage.run { stage in
            let (store, tenant) = (stage.store, stage.tenant)
            var device = StoreStage.device()
            device.platform = platform
            let key = StoreStage.key(0)
            try await store.devices.importDevices([(key, device, Array("token".utf8))], tenantID: tenant)
            let record = try await stage.started(0..<1)
            let user = try #require(try await store.devices.user(key.insiderID, tenantID: tenant))
            let slot = try #require(user.membership(in: record.activity.id)?.slots.first?.slot)
            let start = try await store.erasures.begin(key.insiderID, tenantID: tenant)
            let place = try #require(try await store.erasures.places(start.erasure)?.first)
            #expect(place.synced.isEmpty)
            // The sync found its slot before the erasure.
            let stopped = Result<SyncOutcome, StoreError>.failure(.unavailable("stopped"))
            let outcome = try await stage.reactor.call(stopped: stopped) { done in
                SyncCall(
                    store.reports, key, tenantID: tenant, token: [1, 2, 3], systemActivityID: "CARD-1",
                    completion: { done($0.result) }
                ).begin(record, slot: slot)
            }.get()
            #expect(outcome.word == "not found")
            var report = ErasureReport()
            try await store.erasures.leave(place, start.erasure, &report)
            #expect(try await store.roster.slotsWithToken([slot], .update, in: record.activity).isEmpty)
            #expect(try await stage.keys(Keys.user(tenant, key.insiderID)).isEmpty)
        }
    }
}
