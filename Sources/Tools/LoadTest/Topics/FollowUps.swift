import HeapModule
import TimeCore

/// What follows from earlier answers of a match day, by when it is due.
struct FollowUps: Sendable {
    enum Call: Sendable, Equatable {
        /// A device reports the token of its Live Activity, or that it was dismissed.
        case report(device: Int)
        case dismissal(device: Int)
        /// A word about a topic is said again; its place in the day's events.
        case word(event: Int)
        case reading(topic: Int)
    }

    private struct Entry: Comparable {
        let due: MonotonicTime
        /// Of two that are due at the same time the one that was added first comes first.
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

    /// The next call that is due by `now`, which is taken out.
    mutating func next(at now: MonotonicTime) -> Call? {
        guard let first = heap.min, first.due <= now else { return nil }
        return heap.removeMin().call
    }

    /// Takes out everything, and says how many reports were among it.
    mutating func drop() -> Int {
        defer { heap = Heap() }
        return heap.unordered.count { if case .report = $0.call { true } else { false } }
    }
}
