import TimeCore

/// Names one scheduled action.
public struct ReactorTimer: Hashable, Sendable {
    let identifier: UInt64
}

/// Actions by deadline: a binary heap of deadlines, with the actions in a dictionary so that cancelling is cheap.
/// Entries of cancelled timers stay in the heap until they come up or outnumber the live ones.
struct TimerHeap {
    private struct Entry {
        let deadline: MonotonicTime
        let identifier: UInt64

        func precedes(_ other: Entry) -> Bool {
            deadline != other.deadline ? deadline < other.deadline : identifier < other.identifier
        }
    }

    private var entries: [Entry] = []
    private var actions: [UInt64: Reactor.Job] = [:]
    private var nextIdentifier: UInt64 = 1

    mutating func insert(_ deadline: MonotonicTime, _ action: @escaping Reactor.Job) -> ReactorTimer {
        let identifier = nextIdentifier
        nextIdentifier += 1
        actions[identifier] = action
        entries.append(Entry(deadline: deadline, identifier: identifier))
        siftUp(entries.count - 1)
        return ReactorTimer(identifier: identifier)
    }

    mutating func remove(_ timer: ReactorTimer) {
        guard actions.removeValue(forKey: timer.identifier) != nil else { return }
        if entries.count > 64, entries.count > actions.count * 2 {
            entries.removeAll { actions[$0.identifier] == nil }
            entries.sort { $0.precedes($1) }
        }
    }

    var nextDeadline: MonotonicTime? { entries.first?.deadline }

    /// Takes out the timers that are due at `now`, in order. Their actions stay until `takeAction`, so that each may
    /// still be cancelled by the ones before it.
    mutating func popDue(_ now: MonotonicTime) -> [ReactorTimer] {
        var due: [ReactorTimer] = []
        while let first = entries.first, first.deadline <= now {
            removeFirst()
            if actions[first.identifier] != nil { due.append(ReactorTimer(identifier: first.identifier)) }
        }
        return due
    }

    /// The action of a timer that has come up; nil when it was cancelled meanwhile.
    mutating func takeAction(_ timer: ReactorTimer) -> Reactor.Job? {
        actions.removeValue(forKey: timer.identifier)
    }

    private mutating func removeFirst() {
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && entries[child].precedes(entries[smallest]) {
                smallest = child
            }
            if smallest == parent { return }
            entries.swapAt(parent, smallest)
            parent = smallest
        }
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0, entries[child].precedes(entries[(child - 1) / 2]) {
            entries.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }
}
