public import TimeCore

/// The result of a poll of a shard.
public struct TakenJobs: Sendable {
    /// The jobs, which belong to the gateway as long as it renews them.
    public private(set) var jobs: [JobTicket] = []
    /// The due items.
    public private(set) var due: [DueItem] = []
    /// The time until which other gateways do not take these items.
    public let dueUntil: WallTime
    /// The number of the shard's unfinished broadcasts.
    public private(set) var unfinished = 0
    /// The number of unfinished broadcasts by tenant.
    public private(set) var unfinishedOf: [String: Int] = [:]
    /// True if the shard had nothing to do. A poll that takes its last work does not count yet.
    public private(set) var isQuiet = false
    /// The time at which the next item of a quiet shard is due; nil if there is none.
    public private(set) var nextDue: WallTime?

    init(shard: Int, dueUntil: WallTime, _ reply: Scripts.TakeJobsReply) {
        self.dueUntil = dueUntil
        switch reply {
        case .quiet(let next):
            isQuiet = true
            nextDue = Double(next).flatMap { Int64(exactly: $0.rounded(.down)) }.map { WallTime(milliseconds: $0) }
        case .taken(let unfinished, let items, let counts, let texts):
            self.unfinished = unfinished
            due = items.compactMap { DueItem($0) }
            for (tenant, count) in counts {
                unfinishedOf[String(decoding: tenant, as: UTF8.self)] = Int(String(decoding: count, as: UTF8.self))
            }
            for start in stride(from: 0, to: texts.count - 4, by: 5) {
                if let job = JobTicket(shard: shard, texts[start..<(start + 5)]) { jobs.append(job) }
            }
        }
    }
}
