/// Counts requests by name in a table of fixed size, and decides when to report them to the store.
///
/// Up to an allowance, a small part of the limit, requests are counted locally. Beyond it they are reported to the
/// store, which adds up the reports of all gateways. The report runs beside the request. While its answer is pending,
/// up to two more allowances are let in. So a gateway lets in at most three allowances more than the store has counted.
///
/// A new name replaces the name in its row with the fewest requests. In a flood of names, frequent names therefore keep
/// their entries. Rows are chosen by a hash with a random seed per process.
struct RateTable {
    /// The decision on a request.
    enum Verdict: Equatable {
        case allowed
        /// Allowed. The caller must report this many requests to the store, and pass the answer to `settle`.
        case allowedAndTold(Int)
        /// - Parameter wait: milliseconds in which all requests are refused.
        case refused(wait: UInt64)
    }

    private struct Entry {
        var name: UInt64 = 0
        /// The end of a refusal in milliseconds; 0 for none.
        var refusedUntil: UInt64 = 0
        /// The limit that caused the refusal. A greater limit lifts it.
        var refusingLimit: UInt32 = 0
        var minute: UInt32 = 0
        /// Requests let in but not reported in this minute and in the one before.
        var current: UInt32 = 0
        var previous: UInt32 = 0
        /// Requests in a report without an answer yet.
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

    /// The entries of a row, which fill two cache lines.
    static let rowLength = 4
    static let minute: UInt64 = 60_000

    /// The part of a limit that a gateway lets in before it reports to the store: a twentieth.
    static func allowance(_ limit: Int) -> UInt32 { UInt32(clamping: max(1, limit / 20)) }

    private var entries: [Entry]
    private let rowMask: UInt64

    /// - Parameter rows: a power of two.
    init(rows: Int) {
        precondition(rows > 0 && rows & (rows - 1) == 0)
        entries = Array(repeating: Entry(), count: rows * RateTable.rowLength)
        rowMask = UInt64(rows - 1)
    }

    /// The number of names with an entry at a time.
    var capacity: Int { entries.count }

    /// Counts a request and decides on it.
    /// - Parameters:
    ///   - limit: requests in a minute, greater than 0.
    ///   - now: milliseconds of a monotonic clock.
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

    /// Applies the answer of the store.
    /// - Parameters:
    ///   - wait: milliseconds in which to refuse all; nil if the report failed.
    ///   - limit: the limit in the report.
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

    /// The name's entry, advanced to the present minute; a new entry if the name had none.
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
