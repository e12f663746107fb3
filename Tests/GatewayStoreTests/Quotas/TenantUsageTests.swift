import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("What tenants use")
struct TenantUsageTests {
    private func limits(_ values: (TenantLimits.Limit, Int)...) -> TenantLimits {
        var limits = TenantLimits.standard
        for (limit, value) in values { limits.set(limit, value) }
        return limits
    }

    @Test("What gateways have counted adds up within a second, and never falls below zero")
    func sums() async throws {
        try await StoreStage.run { stage in
            let pair = (0..<2).map { _ in TenantUsage(stage.store.context) }
            pair[0].made(devices: 3, users: 2, tenantID: "t")
            pair[1].made(devices: 1, users: 1, tenantID: "t")
            pair[1].removed(devices: 1, users: 0, tenantID: "t")
            for usage in pair { await usage.flush() }
            let counts = try await pair[0].counts("t", .standard)
            #expect(counts.users == 3 && counts.devices == 3 && counts.newDevices == 4)
            pair[0].removed(devices: 10, users: 10, tenantID: "t")
            // Nobody flushes: the timer does.
            while try await pair[1].counts("t", .standard).users != 0 { try await stage.store.ping() }
            #expect(try await pair[1].counts("t", .standard).devices == 0)
        }
    }

    @Test("A gateway that comes later is told with its first look that nothing new is let in")
    func late() async throws {
        try await StoreStage.run { stage in
            let given = limits((.devices, 4), (.users, 3))
            let early = TenantUsage(stage.store.context)
            _ = early.permit("t", given)
            early.made(devices: 3, users: 3, tenantID: "t")
            await early.flush()
            #expect(early.permit("t", given).text == "d")
            early.made(devices: 1, users: 0, tenantID: "t")
            await early.flush()
            #expect(early.permit("t", given).text == "" && early.permit("t", given).deviceRefusal == .devices)
            let late = TenantUsage(stage.store.context)
            #expect(late.permit("t", given).text == "u")
            try await stage.store.ping()
            #expect(late.permit("t", given).text == "")
            #expect(late.permit("t", limits((.devices, 0), (.users, 0))).text == "u")
        }
    }

    @Test("A crossing is told once, and again only after the use was well below")
    func crossings() async throws {
        try await StoreStage.run { stage in
            let given = limits((.devices, 10))
            let usage = TenantUsage(stage.store.context)
            let (told, continuation) = AsyncStream.makeStream(of: QuotaCrossing.self)
            usage.onCrossing { crossings, _ in for crossing in crossings { continuation.yield(crossing) } }
            _ = usage.permit("t", given)
            for change in [7, 1, 1, -1, 1, 1, 1, -3, 3, -6, 6] {
                if change > 0 {
                    usage.made(devices: change, users: 0, tenantID: "t")
                } else {
                    usage.removed(devices: -change, users: 0, tenantID: "t")
                }
                await usage.flush()
            }
            continuation.finish()
            // 8 is near, 10 reached; from 8 again to 11; from 5 near and reached at once, which tells the greater.
            let words = await told.reduce(into: []) { $0.append("\($1.limit.name) \($1.used) \($1.isReached)") }
            #expect(words == ["devices 8 false", "devices 10 true", "devices 11 true", "devices 11 true"], "\(words)")
        }
    }

    @Test("That a push has reached a device stays known with its next reports, and it is told once")
    func reached() async throws {
        try await StoreStage.run { stage in
            let key = StoreStage.key(1)
            let field = UserRecord.deviceField(key.udid)
            func record() async throws -> [UInt8] {
                let command = RedisCommand("HGET", Keys.user(stage.tenant, key.insiderID), field)
                return try await stage.store.value(command).bytes ?? []
            }
            func mark() async throws -> Int64? {
                try await stage.store.run(
                    Scripts.markReached, [Keys.user(stage.tenant, key.insiderID)], [field]
                ).int
            }
            #expect(try await mark() == 0)
            try await stage.store.devices.putDevice(StoreStage.device(), key, tenantID: stage.tenant)
            #expect(try await !DeviceRecord.isReached(record()))
            #expect(try await mark() == 1)
            #expect(try await mark() == 0)
            stage.advance(.seconds(60))
            try await stage.store.devices.putDevice(StoreStage.device("18.2"), key, tenantID: stage.tenant)
            #expect(try await DeviceRecord.isReached(record()))
            #expect(try await DeviceRecord.reportedAt(record())?.milliseconds == stage.now.milliseconds)
            #expect(try await DeviceRecord.decode(record())?.osVersion == OSVersion("18.2"))
            let user = try await stage.store.devices.user(key.insiderID, tenantID: stage.tenant)
            #expect(user?.device(key.udid)?.isReached == true)
        }
    }

    @Test("Of a user's devices one that was never reached goes first, then the one not heard of for longest")
    func leastNeeded() {
        func device(_ udid: String, reached: Bool, _ time: Int64) -> UserOccupancy.Device {
            .init(udid: udid, number: 1, isReached: reached, heardAt: WallTime(seconds: time))
        }
        let devices = [
            device("old", reached: true, 1), device("new", reached: true, 9), device("made up", reached: false, 8),
            device("made up before", reached: false, 7),
        ]
        #expect(
            devices.sorted { $0.isLessNeeded(than: $1) }.map(\.udid) == ["made up before", "made up", "old", "new"])
    }

    @Test("Of tokens the oldest of the device with the most makes way")
    func leastNeededToken() {
        func token(_ device: UInt32, _ type: String, _ seconds: Int64) -> RedisField {
            (
                UserRecord.tokenField(device: device, type),
                UserRecord.encodeToken([1], reportedAt: WallTime(seconds: seconds))
            )
        }
        let occupancy = UserOccupancy([
            token(1, "", 1), token(2, "a", 5), token(2, "b", 4), token(2, "c", 6), (Array("v".utf8), [0x31]),
        ])
        #expect(occupancy.leastNeededToken?.type == "b" && occupancy.leastNeededToken?.device == 2)
    }
}
