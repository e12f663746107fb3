/// Counts requests by name in memory of a fixed size, and says when the store is to be told of them.
///
/// Up to an allowance, which is a small part of the limit, a name costs nothing but its place in the table; what is
/// more is told to the store, which adds up what all gateways tell. That is done beside the request and not in front of
/// it: what comes while an answer is under way is let in as far as two allowances go. So a gateway lets in at most
/// three allowances more than the store has counted.
///
/// A name that is not there takes the place of the one of its row with the fewest requests. A flood of names therefore
/// only takes places from each other, and whoever asks often keeps its own. Rows are chosen by a hash that is seeded
/// anew in every process.
struct RateTable {
    /// What becomes of a request.
    enum Verdict: Equatable {
        case allowed
        /// Allowed; the store is to be told of so many, and `settle` of what it has said.
        case allowedAndTold(Int)
        /// - Parameter wait: milliseconds in which none is let in.
        case refused(wait: UInt64)
    }

    private struct Entry {
        var name: UInt64 = 0
        /// Until when all are refused, in milliseconds; 0 for no time.
        var refusedUntil: UInt64 = 0
        /// Of which limit that is: a greater one may let them in.
        var refusingLimit: UInt32 = 0
        var minute: UInt32 = 0
        /// Let in and not told: in this minute, and in the one before.
        var current: UInt32 = 0
        var previous: UInt32 = 0
        /// Told, with the answer still under way.
        var told: UInt32 = 0

        var weight: UInt64 {
            UInt64(current) + UInt64(previous) + UInt64(told) + (refusedUntil > 0 ? 1 << 40 : 0)
        }

        mutating func turn(to minute: UInt32, now: UInt64) {
            if refusedUntil <= now { refusedUntil = 0 }
            guard minute != self.minute else { return }
            previous = minute == self.minute &+ 1 ? current : 0
            current = 0
            self.minute = minute
        }
    }

    /// Entries of a row: two lines of the processor's cache.
    static let rowLength = 4
    static let minute: UInt64 = 60_000

    /// What of a limit a gateway lets in before the store is told: a twentieth.
    static func allowance(_ limit: Int) -> UInt32 { UInt32(clamping: max(1, limit / 20)) }

    private var entries: [Entry]
    private let rowMask: UInt64

    /// - Parameter rows: a power of two.
    init(rows: Int) {
        precondition(rows > 0 && rows & (rows - 1) == 0)
        entries = Array(repeating: Entry(), count: rows * RateTable.rowLength)
        rowMask = UInt64(rows - 1)
    }

    /// How many names there is room for.
    var capacity: Int { entries.count }

    /// A request has come.
    /// - Parameters:
    ///   - limit: requests in a minute, over 0.
    ///   - now: milliseconds on a clock that never goes back.
    mutating func requested(_ name: UInt64, limit: Int, now: UInt64) -> Verdict {
        let index = place(of: name, now: now)
        return entries.withUnsafeMutableBufferPointer { entries in
            RateTable.requested(&entries[index], limit, now: now)
        }
    }

    private static func requested(_ entry: inout Entry, _ limit: Int, now: UInt64) -> Verdict {
        if entry.refusedUntil > now, limit <= Int(entry.refusingLimit) {
            return .refused(wait: entry.refusedUntil - now)
        }
        entry.refusedUntil = 0
        let allowance = RateTable.allowance(limit)
        let untold = entry.current &+ entry.previous
        if entry.told > 0 {
            guard untold < 2 &* allowance else { return .refused(wait: 1000) }
            entry.current &+= 1
            return .allowed
        }
        entry.current &+= 1
        guard untold &+ 1 >= allowance else { return .allowed }
        entry.told = untold &+ 1
        entry.current = 0
        entry.previous = 0
        return .allowedAndTold(Int(entry.told))
    }

    /// The store has answered.
    /// - Parameters:
    ///   - wait: milliseconds in which it wants none let in; nil when it was not told after all.
    ///   - limit: that it was told of.
    mutating func settle(_ name: UInt64, wait: UInt64?, limit: Int, now: UInt64) {
        let known = find(name)
        guard let wait else {
            if let known {
                entries[known].current &+= entries[known].told
                entries[known].told = 0
            }
            return
        }
        guard known != nil || wait > 0 else { return }
        let index = known ?? place(of: name, now: now)
        entries[index].told = 0
        guard wait > 0 else { return }
        entries[index].refusedUntil = now + wait
        entries[index].refusingLimit = UInt32(clamping: limit)
    }

    private func row(of name: UInt64) -> Range<Int> {
        let start = Int(name & rowMask) * RateTable.rowLength
        return start..<(start + RateTable.rowLength)
    }

    private func find(_ name: UInt64) -> Int? {
        row(of: name).first { entries[$0].name == name }
    }

    /// The name's entry, turned to the present minute; a fresh one when it had none.
    private mutating func place(of name: UInt64, now: UInt64) -> Int {
        let minute = UInt32(truncatingIfNeeded: now / RateTable.minute)
        var best = 0
        var least = UInt64.max
        for index in row(of: name) {
            entries[index].turn(to: minute, now: now)
            if entries[index].name == name { return index }
            let weight = entries[index].weight
            if weight < least { (best, least) = (index, weight) }
        }
        entries[best] = Entry()
        entries[best].name = name
        entries[best].minute = minute
        return best
    }
}
