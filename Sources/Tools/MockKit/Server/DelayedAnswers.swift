import TimeCore

/// The delayed answers: a binary heap by time, served by one timer.
struct DelayedAnswers {
    struct Entry {
        let time: MonotonicTime
        /// Orders answers with the same time.
        let order: UInt64
        let connection: Int
        let stream: Int32

        func precedes(_ other: Entry) -> Bool {
            time != other.time ? time < other.time : order < other.order
        }
    }

    private var entries: [Entry] = []
    private var nextOrder: UInt64 = 0

    var count: Int { entries.count }
    var earliest: MonotonicTime? { entries.first?.time }

    mutating func insert(at time: MonotonicTime, connection: Int, stream: Int32) {
        entries.append(Entry(time: time, order: nextOrder, connection: connection, stream: stream))
        nextOrder += 1
        var child = entries.count - 1
        while child > 0, entries[child].precedes(entries[(child - 1) / 2]) {
            entries.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func popDue(_ now: MonotonicTime) -> Entry? {
        guard let first = entries.first, first.time <= now else { return nil }
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && entries[child].precedes(entries[smallest]) {
                smallest = child
            }
            if smallest == parent { return first }
            entries.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
