import LiveActivity
import RedisClient
import TimeCore

/// Devices of an import with everything that is made of them ahead of their turn.
///
/// They are written in rounds, one after the other. In a round all devices are written, then all tokens are claimed, and then
/// all former owners are told: so it has a device once and a token once, or what was told of an earlier line would undo
/// what a later one has said. A user comes once as well: whoever has several devices in a batch is new with the first one only.
public struct PreparedDevices: Sendable {
    /// Nearly always one.
    let rounds: [ImportRound]

    init(
        _ all: [(key: DeviceKey, device: Device, token: [UInt8]?)], tenantID: String, limits: TenantLimits,
        at now: WallTime
    ) {
        var numbers = RoundNumbers(count: all.count)
        var tokens: [TokenIndex?] = []
        tokens.reserveCapacity(all.count)
        var places: [[Int]] = [[]]
        places[0].reserveCapacity(all.count)
        for (place, line) in all.enumerated() {
            let token = line.token.flatMap { $0.isEmpty ? nil : TokenIndex($0, tenantID: tenantID) }
            tokens.append(token)
            let number = numbers.next(line.key, token)
            if number == places.count { places.append([]) }
            places[number].append(place)
        }
        rounds =
            places.count == 1
            ? [ImportRound(all, tokens, tenantID, limits, at: now)]
            : places.map { places in
                ImportRound(places.map { all[$0] }, places.map { tokens[$0] }, tenantID, limits, at: now)
            }
    }
}

/// In which round a line is: behind every line before it that has the same user or the same token.
private struct RoundNumbers {
    private var users: NextRounds
    private var tokens: NextRounds

    init(count: Int) {
        users = NextRounds(count: count)
        tokens = NextRounds(count: count)
    }

    mutating func next(_ key: DeviceKey, _ token: TokenIndex?) -> Int {
        // Of users who share a hash one waits for the other, which does no harm.
        let user = users.place(UInt64(truncatingIfNeeded: key.insiderID.hashValue))
        guard let token else { return users.take(user, atLeast: 0) }
        let place = tokens.place(token.number)
        let number = users.take(user, atLeast: tokens.next(place))
        return tokens.take(place, atLeast: number)
    }
}

/// By a number, which is a hash: the first round that is open to who has it. A table with open addressing, as each line looks
/// twice.
private struct NextRounds {
    private var slots: [(hash: UInt64, next: Int)]
    private let mask: Int

    /// - Parameter count: how many different numbers there may be.
    init(count: Int) {
        var size = 16
        while size < 2 * count { size *= 2 }
        slots = Array(repeating: (0, 0), count: size)
        mask = size - 1
    }

    /// Where the number is, or is to be.
    mutating func place(_ hash: UInt64) -> Int {
        var place = Int(truncatingIfNeeded: hash) & mask
        while slots[place].next > 0, slots[place].hash != hash { place = (place + 1) & mask }
        slots[place].hash = hash
        return place
    }

    func next(_ place: Int) -> Int { slots[place].next }

    /// The round that is taken, which is open to nobody else who has the number.
    mutating func take(_ place: Int, atLeast least: Int) -> Int {
        let number = max(slots[place].next, least)
        slots[place].next = number + 1
        return number
    }
}

/// Devices of an import that are written together. No user comes twice, and no token.
struct ImportRound: Sendable {
    /// Tokens in the order in which those of a bucket stand together, with the places of their lines.
    let tokens: [TokenIndex]
    let tokenPlaces: [Int]
    /// For each token its field in the index, and its entry there when nobody had it.
    let entries: RedisArguments
    private let lines: [(key: DeviceKey, device: Device, token: [UInt8]?)]
    let tenantID: String
    let limits: TenantLimits
    private let receivedAt: WallTime
    /// The key of the tenant's topics and behind it for each line that of its user, and for each what
    /// `Scripts.importDevices` takes of it.
    private let keys: RedisArguments
    private let devices: RedisArguments

    fileprivate init(
        _ lines: [(key: DeviceKey, device: Device, token: [UInt8]?)], _ indexes: [TokenIndex?], _ tenantID: String,
        _ limits: TenantLimits, at now: WallTime
    ) {
        let time = UserRecord.encode(now)
        let prefix = Keys.userPrefix(tenantID)
        let tokenFields = ["", UserRecord.registrationType].map { UserRecord.tokenField(device: 1, $0) }
        var keys = RedisArguments(reserving: lines.count + 1, byteCountHint: prefix.count + 24)
        var devices = RedisArguments(reserving: 4 * lines.count, byteCountHint: 24)
        keys.append(Array(Keys.topicNames(tenantID).utf8))
        var order: [UInt64] = []
        order.reserveCapacity(lines.count)
        for (place, line) in lines.enumerated() {
            keys.append { Keys.appendUser(prefix, line.key.insiderID, to: &$0) }
            devices.append { UserRecord.appendDeviceField(line.key.udid, to: &$0) }
            devices.append { DeviceRecord.appendFirst(line.device, reportedAt: time, to: &$0) }
            if let index = indexes[place], let token = line.token {
                devices.append(tokenFields[line.device.platform.hasOneToken ? 1 : 0])
                devices.append {
                    $0 += time
                    $0 += token
                }
                order.append(index.order << 32 | UInt64(place))
            } else {
                devices.append([])
                devices.append([])
            }
        }
        order.sort()
        var entries = RedisArguments(reserving: 2 * order.count, byteCountHint: 24)
        var tokens: [TokenIndex] = []
        tokens.reserveCapacity(order.count)
        tokenPlaces = order.map { Int($0 & (1 << 32 - 1)) }
        for place in tokenPlaces {
            guard let index = indexes[place] else { continue }
            tokens.append(index)
            entries.appendEntry(of: index, lines[place].key, reportedAt: time)
        }
        self.tokens = tokens
        self.entries = entries
        self.lines = lines
        self.tenantID = tenantID
        self.limits = limits
        receivedAt = now
        self.keys = keys
        self.devices = devices
    }

    var count: Int { lines.count }

    /// A line as if the device had reported it.
    func report(_ place: Int) -> TokenReport {
        let (key, device, token) = lines[place]
        return TokenReport(
            key: key, token: token ?? [], type: device.platform.hasOneToken ? UserRecord.registrationType : "",
            record: DeviceRecord.encode(device), tenantID: tenantID, receivedAt: receivedAt, limits: limits,
            isImport: true)
    }

    /// Writes some of them, see `Scripts.importDevices`.
    func write(_ places: Range<Int>, _ course: ImportCourse) -> RedisCommand {
        RedisCommand(
            script: Scripts.importDevices,
            keys: [keys[0..<1], keys[(places.lowerBound + 1)..<(places.upperBound + 1)]],
            arguments: [course.asks, devices[(4 * places.lowerBound)..<(4 * places.upperBound)]])
    }
}
