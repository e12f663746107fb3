import HeapModule
import TimeCore

/// A queue of follow-up calls of a match day, by due time.
struct FollowUps: Sendable {
    enum Call: Sendable, Equatable {
        /// A device reports the token of its Live Activity, or that the user dismissed it.
        case report(device: Int)
        case dismissal(device: Int)
        /// A lost or rejected publish is repeated. The value is an index of the day's events.
        case word(event: Int)
        case reading(topic: Int)
    }

    private struct Entry: Comparable {
        let due: MonotonicTime
        /// The order of insertion, for entries with the same due time.
        let number: Int
        let call: Call

        static func < (left: Entry, right: Entry) -> Bool {
            (left.due, left.number) < (right.due, right.number)
        }

        static func == (left: Entry, right: Entry) -> Bool { left.number == right.number }
    }

    private var heap = Heap<Entry>()
    private var added = 0

    var isEmpty: Bool { heap.isEmpty }

    mutating func add(_ call: Call, at due: MonotonicTime) {
        heap.insert(Entry(due: due, number: added, call: call))
        added += 1
    }

    /// Removes and returns the next call that is due by `now`.
    mutating func next(at now: MonotonicTime) -> Call? {
        guard let first = heap.min, first.due <= now else { return nil }
        return heap.removeMin().call
    }

    /// Removes all calls. Returns the number of reports among them.
    mutating func drop() -> Int {
        defer { heap = Heap() }
        return heap.unordered.count { if case .report = $0.call { true } else { false } }
    }
}
