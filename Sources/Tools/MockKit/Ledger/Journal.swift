import Reactor

/// The counts and ledgers of a mock. The mock's thread writes them; any thread may read them.
package final class Journal: Sendable {
    private struct Waiter {
        let identifier: Int
        let isMet: @Sendable (ServerCounts) -> Bool
        let resume: @Sendable (Bool) -> Void
    }

    private struct State {
        var counts = ServerCounts()
        var processed: Ledger
        var unprocessed: Ledger
        var waiters: [Waiter] = []
        var nextWaiter = 0
        var isClosed = false

        /// Removes and returns the waiters whose condition is met.
        mutating func takeMet() -> [Waiter] {
            guard !waiters.isEmpty else { return [] }
            let counts = counts
            let met = waiters.filter { $0.isMet(counts) }
            if !met.isEmpty {
                let identifiers = Set(met.map(\.identifier))
                waiters.removeAll { identifiers.contains($0.identifier) }
            }
            return met
        }
    }

    private let state: Locked<State>
    /// True if requests are recorded one by one.
    package let keepsEntries: Bool

    package init(keepsEntries: Bool, capacity: Int) {
        self.keepsEntries = keepsEntries
        state = Locked(
            State(processed: Ledger(capacity: capacity), unprocessed: Ledger(capacity: capacity)))
    }

    // MARK: The mock's thread

    package func count(_ change: (inout ServerCounts) -> Void) {
        let met = state.withLock { state -> [Waiter] in
            change(&state.counts)
            return state.takeMet()
        }
        for waiter in met { waiter.resume(true) }
    }

    /// Counts a processed request and stores its record. Returns the record's index, nil if it was not stored.
    func recordRequest(_ record: Ledger.Record?, _ change: (inout ServerCounts) -> Void) -> Int? {
        let (index, met) = state.withLock { state -> (Int?, [Waiter]) in
            change(&state.counts)
            var index: Int?
            if let record {
                index = state.processed.append(record)
                if index == nil { state.counts.ledgerEntriesDropped += 1 }
            }
            return (index, state.takeMet())
        }
        for waiter in met { waiter.resume(true) }
        return index
    }

    func recordUnprocessed(_ record: Ledger.Record?) {
        if let record {
            state.withLock { state in
                if state.unprocessed.append(record) == nil { state.counts.ledgerEntriesDropped += 1 }
            }
        }
        count { $0.unprocessed += 1 }
    }

    func setSent(_ index: Int, _ wasSent: Bool) {
        state.withLock { $0.processed.setSent(index, wasSent) }
    }

    // MARK: Any thread

    package var counts: ServerCounts { state.withLock { $0.counts } }
    package var processed: [Ledger.Record] { state.withLock { $0.processed.records } }
    /// Returns at most `limit` records from index `first` on. Copies no others.
    package func processed(from first: Int, limit: Int) -> [Ledger.Record] {
        state.withLock { Array($0.processed.records.dropFirst(first).prefix(limit)) }
    }
    package var unprocessed: [Ledger.Record] { state.withLock { $0.unprocessed.records } }

    /// Calls `resume` once: with true when the condition is met, with false after `giveUp` or `close`. Returns the
    /// number for `giveUp`; nil if `resume` has already been called.
    package func await(
        _ isMet: @escaping @Sendable (ServerCounts) -> Bool, resume: @escaping @Sendable (Bool) -> Void
    ) -> Int? {
        let (identifier, answer) = state.withLock { state -> (Int?, Bool) in
            if isMet(state.counts) { return (nil, true) }
            if state.isClosed { return (nil, false) }
            let identifier = state.nextWaiter
            state.nextWaiter += 1
            state.waiters.append(Waiter(identifier: identifier, isMet: isMet, resume: resume))
            return (identifier, false)
        }
        if identifier == nil { resume(answer) }
        return identifier
    }

    package func giveUp(_ identifier: Int) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.identifier == identifier }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.resume(false)
    }

    package func close() {
        let waiters = state.withLock { state -> [Waiter] in
            state.isClosed = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(false) }
    }
}
