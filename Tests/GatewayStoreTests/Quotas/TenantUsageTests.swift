import LiveActivity
import Reactor
import RedisClient
import TestStore
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

    private func permit(
        _ stage: StoreStage, _ usage: TenantUsage, _ limits: TenantLimits, needsUser: Bool = true
    ) async throws(StoreError) -> MakingPermit {
        let stopped = Result<MakingPermit, StoreError>.failure(.unavailable("the reactor has stopped"))
        return try await stage.redis.reactor.call(stopped: stopped) { done in
            usage.wait("t", limits, needsUser: needsUser) { done($0) }
        }.get()
    }

    private func count(_ usage: TenantUsage, users: Int = 0, devices: Int = 0, fresh: Int = 0) {
        usage.settle(.none, Made(users: users, devices: devices, fresh: fresh), tenantID: "t", .standard)
    }

    @Test("What gateways have counted adds up within a second, and never falls below zero")
    func sums() async throws {
        try await StoreStage.run { stage in
            let pair = (0..<2).map { _ in TenantUsage(stage.store.context) }
            count(pair[0], users: 2, devices: 3, fresh: 3)
            count(pair[1], users: 1, devices: 1, fresh: 1)
            pair[1].removed(devices: 1, users: 0, tenantID: "t")
            for usage in pair { await usage.flush() }
            let counts = try await pair[0].counts("t", .standard)
            #expect(counts.users == 3 && counts.devices == 3 && counts.newDevices == 4)
            pair[0].removed(devices: 10, users: 10, tenantID: "t")
            // The timer flushes.
            while try await pair[1].counts("t", .standard).users != 0 { try await stage.store.ping() }
            #expect(try await pair[1].counts("t", .standard).devices == 0)
        }
    }

    @Test("What one gateway may make no other one may, and what it has not made it gives back")
    func permits() async throws {
        try await StoreStage.run { stage in
            let given = limits((.devices, 4), (.users, 3))
            let pair = (0..<2).map { _ in TenantUsage(stage.store.context) }
            var held: [MakingPermit] = []
            for _ in 0..<3 { held.append(try await permit(stage, pair[0], given)) }
            #expect(held.allSatisfy { $0.text == "u" })
            // Room for one device and no user is left.
            await #expect(throws: StoreError.quotaReached(.users, wait: nil)) {
                try await permit(stage, pair[1], given)
            }
            let device = try await permit(stage, pair[1], given, needsUser: false)
            #expect(device.text == "d")
            await #expect(throws: StoreError.quotaReached(.devices, wait: nil)) {
                try await permit(stage, pair[0], given, needsUser: false)
            }
            // A known device gives its permit back unused.
            pair[0].settle(held[0], .nothing, tenantID: "t", given)
            pair[0].settle(held[1], Made(users: 1, devices: 1, fresh: 1), tenantID: "t", given)
            pair[0].settle(held[2], Made(users: 0, devices: 1, fresh: 1), tenantID: "t", given)
            pair[1].settle(device, Made(users: 0, devices: 1, fresh: 1), tenantID: "t", given)
            for usage in pair { await usage.flush() }
            let late = TenantUsage(stage.store.context)
            let last = try await permit(stage, late, given)
            #expect(last.text == "u")
            late.settle(last, Made(users: 1, devices: 1, fresh: 1), tenantID: "t", given)
            await late.flush()
            let counts = try await late.counts("t", given)
            #expect(counts.users == 2 && counts.devices == 4 && counts.newDevices == 4)
            let left = try await stage.store.value(RedisCommand("HKEYS", Keys.usage("t"))).array ?? []
            #expect(left.compactMap(\.string).filter { $0.hasPrefix("l:") }.isEmpty)
            #expect(late.take("t", limits((.devices, 0), (.users, 0), (.newDevices, 0))) == .any)
        }
    }

    @Test("Any number of gateways let in exactly as many new devices as a minute may have, whatever is under way")
    func exactly() async throws {
        try await StoreStage.run { stage in
            let limit = 60
            let given = limits((.newDevices, limit))
            let stores = [stage.store] + (0..<2).map { _ in GatewayStore(redis: stage.redis) }
            var (made, number, longest) = (0, 0, TimeCore.TimeInterval.zero)
            // Ends when the minute is used up, and not only permits that another gateway holds.
            while longest < .seconds(30) {
                let results = await withTaskGroup(of: TimeCore.TimeInterval?.self) { group in
                    for store in stores {
                        for _ in 0..<15 {
                            number += 1
                            let key = StoreStage.key(number)
                            group.addTask {
                                do throws(StoreError) {
                                    try await store.devices.putDevice(
                                        StoreStage.device(), key, tenantID: stage.tenant, limits: given)
                                    return nil
                                } catch .quotaReached(.newDevices, let wait?) {
                                    return wait
                                } catch {
                                    Issue.record("\(error)")
                                    return .seconds(60)
                                }
                            }
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                made += results.count { $0 == nil }
                longest = results.compactMap(\.self).max() ?? .zero
            }
            #expect(made == limit)
            #expect(try await stage.keys("fanfare:{u:*}").count == limit)
            #expect(longest <= .seconds(62))
            // A known device is not limited.
            try await stores[1].devices.putDevice(
                StoreStage.device("18.3"), StoreStage.key(1), tenantID: stage.tenant, limits: given)
        }
    }

    @Test("What a gateway was given and has not used is another one's within seconds")
    func givenBack() async throws {
        try await StoreStage.run { stage in
            let given = limits((.newDevices, 80))
            let pair = [stage.store, GatewayStore(redis: stage.redis)]
            var number = 0
            func put(_ store: GatewayStore) async throws -> Bool {
                number += 1
                do {
                    try await store.devices.putDevice(
                        StoreStage.device(), StoreStage.key(number), tenantID: stage.tenant, limits: given)
                    return true
                } catch StoreError.quotaReached(.newDevices, _) {
                    return false
                }
            }
            #expect(try await put(pair[0]))
            var made = 1
            while try await put(pair[1]) { made += 1 }
            #expect(made < 80, "the first one was given no more than it needed")
            while made < 80 {
                if try await put(pair[1]) { made += 1 }
            }
            #expect(try await !put(pair[1]))
        }
    }

    @Test(
        "What an import makes counts at once where it runs, but not as a minute's; beyond the limits it makes nothing")
    func imports() async throws {
        try await StoreStage.run { stage in
            let given = limits((.devices, 5), (.users, 4), (.newDevices, 1))
            func put(_ keys: [DeviceKey]) async throws(StoreError) {
                try await stage.store.devices.importDevices(
                    keys.map { ($0, StoreStage.device(), nil) }, tenantID: stage.tenant, limits: given)
            }
            try await put((0..<4).map { StoreStage.key($0) })
            // The process counts new devices before it reports them to the store.
            await #expect(throws: StoreError.quotaReached(.users, wait: nil)) { try await put([StoreStage.key(4)]) }
            try await put([StoreStage.key(0, 1)])
            await #expect(throws: StoreError.quotaReached(.devices, wait: nil)) {
                try await put([StoreStage.key(1, 1)])
            }
            try await put([StoreStage.key(0, 1)])
            #expect(try await stage.keys("fanfare:{u:*}").count == 4)
            await stage.store.usage.flush()
            let counts = try await stage.store.usage.counts(stage.tenant, given)
            #expect(counts.users == 4 && counts.devices == 5 && counts.newDevices == 0)
            // The store's counts limit the process as well.
            await #expect(throws: StoreError.quotaReached(.devices, wait: nil)) {
                try await put([StoreStage.key(1, 1)])
            }
        }
    }

    @Test("A crossing is told once, and again only after the use was well below")
    func crossings() async throws {
        try await StoreStage.run { stage in
            let given = limits((.devices, 10))
            let usage = TenantUsage(stage.store.context)
            let (told, continuation) = AsyncStream.makeStream(of: QuotaCrossing.self)
            usage.onCrossing { crossings, _ in for crossing in crossings { continuation.yield(crossing) } }
            _ = usage.take("t", given)
            for change in [7, 1, 1, -1, 1, 1, 1, -3, 3, -6, 6] {
                if change > 0 {
                    count(usage, devices: change)
                } else {
                    usage.removed(devices: -change, users: 0, tenantID: "t")
                }
                await usage.flush()
            }
            continuation.finish()
            // 8 is near the limit. Reaching it counts again after a drop to 8, and from 5 it replaces being near.
            let words = await told.reduce(into: []) { $0.append("\($1.limit.name) \($1.used) \($1.isReached)") }
            #expect(words == ["devices 8 false", "devices 10 true", "devices 11 true", "devices 11 true"], "\(words)")
        }
    }

    @Test("Counts that a stalled store has added, and answers too late, are added once")
    func stalled() async throws {
        try await StoreStage.run(commandDeadline: .milliseconds(300)) { stage in
            let usage = TenantUsage(stage.store.context)
            try await stage.store.ping()
            count(usage, users: 20, devices: 20, fresh: 20)
            // The paused server executes the command when it resumes.
            stage.backend.pause()
            await usage.flush()
            stage.backend.resume()
            count(usage, users: 1, devices: 1, fresh: 1)
            func counts() async -> (users: Int, devices: Int, newDevices: Int)? {
                try? await usage.counts("t", .standard)
            }
            while await counts() == nil {}
            await usage.flush()
            let all = try await usage.counts("t", .standard)
            #expect(all == (21, 21, 21))
        }
    }

    @Test("A gateway that does not know a tenant's limits has no crossing told, and none told again")
    func unknownLimits() async throws {
        try await StoreStage.run { stage in
            let given = limits((.devices, 10))
            let (told, continuation) = AsyncStream.makeStream(of: QuotaCrossing.self)
            let (usage, other) = (TenantUsage(stage.store.context), TenantUsage(stage.store.context))
            for gateway in [usage, other] {
                gateway.onCrossing { crossings, _ in for crossing in crossings { continuation.yield(crossing) } }
            }
            _ = usage.take("t", given)
            count(usage, devices: 8)
            await usage.flush()
            for _ in 0..<3 {
                other.removed(devices: 1, users: 0, tenantID: "t")
                await other.flush()
                count(usage, devices: 1)
                await usage.flush()
            }
            continuation.finish()
            let words = await told.reduce(into: []) { $0.append("\($1.limit.name) \($1.used) \($1.isReached)") }
            #expect(words == ["devices 8 false"], "\(words)")
        }
    }

    @Test("A recount makes the counts right, whatever they were")
    func recount() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1300)
            try await stage.store.devices.putDevice(
                StoreStage.device(), StoreStage.key(7, 1), tenantID: stage.tenant)
            // Neither another tenant's devices nor other keys of a user count.
            try await stage.store.devices.putDevice(StoreStage.device(), StoreStage.key(1), tenantID: "tenant2")
            try await stage.store.opened.enter("user-1", .random(), tenantID: stage.tenant, .standard)
            let usage = stage.store.usage
            await usage.flush()
            for (users, devices) in [(0, 0), (5000, 3), (1300, 1301)] {
                _ = try await stage.store.value(
                    RedisCommand("HSET", Keys.usage(stage.tenant), "users", users, "devices", devices))
                let recount = try await usage.recount(stage.tenant, .standard)
                #expect(recount.users == 1300 && recount.devices == 1301)
                #expect(recount.countedUsers == users && recount.countedDevices == devices)
                let counts = try await usage.counts(stage.tenant, .standard)
                #expect(counts.users == 1300 && counts.devices == 1301)
            }
        }
    }

    private func eventually(_ condition: () async -> Bool) async -> Bool {
        for _ in 0..<3000 {
            if await condition() { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    @Test(
        "A count is corrected by what is missing, unless it changed by more than half of that",
        arguments: [
            (20, 0, 20), (-20, 10, -20), (20, 11, nil), (0, 0, 0), (0, -1, nil),
        ])
    func correction(_ missing: Int, _ change: Int, _ correction: Int?) {
        #expect(TenantUsage.correction(missing, change: change) == correction)
    }

    @Test("When a gateway is lost between erasures and its report, another one recounts the tenant")
    func lostReport() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<60)
            let usage = stage.store.usage
            await usage.flush()
            // The announcement expires at once by the store's clock.
            let past = WallTime(milliseconds: stage.now.milliseconds - 60_000)
            let client = RedisClient(reactor: stage.reactor, endpoint: stage.backend.endpoint)
            let lost = GatewayStore(redis: client, wallClock: { past })
            for number in 0..<8 {
                _ = try await lost.erasures.begin(StoreStage.key(number).insiderID, tenantID: stage.tenant)
            }
            await client.shutdown()
            let before = try await usage.counts(stage.tenant, .standard)
            try #require(before.users == 60 && before.devices == 60)
            stage.store.erasures.checkForLostGateways(stage.tenant)
            #expect(
                await eventually {
                    let counts = try? await usage.counts(stage.tenant, .standard)
                    return counts?.users == 52 && counts?.devices == 52
                })
            // No trace of the loss is left, and nothing is recounted again.
            await usage.flush()
            #expect(
                await eventually {
                    let fields = try? await stage.store.value(RedisCommand("HKEYS", Keys.usage(stage.tenant)))
                    let names = fields?.array?.compactMap(\.string) ?? ["lost"]
                    return !names.contains { $0 == "lost" || $0.hasPrefix("l:") }
                })
        }
    }

    @Test("An erasure of a user who is not known leaves no announcement, so nothing is recounted for it")
    func withdrawn() async throws {
        try await StoreStage.run { stage in
            _ = try await stage.store.erasures.begin("stranger", tenantID: stage.tenant)
            await stage.store.usage.flush()
            let fields = try await stage.store.value(RedisCommand("HKEYS", Keys.usage(stage.tenant)))
            let names = fields.array?.compactMap(\.string) ?? []
            #expect(!names.contains { $0 == "lost" || $0.hasPrefix("l:") }, "\(names)")
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
            func mark() async throws -> Bool {
                try await stage.store.run(
                    Scripts.markReached(user: Keys.user(stage.tenant, key.insiderID), field: field))
            }
            #expect(try await !mark())
            try await stage.store.devices.putDevice(StoreStage.device(), key, tenantID: stage.tenant)
            #expect(try await !DeviceRecord.isReached(record()))
            #expect(try await mark())
            #expect(try await !mark())
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
