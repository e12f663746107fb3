public import LiveActivity
import RedisClient
import TimeCore

/// An import of one tenant's devices in batches. An existing record is replaced, so an interrupted import can be
/// repeated.
///
/// Larger batches take fewer commands for each device, because the tokens of a bucket of the index are claimed
/// together.
public actor DeviceImport {
    private let devices: StoredDevices
    private let tenantID: String
    private let limits: TenantLimits
    private var buckets = FullTokenBuckets()
    private var course = ImportCourse.makesUsers

    /// The number of claim calls in flight, with at most `TokenGroup.most` tokens each.
    private static let window = 32

    init(_ devices: StoredDevices, _ tenantID: String, _ limits: TenantLimits) {
        self.devices = devices
        self.tenantID = tenantID
        self.limits = limits
    }

    /// Begins a batch, which encodes its devices before Redis is involved.
    /// - Parameter capacity: The largest number of devices.
    public nonisolated func batch(capacity: Int) -> DeviceBatch {
        DeviceBatch(tenantID, limits, capacity: capacity, clock: devices.wallClock)
    }

    /// Returns a batch of these devices.
    nonisolated func prepare(_ devices: [(key: DeviceKey, device: Device, token: [UInt8]?)]) -> PreparedDevices {
        var batch = batch(capacity: devices.count)
        for (key, device, token) in devices { batch.append(key, device, token: token) }
        return batch.prepared()
    }

    /// Writes devices with their tokens. The limit of new devices in a minute does not apply. If devices have the same
    /// token, the last one keeps it. Call it again only after it has returned.
    /// - Parameter devices: The devices with the tokens that `DeviceBatch.append` takes.
    /// - Throws: `StoreError.quotaReached` if a quota of the tenant is used up, after it has written all other devices.
    public func add(_ devices: [(key: DeviceKey, device: Device, token: [UInt8]?)]) async throws(StoreError) {
        try await add(prepare(devices))
    }

    /// Writes prepared devices with their tokens.
    public func add(_ devices: PreparedDevices) async throws(StoreError) {
        var refusal: StoreError?
        for (number, round) in devices.rounds.enumerated() {
            // A copy, because the actor is reentrant while it waits. Devices of later rounds have known users.
            var course = number == 0 ? self.course : .changes
            do throws(StoreError) {
                try await add(round, &course)
            } catch .quotaReached(let limit, let wait) {
                refusal = .quotaReached(limit, wait: wait)
            }
            if number == 0 { self.course = course }
        }
        if let refusal { throw refusal }
    }

    private func add(_ round: ImportRound, _ course: inout ImportCourse) async throws(StoreError) {
        var replies = try await devices.putImported(round, &course)
        let claims = try await claim(round.tokens, round.entries)
        // Most devices and claims are complete by now.
        var open: [Int: TokenClaim] = [:]
        for (place, claim) in zip(round.tokenPlaces, claims) where !claim.isUndisputed || replies[place] != nil {
            open[place] = claim
            if replies[place] == nil { replies[place] = PutDeviceReply(.unchanged) }
        }
        var refusal: StoreError?
        for (place, reply) in replies.sorted(by: { $0.key < $1.key }) {
            do throws(StoreError) {
                try await devices.conclude(round.report(place), reply, open[place])
            } catch .quotaReached(let limit, let wait) {
                refusal = .quotaReached(limit, wait: wait)
            }
        }
        if let refusal { throw refusal }
    }

    /// Claims tokens in the order given.
    func claim(
        _ tokens: [(index: TokenIndex, owner: TokenOwner)], reportedAt: WallTime
    ) async throws(StoreError) -> [TokenClaim] {
        let time = UserRecord.encode(reportedAt)
        var entries = RedisArguments(reserving: 2 * tokens.count, byteCountHint: 24)
        for (index, owner) in tokens { entries.appendEntry(of: index, owner, reportedAt: time) }
        return try await claim(tokens.map(\.index), entries)
    }

    /// - Parameter entries: The field and the entry of each token.
    private func claim(_ tokens: [TokenIndex], _ entries: RedisArguments) async throws(StoreError) -> [TokenClaim] {
        var claims = [TokenClaim](repeating: .lost, count: tokens.count)
        var open = tokens.indices.map { (place: $0, level: buckets.level(of: tokens[$0])) }
        while !open.isEmpty {
            let groups = TokenGroup.all(open, tokens)
            let replies = try await devices.values(
                count: groups.count, window: DeviceImport.window,
                command: { groups[$0].claim(entries, tenantID: self.tenantID) },
                read: { _, reply in Scripts.ClaimTokensReply.read(reply.copy()) })
            open = []
            var full: [TokenBucket] = []
            for (group, reply) in zip(groups, replies) {
                guard let reply else { throw .damaged("the reply of the script claim-tokens") }
                let (places, level) = (group.places, group.bucket.level)
                switch reply {
                case .undisputed:
                    for place in places { claims[place] = .owned(formers: [], level: level) }
                case .disputed(let formers, let lost, let others):
                    for (place, formers) in zip(places, formers) {
                        claims[place] = TokenClaim(formers: formers, level: level)
                    }
                    for index in lost { claims[places[index]] = .lost }
                    open += others.map { (places[$0], level + 1) }
                    if !others.isEmpty, full.last != group.bucket { full.append(group.bucket) }
                }
            }
            try await learn(full)
        }
        return claims
    }

    /// Reads the tokens in full buckets, once for each bucket.
    private func learn(_ full: [TokenBucket]) async throws(StoreError) {
        let unknown = full.filter { !buckets.knows($0) }
        let entries = try await devices.values(
            count: unknown.count, window: DeviceImport.window,
            command: { RedisCommand("HKEYS", unknown[$0].key(self.tenantID)) },
            read: { _, reply in reply.elements.compactMap { TokenIndex.number($0.bytes) }.sorted() })
        for (bucket, entries) in zip(unknown, entries) { buckets.note(bucket, entries) }
    }
}

/// Tokens of one bucket that one call claims, in order.
struct TokenGroup: Sendable {
    let bucket: TokenBucket
    /// The indexes of the tokens among all that are claimed.
    private(set) var places: [Int]

    /// The most tokens of a call, which keeps Redis busy for some hundred microseconds.
    static let most = 64

    /// - Parameters:
    ///   - open: The indexes of tokens, with the level on which each is claimed.
    ///   - tokens: The tokens by index.
    static func all(_ open: [(place: Int, level: Int)], _ tokens: [TokenIndex]) -> [TokenGroup] {
        // One number sorts fast and brings the tokens of a bucket together. A bucket's number has at most 18 bits.
        let order = open.enumerated().map { number, token in
            (UInt64(token.level) << 20 | tokens[token.place].order(level: token.level)) << 40 | UInt64(number)
        }.sorted()
        var groups: [TokenGroup] = []
        var last = UInt64.max
        var numbers: [UInt64] = []
        for key in order {
            let (place, level) = open[Int(key & (1 << 40 - 1))]
            let number = tokens[place].number
            // If two devices have the same token, the second one takes it over in another call.
            if key >> 40 == last, numbers.count < most, !numbers.contains(number) {
                groups[groups.count - 1].places.append(place)
            } else {
                groups.append(TokenGroup(bucket: tokens[place].bucket(level: level), places: [place]))
                numbers.removeAll(keepingCapacity: true)
                last = key >> 40
            }
            numbers.append(number)
        }
        return groups
    }

    /// See `Scripts.claimTokens`.
    /// - Parameter entries: The fields and entries of all claimed tokens, by index.
    func claim(_ entries: RedisArguments, tenantID: String) -> RedisCommand {
        Scripts.claimTokens(
            bucket: bucket.key(tenantID), capacity: bucket.capacity,
            tokens: entries.parts(places[...], each: 2)
        ).command
    }
}

extension RedisArguments {
    /// Appends the arguments of `Scripts.claimTokens` for a token: its field, and the entry to write if it has no
    /// owner.
    mutating func appendEntry(of index: TokenIndex, _ key: DeviceKey, reportedAt time: [UInt8]) {
        appendEntry(of: index, reportedAt: time) { TokenOwner.append(key, to: &$0) }
    }

    mutating func appendEntry(of index: TokenIndex, _ owner: TokenOwner, reportedAt time: [UInt8]) {
        appendEntry(of: index, reportedAt: time) { $0 += owner.bytes }
    }

    private mutating func appendEntry(
        of index: TokenIndex, reportedAt time: [UInt8], _ appendOwner: (inout [UInt8]) -> Void
    ) {
        append(index.field)
        append {
            $0 += time
            let length = $0.count
            $0.append(0)
            appendOwner(&$0)
            $0[length] = UInt8($0.count - length - 1)
        }
    }
}

/// The tokens in full buckets. A bucket that was full once takes no new entry, so a token without an entry there
/// belongs to the next level.
struct FullTokenBuckets {
    /// The first eight bytes of the tokens' digests by bucket, in ascending order.
    private var entries: [TokenBucket: [UInt64]] = [:]

    func knows(_ bucket: TokenBucket) -> Bool { entries[bucket] != nil }

    mutating func note(_ bucket: TokenBucket, _ tokens: [UInt64]) { entries[bucket] = tokens }

    /// The first level on which a token may have an entry or get one.
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
