/// Devices of an import with everything that is made of them ahead of their turn: see `DeviceBatch`.
///
/// They are written in rounds, one after the other. In a round all devices are written, then all tokens are claimed, and then
/// all former owners are told: so it has a device once and a token once, or what was told of an earlier line would undo
/// what a later one has said. A user comes once as well: whoever has several devices in a batch is new with the first alone.
public struct PreparedDevices: Sendable {
    /// Nearly always one.
    let rounds: [ImportRound]
}

/// In which round a line is: behind every line before it that has the same user or the same token.
struct RoundNumbers {
    private var users: NextRounds
    private var tokens: NextRounds

    /// - Parameter count: how many lines there may be.
    init(count: Int) {
        users = NextRounds(count: count)
        tokens = NextRounds(count: count)
    }

    mutating func next(_ insiderID: String, _ token: TokenIndex?) -> Int {
        // Of users who share a hash one waits for the other, which does no harm.
        let user = users.place(UInt64(truncatingIfNeeded: insiderID.hashValue))
        guard let token else { return users.take(user, atLeast: 0) }
        let place = tokens.place(token.number)
        let number = users.take(user, atLeast: tokens.next(place))
        return tokens.take(place, atLeast: number)
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
    mutating func place(_ hash: UInt64) -> Int {
        let upper = UInt32(hash >> 32)
        var place = Int(truncatingIfNeeded: hash) & mask
        while slots[place].next > 0, slots[place].hash != upper { place = (place + 1) & mask }
        slots[place].hash = upper
        return place
    }

    func next(_ place: Int) -> Int { Int(slots[place].next) }

    /// The round that is taken, which is open to nobody else who has the hash.
    mutating func take(_ place: Int, atLeast least: Int) -> Int {
        let number = max(next(place), least)
        slots[place].next = UInt32(number + 1)
        return number
    }
}
