import LiveActivity
import RedisClient
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Imports of devices", .timeLimit(.minutes(2)))
struct DeviceImportTests {
    private static func token(_ number: Int) -> [UInt8] { StoreStage.token(number) }

    /// Whose a token is: all devices of these users that would be started by it.
    private static func owners(_ stage: StoreStage, _ users: Range<Int>) async throws -> [[UInt8]: [Int]] {
        let records = try await stage.store.devices.users(StoreStage.ids(users), tenantID: stage.tenant)
        var owners: [[UInt8]: [Int]] = [:]
        for (user, record) in zip(users, records) {
            guard let token = record?.pushToStartToken(udid: StoreStage.key(user).udid, type: "T") else { continue }
            owners[Array(token.token), default: []].append(user)
        }
        return owners
    }

    @Test(
        "Of devices with the same token the last one has it, in one batch and in several, also where buckets are full")
    func sameTokens() async throws {
        try await StoreStage.run { stage in
            var random = TestSeed.generator()
            let devices = stage.store.devices.importing(stage.tenant)
            var last: [[UInt8]: Int] = [:]
            for batch in 0..<4 {
                // After the first batch all buckets of the first level are full for ever; some tokens have their entry
                // there.
                if batch == 1 {
                    _ = try await stage.store.values(
                        (0..<64).map {
                            RedisCommand("HSET", Keys.tokenOwners(stage.tenant, level: 0, bucket: $0), "f", "")
                        })
                }
                let records = (0..<300).map { place in
                    let token = Self.token(Int.random(in: 0..<120, using: &random))
                    last[token] = 300 * batch + place
                    return (StoreStage.key(300 * batch + place), StoreStage.device(), [UInt8]?.some(token))
                }
                try await devices.add(records)
                stage.advance(.seconds(1))
                let owners = try await Self.owners(stage, 0..<(300 * (batch + 1)))
                #expect(owners == last.mapValues { [$0] }, "batch \(batch)")
            }
            // Each token has one entry, and those of the first batch are still where they were.
            var levels = [0, 0, 0]
            for token in last.keys {
                let index = TokenIndex(token, tenantID: stage.tenant)
                let found = try await stage.store.values(
                    (0..<TokenIndex.levels).map { RedisCommand("HEXISTS", index.key(level: $0), index.field) })
                #expect(found.count { $0.int == 1 } == 1)
                if let level = found.firstIndex(where: { $0.int == 1 }) { levels[level] += 1 }
            }
            #expect(levels[0] > 80 && levels[1] > 0 && levels[2] == 0, "\(levels)")
        }
    }

    @Test("A bucket takes no more entries than it may have, and the others go to the next level")
    func capacity() async throws {
        try await StoreStage.run { stage in
            // All of one bucket, more than it takes and more than are claimed with one call.
            let ofBucket = (0..<40_000).map { Self.token($0) }.filter {
                TokenIndex($0, tenantID: stage.tenant).bucket(level: 0).number == 5
            }
            let many = Array(ofBucket.prefix(TokenIndex.capacity + 50))
            try #require(many.count == TokenIndex.capacity + 50)
            let devices = stage.store.devices.importing(stage.tenant)
            try await devices.add(many.enumerated().map { (StoreStage.key($0), StoreStage.device(), $1) })
            let bucket = Keys.tokenOwners(stage.tenant, level: 0, bucket: 5)
            #expect(try await stage.store.value(RedisCommand("HLEN", bucket)).int == Int64(TokenIndex.capacity + 1))
            let owners = try await Self.owners(stage, 0..<many.count)
            #expect(owners.count == many.count && owners.values.allSatisfy { $0.count == 1 })
        }
    }

    @Test("A new device with a token takes two commands, and neither it nor its token a call of its own")
    func commands() async throws {
        try await StoreStage.run(onCluster: false) { stage in
            let count = 4096
            let taken = try await RegistrationCostTests.commands(stage) { try await stage.addDevices(0..<count) }
            #expect(taken["evalsha"] ?? 0 <= count / 16 + 150, "\(taken)")
            #expect(taken.values.reduce(0, +) <= 2 * count + 1200, "\(taken)")
            // If most users are known, no call searches for unknown ones.
            let again = try await RegistrationCostTests.commands(stage) { try await stage.addDevices(0..<count) }
            #expect(again["evalsha"] ?? 0 <= count + 300, "\(again)")
        }
    }

    @Test("A known device that is said once more takes two commands, and neither it nor its token a call of its own")
    func repeatedCommands() async throws {
        try await StoreStage.run(onCluster: false) { stage in
            let count = 4096
            let devices = stage.store.devices.importing(stage.tenant)
            let batch = (0..<count).map { (StoreStage.key($0), StoreStage.device(), [UInt8]?.some(Self.token($0))) }
            try await devices.add(batch)
            // This import finds that most users are known.
            try await devices.add(batch)
            let taken = try await RegistrationCostTests.commands(stage) { try await devices.add(batch) }
            #expect(taken["evalsha"] ?? 0 <= count / 16 + 150, "\(taken)")
            #expect(taken.values.reduce(0, +) <= 2 * count + 1200, "\(taken)")
        }
    }

    @Test("Of a device that is said once more only when it was said changes, byte for byte as when it reports itself")
    func repeatedDevice() async throws {
        try await StoreStage.run { stage in
            let key = StoreStage.key(0)
            let userKey = Keys.user(stage.tenant, key.insiderID)
            let (deviceField, tokenField) = (UserRecord.deviceField(key.udid), UserRecord.tokenField(device: 1, ""))
            // The client learns from the first reply that it has a single server.
            _ = try await stage.store.value(RedisCommand("EXISTS", "x"))
            let devices = stage.store.devices
            func say(_ token: [UInt8]?, _ course: ImportCourse?) async throws {
                let prepared = devices.importing(stage.tenant).prepare([(key, StoreStage.device(), token)])
                // By itself: what a device that reports goes by.
                var taken = course ?? .changes
                let round = try #require(prepared.rounds.first)
                _ = try await devices.putImported(round, &taken)
            }
            func hash() async throws -> [[UInt8]: [UInt8]] {
                try await Dictionary(
                    uniqueKeysWithValues: stage.store.value(RedisCommand("HGETALL", userKey)).fields.map {
                        ($0.name, $0.value)
                    })
            }
            func put(_ fields: [[UInt8]: [UInt8]]) async throws {
                for (name, value) in fields {
                    _ = try await stage.store.value(RedisCommand("HSET", userKey, name, value))
                }
            }
            let token = Self.token(7)
            try await say(token, nil)
            let first = try await hash()
            func marked(_ field: [UInt8], _ place: Int, _ mark: UInt8) throws -> [[UInt8]: [UInt8]] {
                var value = try #require(first[field])
                value[place] |= mark
                return [field: value]
            }
            stage.advance(.seconds(1))
            let cases: [(String, [[UInt8]: [UInt8]], [UInt8]?)] = try [
                ("as it is", [:], token), ("without its token", [:], nil),
                ("reached", marked(deviceField, 7, 64), token),
                ("reached, without its token", marked(deviceField, 7, 128), nil),
                ("elsewhere", marked(tokenField, 5, 64), token),
                ("quarantined", marked(tokenField, 5, 128), token),
                ("changed before", marked(deviceField, 1, 32), token), ("another token", [:], Self.token(8)),
            ]
            let later = UserRecord.encode(WallTime(milliseconds: stage.now.milliseconds + 30_000))
            var newer = first
            newer[deviceField]?.replaceSubrange(2..<8, with: later)
            var newerToken = first
            newerToken[tokenField]?.replaceSubrange(0..<6, with: later)
            for (name, before, said) in cases + [("newer", newer, token), ("newer token", newerToken, token)] {
                var results: [[[UInt8]: [UInt8]]] = []
                for course in [nil, ImportCourse.makesUsers, .repeats] {
                    _ = try await stage.store.value(RedisCommand("DEL", userKey))
                    try await put(first.merging(before) { $1 })
                    try await say(said, course)
                    results.append(try await hash())
                }
                #expect(results[0] == results[1] && results[0] == results[2], "\(name): \(results)")
                #expect(results[0] != first.merging(before) { $1 }, "\(name)")
            }
        }
    }

    @Test("A user that is erased after a batch was begun is not brought back by it")
    func erasedMeanwhile() async throws {
        try await StoreStage.run { stage in
            // The client learns from the first reply that it has a single server.
            _ = try await stage.store.value(RedisCommand("EXISTS", "x"))
            let devices = stage.store.devices.importing(stage.tenant)
            let batch = devices.prepare(
                (0..<40).map { (StoreStage.key($0), StoreStage.device(), [UInt8]?.some(Self.token($0))) })
            stage.advance(.seconds(1))
            _ = try await stage.store.erasures.begin(StoreStage.key(7).insiderID, tenantID: stage.tenant)
            try await devices.add(batch)
            let records = try await stage.store.devices.users(StoreStage.ids(0..<40), tenantID: stage.tenant)
            #expect(records.indices.filter { records[$0] == nil } == [7])
        }
    }

    @Test("What a device says last in a batch counts, also where it says in between what it did before")
    func backAndForth() async throws {
        try await StoreStage.run(onCluster: false) { stage in
            _ = try await stage.store.value(RedisCommand("EXISTS", "x"))
            try await stage.addDevices(0..<40)
            stage.advance(.seconds(1))
            let devices = stage.store.devices.importing(stage.tenant)
            let key = StoreStage.key(3)
            // Another token and its own, in calls of their own and in one.
            for gap in [0, 20] {
                var batch: [(key: DeviceKey, device: Device, token: [UInt8]?)] = []
                batch.append((key, StoreStage.device(), Self.token(900 + gap)))
                for user in 10..<(10 + gap) {
                    batch.append((StoreStage.key(user), StoreStage.device(), Self.token(user)))
                }
                batch.append((key, StoreStage.device(), Self.token(3)))
                try await devices.add(batch)
                let record = try await stage.store.devices.users([key.insiderID], tenantID: stage.tenant)[0]
                let token = record?.pushToStartToken(udid: key.udid, type: "T").map { Array($0.token) }
                #expect(token == Self.token(3), "\(gap) between")
            }
        }
    }

    @Test(
        "Lines of a batch that take tokens from each other come to what they come to one after the other",
        arguments: [
            // Device and token of each line. Two logins of one phone, whose file is imported again.
            [[(0, 1), (1, 1)], [(0, 1), (1, 1)]], [[(1, 1)], [(0, 1), (1, 1)]], [[(0, 1), (1, 1), (0, 1)]],
            // An exchange, and one that is taken back.
            [[(0, 1), (1, 2), (0, 2), (1, 1)]], [[(0, 1), (1, 2)], [(0, 2), (1, 1), (0, 1), (1, 2)]],
            // A device that has its token again, which another device reports afterwards.
            [[(0, 1), (0, 2), (0, 1)], [(1, 1)]], [[(0, 1)], [(0, 2), (0, 1)], [(1, 1)]],
            // One goes on while others come and go.
            [[(0, 1), (1, 2), (2, 3)], [(0, 2), (1, 3), (2, 1), (3, 1), (0, 3)], [(2, 2), (0, 1)]],
        ])
    func returningTokens(_ batches: [[(device: Int, token: Int)]]) async throws {
        try await StoreStage.run { stage in
            var owner: [Int: Int] = [:]
            for batch in batches {
                let lines = batch.map {
                    (StoreStage.key($0.device), StoreStage.device(), [UInt8]?.some(Self.token($0.token)))
                }
                try await stage.store.devices.importDevices(lines, tenantID: stage.tenant)
                for line in batch {
                    owner = owner.filter { $0.value != line.device }
                    owner[line.token] = line.device
                }
                stage.advance(.seconds(1))
            }
            let expected = Dictionary(uniqueKeysWithValues: owner.map { (Self.token($0), [$1]) })
            #expect(try await Self.owners(stage, 0..<4) == expected)
            // The next device that reports a token takes it from its owner.
            for (number, token) in owner.keys.enumerated() {
                let line = (StoreStage.key(10 + number), StoreStage.device(), [UInt8]?.some(Self.token(token)))
                try await stage.store.devices.importDevices([line], tenantID: stage.tenant)
            }
            #expect(try await Self.owners(stage, 0..<4).isEmpty)
        }
    }

    @Test(
        "Who stands in a batch several times has all devices, and of each the newest token",
        arguments: [false, true])
    func sameUser(isOneKnown: Bool) async throws {
        try await StoreStage.run { stage in
            let known = StoreStage.key(1)
            // The client learns from the first reply that it has a single server.
            _ = try await stage.store.value(RedisCommand("EXISTS", "x"))
            if isOneKnown { try await stage.addDevices(1..<2) }
            stage.advance(.seconds(1))
            var batch: [(key: DeviceKey, device: Device, token: [UInt8]?)] = []
            for user in [0, 1, 2, 0, 1, 0] {
                let number = batch.count
                let key = DeviceKey(
                    insiderID: StoreStage.key(user).insiderID, udid: number == 5 ? "phone-0" : "phone-\(number)")
                batch.append((key, StoreStage.device(), number == 2 ? nil : Self.token(100 + number)))
            }
            try await stage.store.devices.importDevices(batch, tenantID: stage.tenant)
            let records = try await stage.store.devices.users(StoreStage.ids(0..<3), tenantID: stage.tenant)
            func udids(_ user: Int) -> Set<String> { Set(records[user]?.devices.map(\.udid) ?? []) }
            #expect(udids(0) == ["phone-0", "phone-3"] && udids(2) == ["phone-2"])
            #expect(udids(1) == Set(["phone-1", "phone-4"] + (isOneKnown ? [known.udid] : [])))
            func token(_ user: Int, _ udid: String) -> [UInt8]? {
                records[user]?.pushToStartToken(udid: udid, type: "T").map { Array($0.token) }
            }
            #expect(token(0, "phone-0") == Self.token(105) && token(0, "phone-3") == Self.token(103))
            #expect(token(1, "phone-1") == Self.token(101) && token(1, "phone-4") == Self.token(104))
            #expect(token(2, "phone-2") == nil)
        }
    }

    @Test("What is made of a user whom nobody knows is what is made of any other, byte for byte")
    func firstDevice() async throws {
        try await StoreStage.run { stage in
            let devices = stage.store.devices
            func fields(_ user: Int) async throws -> [[UInt8]: [UInt8]] {
                let key = Keys.user(stage.tenant, StoreStage.key(user).insiderID)
                return try await Dictionary(
                    uniqueKeysWithValues: stage.store.value(RedisCommand("HGETALL", key)).fields.map {
                        ($0.name, $0.value)
                    })
            }
            for hasToken in [false, true] {
                for number in [0, 1] {
                    let token = hasToken ? Self.token(number) : nil
                    // A user who was erased an hour ago is compared with the erasure, so the import takes the longer
                    // path.
                    let erased = Keys.user(stage.tenant, StoreStage.key(1).insiderID) + ":x"
                    let time = UserRecord.encode(WallTime(milliseconds: stage.now.milliseconds - 3_600_000))
                    _ = try await stage.store.value(RedisCommand("HSET", erased, "", time))
                    let key = DeviceKey(insiderID: StoreStage.key(number).insiderID, udid: "phone")
                    try await devices.importDevices([(key, StoreStage.device(), token)], tenantID: stage.tenant)
                }
                var (short, long) = (try await fields(0), try await fields(1))
                for user in [0, 1] where hasToken {
                    // Their tokens differ, since a token is one phone's.
                    let field = UserRecord.tokenField(device: 1, "")
                    let value = user == 0 ? short.removeValue(forKey: field) : long.removeValue(forKey: field)
                    #expect(value == UserRecord.encodeToken(Self.token(user), reportedAt: stage.now))
                }
                #expect(short == long, "\(short)\n\(long)")
                #expect(short.count == 2)
                for user in [0, 1] {
                    _ = try await stage.store.value(
                        RedisCommand("DEL", Keys.user(stage.tenant, StoreStage.key(user).insiderID)))
                }
            }
        }
    }
}

@Suite("Tokens that are claimed together")
struct TokenGroupTests {
    private static let tokens = (0..<3000).map { TokenIndex(StoreStage.token($0 % 1500), tenantID: "t") }

    @Test("A group has one bucket's tokens in their order, none twice, and so many at most")
    func groups() {
        let open = Self.tokens.indices.map { (place: $0, level: $0 % 3 == 0 ? 1 : 0) }
        let groups = TokenGroup.all(open, Self.tokens)
        #expect(Set(groups.flatMap(\.places)) == Set(Self.tokens.indices) && groups.count < 1200)
        var last: [UInt64: Int] = [:]
        for group in groups {
            #expect((1...TokenGroup.most).contains(group.places.count))
            #expect(Set(group.places.map { Self.tokens[$0].number }).count == group.places.count)
            for place in group.places {
                #expect(Self.tokens[place].bucket(level: group.bucket.level) == group.bucket)
                #expect(open[place].level == group.bucket.level)
                // Equal tokens of a level keep their order.
                let key = Self.tokens[place].number ^ UInt64(group.bucket.level)
                #expect(last[key] ?? -1 < place)
                last[key] = place
            }
        }
    }

    @Test("A token is looked for behind a full bucket only when that does not have it")
    func full() {
        var full = FullTokenBuckets()
        let (own, other) = (Self.tokens[0], Self.tokens[1])
        #expect(full.level(of: own) == 0)
        full.note(own.bucket(level: 0), [own.number])
        full.note(other.bucket(level: 0), own.bucket(level: 0) == other.bucket(level: 0) ? [own.number] : [])
        #expect(full.level(of: own) == 0 && full.level(of: other) == 1)
        full.note(other.bucket(level: 1), [0, 1, other.number &+ 1].sorted())
        #expect(full.level(of: other) == 2 && full.knows(other.bucket(level: 1)))
        full.note(other.bucket(level: 1), [0, 1, other.number].sorted())
        #expect(full.level(of: other) == 1)
    }
}
