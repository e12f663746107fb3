import RedisClient
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

    init(shard: Int, dueUntil: WallTime, _ reply: RedisReplyView) {
        self.dueUntil = dueUntil
        if reply.kind == .bytes {
            isQuiet = true
            nextDue = Double(reply.string).flatMap { Int64(exactly: $0.rounded(.down)) }.map {
                WallTime(milliseconds: $0)
            }
            return
        }
        let elements = reply.elements
        guard let first = elements.first else { return }
        unfinished = Int(first.string) ?? 0
        guard elements.count > 1 else { return }
        due = elements[1].elements.compactMap { DueItem($0.string) }
        guard elements.count > 2 else { return }
        let counts = elements[2].elements.map(\.string)
        for place in stride(from: 0, to: counts.count - 1, by: 2) {
            unfinishedOf[counts[place]] = Int(counts[place + 1])
        }
        let texts = elements.dropFirst(3).map(\.string)
        for start in stride(from: 0, to: texts.count - 4, by: 5) {
            if let job = JobTicket(shard: shard, texts[start..<(start + 5)]) { jobs.append(job) }
        }
    }
}
