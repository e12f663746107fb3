public import Delivery
public import LiveActivity
import RedisClient
import RosterCore
import TimeCore

extension ActivityReader {
    /// Returns the status of an activity; nil if it does not exist, or has been dead for `ActivityStatus.timeAfterEnd`.
    public func status(of id: UniqueID) async throws(StoreError) -> ActivityStatus? {
        let fields = try await value(RedisCommand("HGETALL", Keys.activity(id))).fields
        return ActivityStatus(id, fields, now: wallClock())
    }

    /// The newest broadcasts of an activity, the newest first: at most `ActivityStatus.recentBroadcasts`, and as many
    /// of those to single followers of its topic.
    public func recentBroadcasts(of status: ActivityStatus) async throws(StoreError) -> [BroadcastRecord] {
        try await broadcasts.recentBroadcasts(of: status.record)
    }

    /// The numbers of the segment's devices in each state, by cohort. Redis counts a few pages at a time, so other
    /// requests wait little: about a tenth of a microsecond for each device.
    public func stateCounts(in record: ActivityRecord) async throws(StoreError) -> [Cohort: DeviceStateCounts] {
        var counts: [Cohort: DeviceStateCounts] = [:]
        // This read comes first, so the counts include all results of a start that is over.
        let isStartOver = try await isStartOver(record)
        var parts: [Count] = []
        for pages in ActivityReader.countedTogether(record.slots.pages) {
            parts.append(
                Count(
                    cohort: record.cohort(ofPage: pages[0]), channelEnd: record.channelEnd(ofPage: pages[0]),
                    call: countStates(pages, record)))
            guard parts.count == ActivityReader.countsAtOnce else { continue }
            try await add(parts, to: &counts, isStartOver)
            parts = []
        }
        try await add(parts, to: &counts, isStartOver)
        return counts
    }

    /// The times from start to sync, by cohort. Costs one read for each partition.
    public func timeToSync(in record: ActivityRecord) async throws(StoreError) -> [Cohort: TimeToSync] {
        let id = record.activity.id
        let partitions = record.partitions
        let replies = try await values(
            partitions.map { RedisCommand("HMGET", arguments: [Keys.counters(id, $0)] + TimeToSync.fields) })
        return zip(partitions, replies).reduce(into: [:]) { times, entry in
            let counts = (entry.1.array ?? []).map { Int($0.int ?? 0) }
            times[record.cohort(ofPartition: entry.0), default: TimeToSync()].add(TimeToSync(counts))
        }
    }

    /// The number of Live Activities that devices have reported as dismissed. Costs one read for each partition.
    public func dismissals(in record: ActivityRecord) async throws(StoreError) -> Int {
        let replies = try await values(
            record.partitions.map { RedisCommand("HGET", Keys.counters(record.activity.id, $0), "dismissals") })
        return replies.reduce(0) { $0 + Int($1.int ?? 0) }
    }

    /// True if the whole segment was started on and no start is in progress. A device without an outcome was then
    /// left out. False after a start to a list, because the device may not have been on it.
    func isStartOver(_ record: ActivityRecord) async throws(StoreError) -> Bool {
        guard record.wasStartedWhole else { return false }
        return try await !isStarting(record.activity.id)
    }

    /// True if a start of the activity is in progress, the first one or a later one.
    func isStarting(_ activity: UniqueID) async throws(StoreError) -> Bool {
        let open = try await value(RedisCommand("HGETALL", Keys.openBroadcasts(activity))).fields
        return open.contains { OpenBroadcast($0, $1)?.kind == .start }
    }

    /// The number of pages that one script counts, in less than a millisecond of Redis's time.
    static let pagesPerCount = 8
    /// The number of count scripts in flight. Redis runs the pipelined commands of one connection without a break.
    static let countsAtOnce = 2

    /// Groups pages of one partition, because they are on one node.
    static func countedTogether(_ pages: [Int], atMost most: Int = pagesPerCount) -> [[Int]] {
        pages.reduce(into: []) { groups, page in
            if let last = groups.last?.last, groups[groups.count - 1].count < most,
                RosterGeometry.partition(ofPage: last) == RosterGeometry.partition(ofPage: page)
            {
                groups[groups.count - 1].append(page)
            } else {
                groups.append([page])
            }
        }
    }

    private func countStates(_ pages: [Int], _ record: ActivityRecord) -> ScriptCall<[Scripts.CountStatesReply]> {
        let id = record.activity.id
        var arguments: [any RedisArgumentConvertible] = []
        for page in pages {
            let ranges = record.slots.indexes(inPage: page)
            arguments.append(ranges.count)
            for range in ranges { arguments += [range.lowerBound, range.upperBound] as [any RedisArgumentConvertible] }
        }
        return Scripts.countStates(
            pages: pages.flatMap { [Keys.statusPage(id, $0), Keys.updatePage(id, $0)] }, ranges: arguments)
    }

    /// The count of pages of one cohort.
    private struct Count {
        let cohort: Cohort
        let channelEnd: EndReason?
        let call: ScriptCall<[Scripts.CountStatesReply]>
    }

    private func add(
        _ parts: [Count], to counts: inout [Cohort: DeviceStateCounts],
        _ isStartOver: Bool
    ) async throws(StoreError) {
        guard !parts.isEmpty else { return }
        for (part, reply) in zip(parts, try await values(parts.map(\.call.command))) {
            for state in try part.call.reply(reply) {
                counts[part.cohort, default: DeviceStateCounts()].add(
                    key: state.key, state.count, isStartOver: isStartOver, channelEnd: part.channelEnd)
            }
        }
    }
}
