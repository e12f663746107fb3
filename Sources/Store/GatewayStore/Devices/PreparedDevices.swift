import LiveActivity

/// Encoded devices of an import, ready to be written: see `DeviceBatch`.
///
/// They are written in rounds, one after the other. A round writes all devices, claims all tokens, and then marks the
/// former owners. A device or a token occurs once in a round, because marks for an earlier line could undo a later one.
public struct PreparedDevices: Sendable {
    /// The rounds, of which most batches need only one.
    let rounds: [ImportRound]
}

/// Assigns lines to rounds: each line to a later round than all lines before it with the same device or token.
struct RoundNumbers {
    private var users: NextRounds
    private var devices: NextRounds
    private var tokens: NextRounds

    /// - Parameter count: The largest number of lines.
    init(count: Int) {
        users = NextRounds(count: count)
        devices = NextRounds(count: count)
        tokens = NextRounds(count: count)
    }

    /// Returns the next line's round, and whether its user may be in that round already. A collision of hashes only
    /// delays a line.
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

/// The first free round of each hash. A table with open addressing is fast enough for several searches for each line.
private struct NextRounds {
    /// The upper half of the hash. The lower half gives the index.
    private var slots: [(hash: UInt32, next: UInt32)]
    private let mask: Int

    /// - Parameter count: The largest number of different hashes.
    init(count: Int) {
        var size = 16
        while size < 2 * count { size *= 2 }
        slots = Array(repeating: (0, 0), count: size)
        mask = size - 1
    }

    /// Returns the index of the hash, and reserves one for a new hash.
    mutating func place(_ hash: Int) -> Int {
        let upper = UInt32(truncatingIfNeeded: hash >> 32)
        var place = hash & mask
        while slots[place].next > 0, slots[place].hash != upper { place = (place + 1) & mask }
        slots[place].hash = upper
        return place
    }

    func next(_ place: Int) -> Int { Int(slots[place].next) }

    /// Closes all rounds up to this one.
    mutating func take(_ round: Int, _ place: Int) {
        slots[place].next = max(slots[place].next, UInt32(round + 1))
    }
}
