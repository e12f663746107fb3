import BroadcastCore
import GatewayStore

/// What the hold of a start has to tell the store about who is about to be sent something, and who is not after all.
/// One telling at a time and in order, so that a release never comes behind the note of the next try.
struct NoteQueue {
    enum Entry {
        case run(BroadcastCore.Run)
        case release(page: Int, indexes: [UInt16])
    }

    private var entries: [(number: UInt32, entry: Entry)] = []
    private var lastNumber: UInt32 = 0
    /// How many of the entries, from the first on, are being told.
    private var underWay = 0
    /// Whether the last telling failed, and the next waits.
    private var isPausing = false

    mutating func append(_ entry: Entry) {
        lastNumber += 1
        entries.append((lastNumber, entry))
    }

    /// A number for what is told beside the queue.
    mutating func nextNumber() -> UInt32 {
        lastNumber += 1
        return lastNumber
    }

    /// What is told next; nil when nothing is. Answer with `told`, `lost` or `failed`.
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

    /// The store has it; what it was.
    mutating func told() -> [Entry] {
        defer {
            entries.removeFirst(underWay)
            underWay = 0
        }
        return entries.prefix(underWay).map(\.entry)
    }

    /// Somebody else works on the job, perhaps not yet on all of its partitions. Runs stay, to be given up; the
    /// releases, which are to be told one by one.
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

    /// It may have been taken or not: all of it is told again, after a pause that ends with `resume`.
    mutating func failed() {
        underWay = 0
        isPausing = true
    }

    mutating func resume() {
        isPausing = false
    }

    /// Takes the runs out that are not being told.
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
