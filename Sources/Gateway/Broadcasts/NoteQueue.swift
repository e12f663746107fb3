import BroadcastCore
import GatewayStore

/// The notes of a start for the store: devices that will get a push now, and released ones that got none. Notes are
/// written one at a time in order, so that a release never follows the note of the next attempt.
struct NoteQueue {
    enum Entry {
        case run(BroadcastCore.Run)
        case release(page: Int, indexes: [UInt16])
    }

    private var entries: [(number: UInt32, entry: Entry)] = []
    private var lastNumber: UInt32 = 0
    /// The number of entries, from the first on, that are being written.
    private var underWay = 0
    /// True if the last write failed, and the next one waits.
    private var isPausing = false

    mutating func append(_ entry: Entry) {
        lastNumber += 1
        entries.append((lastNumber, entry))
    }

    /// Returns a number for a note outside the queue.
    mutating func nextNumber() -> UInt32 {
        lastNumber += 1
        return lastNumber
    }

    /// Returns the notes to write next; nil if there are none. Answer with `told`, `lost` or `failed`.
    mutating func next() -> [NotedRun]? {
        guard underWay == 0, !isPausing, !entries.isEmpty else { return nil }
        underWay = entries.count
        return entries.flatMap { number, entry in
            switch entry {
            case .run(let run):
                run.pages.map { NotedRun(.noted, number: number, page: $0.page, indexes: $0.indexes) }
            case .release(let page, let indexes):
                [NotedRun(.released, number: number, page: page, indexes: indexes)]
            }
        }
    }

    /// Removes the written entries and returns them.
    mutating func told() -> [Entry] {
        defer {
            entries.removeFirst(underWay)
            underWay = 0
        }
        return entries.prefix(underWay).map(\.entry)
    }

    /// Handles the loss of the job to another gateway, perhaps not of all partitions yet. Runs stay, to be given up.
    /// Returns the releases, to be written one by one.
    mutating func lost() -> [NotedRun] {
        underWay = 0
        let releases = entries.compactMap { number, entry in
            if case .release(let page, let indexes) = entry {
                NotedRun(.released, number: number, page: page, indexes: indexes)
            } else {
                nil
            }
        }
        entries.removeAll { if case .release = $0.entry { true } else { false } }
        return releases
    }

    /// Handles a failed write, which may have had an effect. All is written again after a pause until `resume`.
    mutating func failed() {
        underWay = 0
        isPausing = true
    }

    mutating func resume() {
        isPausing = false
    }

    /// Removes the runs that are not being written, and returns them.
    mutating func takeRuns() -> [BroadcastCore.Run] {
        var runs: [BroadcastCore.Run] = []
        entries = entries.enumerated().compactMap { place, entry in
            guard place >= underWay, case .run(let run) = entry.entry else { return entry }
            runs.append(run)
            return nil
        }
        return runs
    }
}
