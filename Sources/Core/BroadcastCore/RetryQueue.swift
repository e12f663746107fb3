import TimeCore

/// The devices that wait for another try, the earliest first; those due at the same moment in the order in which they
/// came. A binary heap: all open pages may wait at once, and a provider that is busy sends them all here in one moment.
struct RetryQueue: Sendable {
    private struct Entry {
        let due: MonotonicTime
        let number: UInt64
        let tag: BroadcastCore.Tag

        func precedes(_ other: Entry) -> Bool {
            due != other.due ? due < other.due : number < other.number
        }
    }

    private var entries: [Entry] = []
    private var nextNumber: UInt64 = 0

    var isEmpty: Bool { entries.isEmpty }

    var nextDue: MonotonicTime? { entries.first?.due }

    mutating func insert(_ tag: BroadcastCore.Tag, due: MonotonicTime) {
        entries.append(Entry(due: due, number: nextNumber, tag: tag))
        nextNumber += 1
        var child = entries.count - 1
        while child > 0, entries[child].precedes(entries[(child - 1) / 2]) {
            entries.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// The earliest, when it is due.
    mutating func popDue(_ now: MonotonicTime) -> BroadcastCore.Tag? {
        guard let first = entries.first, first.due <= now else { return nil }
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        siftDown()
        return first.tag
    }

    mutating func removeAll() -> [BroadcastCore.Tag] {
        defer { entries = [] }
        return entries.map(\.tag)
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var smallest = parent
            let left = 2 * parent + 1
            if left < entries.count, entries[left].precedes(entries[smallest]) { smallest = left }
            if left + 1 < entries.count, entries[left + 1].precedes(entries[smallest]) { smallest = left + 1 }
            if smallest == parent { return }
            entries.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
