import LiveActivity
import RedisClient
import RosterCore
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("One token, one phone")
struct TokenOwnerTests {
    private static let token: [UInt8] = [7, 7, 7]

    private func report(
        _ stage: StoreStage, _ user: Int, _ seconds: Int64 = 0, token: [UInt8] = TokenOwnerTests.token,
        type: String? = nil
    ) async throws {
        try await stage.store.devices.putPushToStartToken(
            token, StoreStage.key(user), tenantID: stage.tenant, type: type,
            receivedAt: WallTime(milliseconds: stage.now.milliseconds + seconds * 1000))
    }

    /// The users whom a start would reach by the token.
    private func owners(_ stage: StoreStage, _ users: Range<Int>, _ token: [UInt8] = TokenOwnerTests.token)
        async throws -> [Int]
    {
        var owners: [Int] = []
        for user in users {
            let key = StoreStage.key(user)
            let record = try await stage.store.devices.user(key.insiderID, tenantID: stage.tenant)
            if record?.pushToStartToken(udid: key.udid, type: StoreStage.type)?.token.elementsEqual(token) == true {
                owners.append(user)
            }
        }
        return owners
    }

    private func addLogins(_ stage: StoreStage, _ users: Range<Int>) async throws {
        try await stage.store.devices.importDevices(
            users.map { (StoreStage.key($0), StoreStage.device(), nil) }, tenantID: stage.tenant)
    }

    @Test("A token is the login's that reported it last, and comes back with the next report")
    func swapping() async throws {
        try await StoreStage.run { stage in
            try await addLogins(stage, 0..<3)
            for (round, user) in [0, 1, 0, 0, 2, 1].enumerated() {
                try await report(stage, user, Int64(round) - 20)
                #expect(try await owners(stage, 0..<3) == [user], "round \(round)")
            }
            // Delayed on its way.
            try await report(stage, 0, -18)
            #expect(try await owners(stage, 0..<3) == [1])
        }
    }

    @Test("Who registers gets one device for one token; whoever is without it is skipped and waits for it")
    func registering() async throws {
        try await StoreStage.run { stage in
            try await addLogins(stage, 0..<2)
            try await report(stage, 0, -3)
            try await report(stage, 1, -2)
            let registration = StoredActivities.Registration(type: StoreStage.type, endsAt: stage.now + .seconds(600))
            let report = try await stage.store.activities.register(
                registration, insiderIDs: StoreStage.ids(0..<2), tenantID: stage.tenant)
            #expect(report.devices == 1 && report.users == 1 && report.skipped[.noPushToStartToken] == 1)
            #expect(report.isPartial)
            let id = try #require(report.activityID)
            #expect(try await Array(stage.startTokens(id).values) == [Self.token])
            #expect(try await stage.store.roster.reach(.pushToStart, in: stage.read(id)).holders == 1)
            let alone = try await stage.store.activities.register(
                registration, insiderIDs: StoreStage.ids(0..<1), tenantID: stage.tenant)
            #expect(alone.activityID == nil && alone.skipped[.noPushToStartToken] == 1)
            // The phone changes hands before the start: twice there is one cell with the token, each time another one.
            let before = try await stage.startTokens(id)
            try await self.report(stage, 0, -1)
            let between = try await stage.startTokens(id)
            #expect(between.count == 1 && between != before)
            #expect(try await stage.store.roster.reach(.pushToStart, in: stage.read(id)).holders == 1)
            try await self.report(stage, 1)
            #expect(try await stage.startTokens(id) == before)
        }
    }

    @Test("Logins that are registered as a stored segment, or added, wait as well", arguments: [false, true])
    func otherWays(isSegment: Bool) async throws {
        try await StoreStage.run { stage in
            try await addLogins(stage, 0..<2)
            try await stage.addDevices(2..<4)
            try await report(stage, 0, -3)
            try await report(stage, 1, -2)
            let registration = StoredActivities.Registration(type: StoreStage.type, endsAt: stage.now + .seconds(600))
            let id: UniqueID
            if isSegment {
                try await stage.put("all", StoreStage.ids(0..<4))
                guard
                    case .registered(let report) = try await stage.store.activities.register(
                        registration, segment: "all", tenantID: stage.tenant, checkpoint: {})
                else {
                    Issue.record("there is a segment")
                    return
                }
                #expect(report.devices == 3)
                id = try #require(report.activityID)
            } else {
                id = try await stage.register(2..<3).activity.id
                guard
                    case .changed(let report) = try await stage.store.activities.addUsers(StoreStage.ids(0..<4), to: id)
                else {
                    Issue.record("it is registered")
                    return
                }
                #expect(report.devices == 2 && report.skipped[.noPushToStartToken] == 1)
            }
            let before = try await stage.startTokens(id)
            #expect(before.count == 3)
            #expect(try await stage.store.roster.reach(.pushToStart, in: stage.read(id)).holders == 3)
            try await self.report(stage, 0)
            let after = try await stage.startTokens(id)
            #expect(after.count == 3 && after != before && Set(after.values) == Set(before.values))
        }
    }

    @Test(
        "Two devices of one user share no token either, and a token of one type is the same phone's as a typeless one")
    func devicesOfOneUser() async throws {
        try await StoreStage.run { stage in
            let keys = [StoreStage.key(0, 0), StoreStage.key(0, 1)]
            try await stage.store.devices.importDevices(
                keys.map { ($0, StoreStage.device(), Self.token) }, tenantID: stage.tenant)
            func owners() async throws -> [String] {
                let user = try await stage.store.devices.user(keys[0].insiderID, tenantID: stage.tenant)
                return keys.map(\.udid).filter { user?.pushToStartToken(udid: $0, type: "T") != nil }
            }
            #expect(try await owners() == [keys[1].udid])
            try await stage.store.devices.putPushToStartToken(Self.token, keys[0], tenantID: stage.tenant, type: "T")
            #expect(try await owners() == [keys[0].udid])
        }
    }

    @Test("A report that broke off after its claim goes on when it is repeated")
    func brokenOff() async throws {
        try await StoreStage.run { stage in
            try await addLogins(stage, 0..<3)
            try await report(stage, 0, -10)
            // All that the gateways got done before they were killed.
            for user in [1, 2] {
                let report = TokenReport(
                    key: StoreStage.key(user), token: Self.token, type: "", record: [], tenantID: stage.tenant,
                    receivedAt: stage.now, limits: .standard)
                _ = try await stage.store.run(stage.store.devices.putDeviceCall(report, .any))
                let devices = stage.store.devices.importing(stage.tenant)
                _ = try await devices.claim([(report.index, report.owner)], reportedAt: stage.now)
            }
            #expect(try await owners(stage, 0..<3) == [0, 1, 2])
            try await report(stage, 2)
            #expect(try await owners(stage, 0..<3) == [2])
        }
    }

    @Test("A bucket that was full once is passed over, and what is in it is found there")
    func levels() async throws {
        try await StoreStage.run { stage in
            try await addLogins(stage, 0..<4)
            let index = TokenIndex(Self.token, tenantID: stage.tenant)
            let keys = (0..<TokenIndex.levels).map { index.key(level: $0) }
            func fields() async throws -> [Int64?] {
                try await stage.store.values(keys.map { RedisCommand("HLEN", $0) }).map(\.int)
            }
            try await report(stage, 0, -10)
            #expect(try await fields() == [1, 0, 0])
            _ = try await stage.store.value(RedisCommand("HSET", keys[0], "f", ""))
            try await report(stage, 1, -9)
            #expect(try await fields() == [2, 0, 0])
            #expect(try await owners(stage, 0..<4) == [1])
            // A full bucket, with its mark.
            let full = Int64(TokenIndex.capacity + 1)
            _ = try await stage.store.value(RedisCommand("DEL", keys[0]))
            for number in 0..<TokenIndex.capacity {
                _ = try await stage.store.value(RedisCommand("HSET", keys[0], "entry-\(number)", "x"))
            }
            _ = try await stage.store.value(RedisCommand("HSET", keys[1], "f", ""))
            for user in [2, 3] {
                try await report(stage, user, Int64(user) - 8)
                #expect(try await fields() == [full, 1, 1])
            }
            #expect(try await owners(stage, 2..<4) == [3])
            try await report(stage, 3, token: [8])
            #expect(try await fields() == [full, 1, 0], "the token that was replaced is forgotten")
        }
    }

    /// The number of entries in each bucket that may have two tokens of the tests.
    private func entries(_ stage: StoreStage) async throws -> [String: Int64] {
        var entries: [String: Int64] = [:]
        for token in [Self.token, [8]] {
            let index = TokenIndex(token, tenantID: stage.tenant)
            for level in 0..<TokenIndex.levels {
                let count = try await stage.store.value(RedisCommand("HLEN", index.key(level: level))).int ?? 0
                if count > 0 { entries[index.key(level: level)] = count }
            }
        }
        return entries
    }

    @Test("A dead token goes with the entry that says whose it was; one that was reported since, or is kept, does not")
    func dead() async throws {
        try await StoreStage.run { stage in
            try await addLogins(stage, 0..<1)
            func drop(_ seconds: Int64, type: String = "T") async throws {
                let user = try #require(try await stage.store.devices.user("user-0", tenantID: stage.tenant))
                let number = try #require(user.device(StoreStage.key(0).udid)).number
                let dead = StoredDevices.DeadStartToken(
                    owner: .init(insiderID: "user-0", device: number), token: Self.token,
                    asOf: WallTime(milliseconds: stage.now.milliseconds + seconds * 1000))
                try await stage.store.devices.drop([dead], tenantID: stage.tenant, types: ["", type])
            }
            try await report(stage, 0, -9)
            try await drop(-10)
            #expect(try await entries(stage).values.reduce(0, +) == 1)
            #expect(try await owners(stage, 0..<1) == [0])
            try await drop(-9)
            #expect(try await entries(stage).isEmpty)
            #expect(try await owners(stage, 0..<1).isEmpty)
            // For another type the device still has it.
            try await report(stage, 0, -8)
            try await report(stage, 0, -8, type: "other")
            try await drop(-7)
            #expect(try await entries(stage).values.reduce(0, +) == 1)
            try await drop(-7, type: "other")
            // The type's own field is the last one.
            #expect(try await entries(stage).isEmpty)
            // A report overtakes what is done about the dead token.
            try await report(stage, 0, -6)
            let index = TokenIndex(Self.token, tenantID: stage.tenant)
            let asOf = WallTime(milliseconds: stage.now.milliseconds - 7000)
            let owner = TokenOwner(StoreStage.key(0))
            let released = try await stage.store.values(index.release(by: owner, asOf: asOf)).map(\.int)
            #expect(released == [0, 0, 0])
        }
    }

    @Test("A token that is released is its former owner's again, whose own release is not held up by the other's time")
    func formerOwner() async throws {
        try await StoreStage.run { stage in
            let index = TokenIndex([1, 2, 3], tenantID: stage.tenant)
            let (anna, xaver, bob) = (StoreStage.key(0), StoreStage.key(1), StoreStage.key(2))
            func time(_ seconds: Int64) -> WallTime {
                WallTime(milliseconds: stage.now.milliseconds + 1000 * seconds)
            }
            func claim(_ key: DeviceKey, _ seconds: Int64) async throws -> TokenClaim? {
                let claim = index.claim(for: TokenOwner(key), reportedAt: time(seconds), level: 0)
                return TokenClaim(try await stage.store.run(claim), level: 0)
            }
            func release(_ key: DeviceKey, _ seconds: Int64) async throws -> Int64? {
                try await stage.store.values(index.release(by: TokenOwner(key), asOf: time(seconds))).first?.int
            }
            func entry() async throws -> [UInt8] {
                try await stage.redis.value(RedisCommand("HVALS", index.key(level: 0))).array?.first?.bytes ?? []
            }
            _ = try await claim(anna, -9)
            guard case .owned = try await claim(xaver, -5) else { return #expect(Bool(false)) }
            // The report was refused, so its claim is released.
            #expect(try await release(xaver, -5) == 1)
            #expect(!(try await entry()).contains(TokenOwner(xaver).bytes))
            #expect((try await entry()).contains(TokenOwner(anna).bytes))
            guard case .lost = try await claim(bob, -6) else { return #expect(Bool(false)) }
            #expect(try await release(xaver, 0) == 0)
            #expect(try await release(anna, -8) == 1)
            #expect((try await entry()).isEmpty)
            // A report of its own has a time of its own.
            _ = try await claim(anna, -9)
            _ = try await claim(xaver, -5)
            _ = try await release(xaver, -5)
            _ = try await claim(anna, -4)
            #expect(try await release(anna, -8) == 0)
            #expect(try await release(anna, -4) == 1)
        }
    }

    @Test("An owner with the longest insider_id fits into an entry")
    func longest() {
        let key = DeviceKey(insiderID: String(repeating: "x", count: DeviceKey.maximumLength), udid: "u")
        let owner = TokenOwner(key)
        #expect(owner.bytes.count <= 255 && owner.insiderID == key.insiderID && owner.isDevice("u"))
    }

    @Test(
        "Whatever logins report whatever tokens at the same time, each token ends with its newest report, in the rosters too"
    )
    func walk() async throws {
        try await StoreStage.run { stage in
            var generator = SeededGenerator(seed: 11)
            let users = 6
            try await addLogins(stage, 0..<users)
            for user in 0..<users { try await report(stage, user, -2000, token: [UInt8(100 + user)]) }
            let id = try await stage.register(0..<users).activity.id
            for round in 0..<40 {
                let tokens = (0..<2).map { [UInt8(2 * round + $0), 1] }
                // Each login reports each token once at most, at times of their own, in any order and at the same time.
                var reports: [(user: Int, token: [UInt8], time: Int64)] = []
                for user in 0..<users {
                    let token = tokens[Int.random(in: 0..<2, using: &generator)]
                    reports.append((user, token, Int64(round * 10 + user) - 1000))
                }
                reports.shuffle(using: &generator)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (user, token, time) in reports {
                        group.addTask { try await self.report(stage, user, time, token: token) }
                    }
                    try await group.waitForAll()
                }
                let started = try await stage.startTokens(id)
                for token in tokens {
                    let newest = reports.filter { $0.token == token }.max { $0.time < $1.time }?.user
                    #expect(try await owners(stage, 0..<users, token) == newest.map { [$0] } ?? [], "round \(round)")
                    #expect(started.values.count { $0 == token } == (newest == nil ? 0 : 1), "round \(round)")
                }
            }
        }
    }
}
