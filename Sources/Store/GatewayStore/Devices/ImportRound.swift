import LiveActivity
import RedisClient
import TimeCore

/// Devices of an import that are written together. No device and no token occurs twice. The round holds only the
/// arguments of its commands.
struct ImportRound: Sendable {
    /// The bounds of the number of devices written between two checks of the tenant's quotas. The rest of the quota
    /// decides.
    static let pieces = 2000...16_000
    /// The number of users that one call creates, in less than a hundred microseconds of Redis.
    static let usersInCall = 32
    /// The number of calls in flight. Redis stays busy while the sender waits for a core.
    static let callsInWindow = 32

    let tenantID: String
    let limits: TenantLimits
    private(set) var tokens: [TokenIndex] = []
    /// The line number of each token.
    private(set) var tokenPlaces: [Int] = []
    /// The field of each token in the index, and the entry to write if it has no owner.
    private(set) var entries: RedisArguments
    /// The lines whose user is in the round already, in ascending order.
    private var others: [Int] = []
    private let receivedAt: WallTime
    /// The report time in six bytes.
    private let time: [UInt8]
    /// The common prefix of the users' keys.
    private let prefix: [UInt8]
    private let pushToStartField = UserRecord.tokenField(device: 1, "")
    private let registrationField = UserRecord.tokenField(device: 1, UserRecord.registrationType)
    private let topics: String
    private let erasing: String
    /// The user's key of each line.
    private var keys: RedisArguments
    /// The arguments of `Scripts.importDevices` for each line.
    private var devices: RedisArguments

    private static let deviceArguments = 4

    /// - Parameter count: The approximate number of lines.
    init(_ tenantID: String, _ limits: TenantLimits, at now: WallTime, reserving count: Int) {
        self.tenantID = tenantID
        self.limits = limits
        receivedAt = now
        time = UserRecord.encode(now)
        prefix = Keys.userPrefix(tenantID)
        keys = RedisArguments(reserving: count, byteCountHint: prefix.count + 16)
        devices = RedisArguments(reserving: ImportRound.deviceArguments * count, byteCountHint: 18)
        entries = RedisArguments(reserving: 2 * count, byteCountHint: 20)
        tokens.reserveCapacity(count)
        tokenPlaces.reserveCapacity(count)
        topics = Keys.topicNames(tenantID)
        erasing = Keys.erasing(tenantID)
    }

    /// The number of lines.
    var count: Int { keys.count }

    /// - Parameters:
    ///   - index: The index of the token; nil without one.
    ///   - hasUser: True if the user is in the first round already. Later rounds ignore it, because each of their lines
    ///     takes a call.
    mutating func append(
        _ key: DeviceKey, _ device: Device, _ token: [UInt8]?, _ index: TokenIndex?, hasUser: Bool
    ) {
        let place = count
        if hasUser { others.append(place) }
        keys.append { [prefix] in Keys.appendUser(prefix, key.insiderID, to: &$0) }
        devices.append { UserRecord.appendDeviceField(key.udid, to: &$0) }
        devices.append { [time] in DeviceRecord.appendFirst(device, reportedAt: time, to: &$0) }
        guard let token, let index else {
            devices.append([])
            devices.append([])
            return
        }
        devices.append(device.platform.hasOneToken ? registrationField : pushToStartField)
        devices.append { [time] in
            $0 += time
            $0 += token
        }
        tokens.append(index)
        tokenPlaces.append(place)
        entries.appendEntry(of: index, key, reportedAt: time)
    }

    /// Sorts the tokens by bucket, so that one copy makes them arguments of a call.
    mutating func sortTokens() {
        let order = tokens.indices.map { tokens[$0].order << 32 | UInt64($0) }.sorted().map { Int($0 & (1 << 32 - 1)) }
        var sorted = RedisArguments(reserving: 2 * order.count, byteCountHint: 20)
        for place in order { sorted.append(entries[(2 * place)..<(2 * place + 2)]) }
        entries = sorted
        tokens = order.map { tokens[$0] }
        tokenPlaces = order.map { tokenPlaces[$0] }
    }

    /// Returns a line as a report of its device.
    func report(_ place: Int) -> TokenReport {
        let first = ImportRound.deviceArguments * place
        let user = keys[place].dropFirst(prefix.count).dropLast()
        let udid = PackedName.decode(devices[first].dropFirst())
        let token = devices[first + 3]
        return TokenReport(
            key: DeviceKey(insiderID: String(decoding: user, as: UTF8.self), udid: udid),
            token: Array(token.dropFirst(UserRecord.timeLength)),
            type: devices[first + 2].elementsEqual(registrationField) ? UserRecord.registrationType : "",
            record: DeviceRecord.untimed(first: devices[first + 1]), tenantID: tenantID, receivedAt: receivedAt,
            limits: limits, isImport: true)
    }

    /// Returns the lines that are the first of their users, and the others.
    func split(_ places: Range<Int>) -> (first: [Int], others: [Int]) {
        let others = others.filter { places.contains($0) }
        guard !others.isEmpty else { return (Array(places), []) }
        let known = Set(others)
        return (places.filter { !known.contains($0) }, others)
    }

    /// Writes some lines, no user twice: see `Scripts.importDevices`.
    func write(_ places: ArraySlice<Int>, _ course: ImportCourse) -> RedisCommand {
        Scripts.importDevices(
            topics: topics, erasing: erasing, users: keys.parts(places, each: 1), asks: course.asks,
            devices: devices.parts(places, each: ImportRound.deviceArguments)
        ).command
    }
}

extension RedisArguments {
    /// Returns the arguments at these places, `each` for a place. Adjacent ones become one part.
    func parts(_ places: ArraySlice<Int>, each: Int) -> [Part] {
        var parts: [Part] = []
        var first = places.startIndex
        for next in places.indices {
            let end = next + 1
            if end < places.endIndex, places[end] == places[next] + 1 { continue }
            parts.append(self[(each * places[first])..<(each * (places[next] + 1))])
            first = end
        }
        return parts
    }
}
