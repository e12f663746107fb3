import RedisClient
public import TimeCore

/// What a look at a shard has brought.
public struct TakenJobs: Sendable {
    /// They are the gateway's for as long as it renews them.
    public private(set) var jobs: [JobTicket] = []
    /// What is due.
    public private(set) var due: [DueItem] = []
    /// Until when that is left alone by others.
    public let dueUntil: WallTime
    /// How many broadcasts of the shard have not ended.
    public private(set) var unfinished = 0
    /// The same by tenant.
    public private(set) var unfinishedOf: [String: Int] = [:]
    /// Whether nothing was there to do. A look that has brought the last of what was there does not say so yet.
    public private(set) var isQuiet = false
    /// Of a quiet shard: when the next item of its due queue is due; nil without any.
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
