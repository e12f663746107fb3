public import LiveActivity
import RedisClient
import TimeCore

/// An import of one tenant's devices, any number of them at a time. A record that is there is replaced, so an import that was
/// broken off is run again.
///
/// The more devices are added at once the fewer commands each takes: the tokens of a bucket of the index are claimed together.
public actor DeviceImport {
    private let devices: StoredDevices
    private let tenantID: String
    private let limits: TenantLimits
    private var buckets = FullTokenBuckets()
    private var course = ImportCourse.makesUsers

    /// How many calls that claim tokens are in Redis's hands at a time, of `TokenGroup.most` tokens each.
    private static let window = 8

    init(_ devices: StoredDevices, _ tenantID: String, _ limits: TenantLimits) {
        self.devices = devices
        self.tenantID = tenantID
        self.limits = limits
    }

    /// Puts together what of devices is known before Redis is asked: for a batch while the one before is written.
    /// - Parameter devices: the token of an Android device is its registration token, that of others a push-to-start token for
    ///   any activity type.
    public nonisolated func prepare(
        _ devices: [(key: DeviceKey, device: Device, token: [UInt8]?)]
    ) -> PreparedDevices {
        PreparedDevices(devices, tenantID: tenantID, limits: limits, at: self.devices.wallClock())
    }

    /// Writes devices with their tokens. A quota of the tenant that is used up is an error once all others have been written;
    /// how many devices are new in a minute is not looked at. Of devices that have the same token the last one keeps it.
    /// To be called again when it has returned.
    /// - Parameter devices: as `prepare` takes them.
    public func add(_ devices: [(key: DeviceKey, device: Device, token: [UInt8]?)]) async throws(StoreError) {
        try await add(prepare(devices))
    }

    /// The same, of devices that are prepared.
    public func add(_ devices: PreparedDevices) async throws(StoreError) {
        // Not by reference: the actor is free while it waits.
        var course = self.course
        let replies = try await self.devices.putImported(devices.reports, devices, &course)
        self.course = course
        var claims = try await claim(devices.tokens, devices.entries).makeIterator()
        let reports = devices.reports
        var refusal: StoreError?
        for (report, reply) in zip(reports, replies) {
            let claim = report.token.isEmpty ? nil : claims.next()
            // Nearly all.
            if reply.isDone, claim?.isUndisputed ?? true { continue }
            do throws(StoreError) {
                try await self.devices.conclude(report, reply, claim)
            } catch .quotaReached(let limit, let wait) {
                refusal = .quotaReached(limit, wait: wait)
            }
        }
        if let refusal { throw refusal }
    }

    /// Claims tokens, in the order given.
    func claim(
        _ tokens: [(index: TokenIndex, owner: TokenOwner)], reportedAt: WallTime
    ) async throws(StoreError) -> [TokenClaim] {
        let time = UserRecord.encode(reportedAt)
        var entries = RedisArguments(reserving: 2 * tokens.count, byteCountHint: 24)
        for (index, owner) in tokens { entries.appendEntry(of: index, owner, reportedAt: time) }
        return try await claim(tokens.map(\.index), entries)
    }

    /// - Parameter entries: for each token its field and its entry.
    private func claim(_ tokens: [TokenIndex], _ entries: RedisArguments) async throws(StoreError) -> [TokenClaim] {
        var claims = [TokenClaim](repeating: .lost, count: tokens.count)
        var open = tokens.indices.map { (place: $0, level: buckets.level(of: tokens[$0])) }
        while !open.isEmpty {
            let groups = TokenGroup.all(open, tokens)
            let replies = try await devices.values(
                count: groups.count, window: DeviceImport.window,
                command: { groups[$0].claim(entries, tenantID: self.tenantID) },
                read: { _, reply in reply.copy() })
            open = []
            var full: [TokenBucket] = []
            for (group, reply) in zip(groups, replies) {
                let level = group.bucket.level
                guard let each = reply.array else {
                    for place in group.places { claims[place] = .owned(formers: [], level: level) }
                    continue
                }
                for (place, value) in zip(group.places, each) {
                    if let claim = TokenClaim(value, level: level) {
                        claims[place] = claim
                    } else {
                        open.append((place, level + 1))
                        if full.last != group.bucket { full.append(group.bucket) }
                    }
                }
            }
            try await learn(full)
        }
        return claims
    }

    /// Reads whose entries full buckets have, once for each.
    private func learn(_ full: [TokenBucket]) async throws(StoreError) {
        let unknown = full.filter { !buckets.knows($0) }
        let entries = try await devices.values(
            count: unknown.count, window: DeviceImport.window,
            command: { RedisCommand("HKEYS", unknown[$0].key(self.tenantID)) },
            read: { _, reply in reply.elements.compactMap { TokenIndex.number($0.bytes) }.sorted() })
        for (bucket, entries) in zip(unknown, entries) { buckets.note(bucket, entries) }
    }
}

/// Tokens of one bucket that are claimed with one call, in their order.
struct TokenGroup: Sendable {
    let bucket: TokenBucket
    /// Which of the tokens that are claimed these are.
    private(set) var places: [Int]

    /// So many at most: a call takes Redis some hundred microseconds then.
    static let most = 64

    /// - Parameters:
    ///   - open: the places of tokens, with the level on which each is claimed.
    ///   - tokens: by place.
    static func all(_ open: [(place: Int, level: Int)], _ tokens: [TokenIndex]) -> [TokenGroup] {
        // In one number, so that they are sorted quickly: a bucket has 18 bits at most.
        let order = open.enumerated().map { number, token in
            (UInt64(token.level) << 20 | tokens[token.place].bucket(level: token.level).number) << 40 | UInt64(number)
        }.sorted()
        var groups: [TokenGroup] = []
        var fields: Set<UInt64> = []
        for key in order {
            let (place, level) = open[Int(key & (1 << 40 - 1))]
            let bucket = tokens[place].bucket(level: level)
            // The second of two devices with the same token takes it from the first one.
            let isNew = fields.insert(tokens[place].number).inserted
            if let last = groups.indices.last, groups[last].bucket == bucket, groups[last].places.count < most, isNew {
                groups[last].places.append(place)
            } else {
                groups.append(TokenGroup(bucket: bucket, places: [place]))
                fields = [tokens[place].number]
            }
        }
        return groups
    }

    /// See `Scripts.claimTokens`.
    /// - Parameter entries: of all tokens that are claimed, by place.
    func claim(_ entries: RedisArguments, tenantID: String) -> RedisCommand {
        var head = RedisArguments(reserving: 2, byteCountHint: 60)
        head.append(Array(bucket.key(tenantID).utf8))
        head.append(Array(bucket.capacity.utf8))
        return RedisCommand(
            script: Scripts.claimTokens, keys: head[0..<1],
            arguments: [head[1..<2]] + places.map { entries[(2 * $0)..<(2 * $0 + 2)] })
    }
}

/// Devices of an import with everything that is made of them ahead of their turn.
public struct PreparedDevices: Sendable {
    let reports: [TokenReport]
    /// Those of the reports that have one, in their order.
    let tokens: [TokenIndex]
    /// For each of these its field in the index, and its entry there when nobody had it.
    let entries: RedisArguments
    /// For each device the key of its user, and what `Scripts.importDevices` takes of it.
    private let users: RedisArguments
    private let devices: RedisArguments

    init(
        _ all: [(key: DeviceKey, device: Device, token: [UInt8]?)], tenantID: String, limits: TenantLimits,
        at now: WallTime
    ) {
        let time = UserRecord.encode(now)
        var reports: [TokenReport] = []
        var tokens: [TokenIndex] = []
        var entries = RedisArguments(reserving: 2 * all.count, byteCountHint: 24)
        var users = RedisArguments(reserving: all.count, byteCountHint: 80)
        var devices = RedisArguments(reserving: 4 * all.count, byteCountHint: 24)
        reports.reserveCapacity(all.count)
        tokens.reserveCapacity(all.count)
        for (key, device, token) in all {
            let report = TokenReport(
                key: key, token: token ?? [], type: device.platform == .android ? UserRecord.registrationType : "",
                record: DeviceRecord.encode(device), tenantID: tenantID, receivedAt: now, limits: limits,
                isImport: true)
            reports.append(report)
            users.append(Keys.encodedUser(tenantID, key.insiderID))
            devices.append(UserRecord.deviceField(key.udid))
            devices.append(DeviceRecord.encodeFirst(device, reportedAt: time))
            if report.token.isEmpty {
                devices.append()
                devices.append()
            } else {
                devices.append(UserRecord.tokenField(device: 1, report.type))
                devices.append(time, report.token)
                let index = report.index
                tokens.append(index)
                entries.appendEntry(of: index, report.owner, reportedAt: time)
            }
        }
        self.reports = reports
        self.tokens = tokens
        self.entries = entries
        self.users = users
        self.devices = devices
    }

    /// Writes some of them, see `Scripts.importDevices`.
    func write(_ places: Range<Int>, _ course: ImportCourse) -> RedisCommand {
        RedisCommand(
            script: Scripts.importDevices, keys: users[places],
            arguments: [course.asks, devices[(4 * places.lowerBound)..<(4 * places.upperBound)]])
    }
}

extension RedisArguments {
    /// What `Scripts.claimTokens` takes of a token: its field, and its entry when nobody had it.
    fileprivate mutating func appendEntry(of index: TokenIndex, _ owner: TokenOwner, reportedAt time: [UInt8]) {
        append(index.field)
        append(time, [UInt8(owner.bytes.count)], owner.bytes)
    }
}

/// Which tokens full buckets have an entry of. A bucket that was full once takes no entry any more for ever, so a token
/// that it does not have is not to be looked for there.
struct FullTokenBuckets {
    /// By bucket: the first bytes of the tokens, in ascending order.
    private var entries: [TokenBucket: [UInt64]] = [:]

    func knows(_ bucket: TokenBucket) -> Bool { entries[bucket] != nil }

    mutating func note(_ bucket: TokenBucket, _ tokens: [UInt64]) { entries[bucket] = tokens }

    /// The first level on which a token may have an entry, or get one.
    func level(of token: TokenIndex) -> Int {
        (0..<(TokenIndex.levels - 1)).first { level in
            guard let known = entries[token.bucket(level: level)] else { return true }
            return FullTokenBuckets.contains(token.number, known)
        } ?? TokenIndex.levels - 1
    }

    private static func contains(_ token: UInt64, _ known: [UInt64]) -> Bool {
        var (low, high) = (0, known.count)
        while low < high {
            let middle = (low + high) / 2
            if known[middle] < token { low = middle + 1 } else { high = middle }
        }
        return low < known.count && known[low] == token
    }
}
