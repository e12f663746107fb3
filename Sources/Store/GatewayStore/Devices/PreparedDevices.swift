import LiveActivity

/// Devices of an import with everything that is made of them ahead of their turn: see `DeviceBatch`.
///
/// They are written in rounds, one after the other. In a round all devices are written, then all tokens are claimed,
/// and then all former owners are told: so it has a device once and a token once, or what was told of an earlier line
/// would undo what a later one has said.
public struct PreparedDevices: Sendable {
    /// Nearly always one.
    let rounds: [ImportRound]
}

/// In which round a line is: behind every line before it that has the same device or the same token.
struct RoundNumbers {
    private var users: NextRounds
    private var devices: NextRounds
    private var tokens: NextRounds

    /// - Parameter count: how many lines there may be.
    init(count: Int) {
        users = NextRounds(count: count)
        devices = NextRounds(count: count)
        tokens = NextRounds(count: count)
    }

    /// The next line's round, and whether its user may be in it already. Of those who share a hash one waits for the
    /// other, which does no harm.
    mutating func next(_ key: DeviceKey, _ token: TokenIndex?) -> (round: Int, hasUser: Bool) {
        let userHash = key.insiderID.hashValue
        var hasher = Hasher()
        hasher.combine(userHash)
        hasher.combine(key.udid)
        let device = devices.place(hasher.finalize())
        let place = token.map { tokens.place(Int(truncatingIfNeeded: $0.number)) }
        let round = max(devices.next(device), place.map { tokens.next($0) } ?? 0)
        devices.take(round, device)
        if let place { tokens.take(round, place) }
        let user = users.place(userHash)
        let hasUser = users.next(user) > round
        users.take(round, user)
        return (round, hasUser)
    }
}

/// By a hash: the first round that is open to who has it. A table with open addressing, as each line looks twice.
private struct NextRounds {
    /// The hash's upper half; the lower one says where it is.
    private var slots: [(hash: UInt32, next: UInt32)]
    private let mask: Int

    /// - Parameter count: how many different ones there may be.
    init(count: Int) {
        var size = 16
        while size < 2 * count { size *= 2 }
        slots = Array(repeating: (0, 0), count: size)
        mask = size - 1
    }

    /// Where the hash is, or is to be.
    mutating func place(_ hash: Int) -> Int {
        let upper = UInt32(truncatingIfNeeded: hash >> 32)
        var place = hash & mask
        while slots[place].next > 0, slots[place].hash != upper { place = (place + 1) & mask }
        slots[place].hash = upper
        return place
    }

    func next(_ place: Int) -> Int { Int(slots[place].next) }

    /// From now on the rounds behind this one are open.
    mutating func take(_ round: Int, _ place: Int) {
        slots[place].next = max(slots[place].next, UInt32(round + 1))
    }
}
