public import LiveActivity

/// A part of a broadcast that one gateway works on at a time: a partition, or all of a broadcast to a target list. An
/// entry of a stream, taken in a consumer group.
public struct JobTicket: Hashable, Sendable {
    public let shard: Int
    public let lane: JobLane
    /// The entry's id in its stream.
    let entry: String
    public let broadcastID: UniqueID
    public let activityID: UniqueID
    /// Nil for all partitions.
    public let partition: Int?

    /// What the partition goes by in scripts.
    var part: String { partition.map { "\($0)" } ?? "*" }

    var stream: String { Keys.jobs(shard, lane) }

    init?(shard: Int, _ parts: ArraySlice<String>) {
        let parts = Array(parts)
        guard parts.count == 5, let lane = Int(parts[0]).flatMap(JobLane.init), let broadcast = UniqueID(parts[2]),
            let activity = UniqueID(parts[3]), parts[4] == "*" || (Int(parts[4]) ?? -1) >= 0
        else { return nil }
        self.shard = shard
        self.lane = lane
        entry = parts[1]
        broadcastID = broadcast
        activityID = activity
        partition = Int(parts[4])
    }
}

/// What is to be done about a page, as the one who worked on it before left it.
public enum PageProgress: UInt8, Sendable {
    /// Nothing was sent, or who was sent something has a fate.
    case untouched = 0x30
    /// A start was being sent when its gateway was lost: to whom, nobody knows.
    case begun = 0x31
    case done = 0x32
}

/// How far a job is, page by page.
public struct JobProgress: Sendable {
    private var pages: [Int: [UInt8]] = [:]
    /// A newer broadcast has taken over: nothing is to be sent, but all that is left has to be counted.
    public internal(set) var isSuperseded = false
    /// Why nothing is to be sent any more.
    public internal(set) var stopReason: String?

    init() {}

    mutating func set(_ partition: Int, _ states: [UInt8]) {
        pages[partition] = states
    }

    public func state(ofPage page: Int) -> PageProgress {
        let states = pages[RosterGeometry.partition(ofPage: page)] ?? []
        let index = page % RosterGeometry.pagesPerPartition
        return index < states.count ? PageProgress(rawValue: states[index]) ?? .untouched : .untouched
    }
}
