public import Delivery
public import LiveActivity
import RedisClient
import RosterCore
public import TimeCore

/// A broadcast's record with the counts so far.
public struct BroadcastRecord: Sendable {
    /// The id of the broadcast, and of its schedule if there is one.
    public let id: UniqueID
    /// The tenant of the activity.
    public let tenantID: String
    /// The activity of the broadcast.
    public let activityID: UniqueID
    /// A start, an update or an end.
    public let kind: PushEvent
    /// The state. `failed` means that the broadcast was stopped, or that pages could not be read.
    public let state: BroadcastState
    /// The reason why nothing is sent at present; nil if the broadcast continues or has ended.
    public let pause: BroadcastPause?
    /// The outcomes of its devices so far. Until it ends, they are of finished pages and of reported outcomes of a
    /// start.
    public let counts: BroadcastCounts
    /// The updates of the activity that were pushed in this one's hour, including this one once it has begun; 0 for
    /// other kinds.
    public let updatesThisHour: Int
    /// The time of the record.
    public let createdAt: WallTime
    /// The time at which its first job began; nil before that.
    public let startedAt: WallTime?
    /// The times of its pushes. Nil if there were none, before its first job is done, and for an update sent at once.
    public let pushes: PushTimes?
    /// The time at which its last job was done; nil until then.
    public let finishedAt: WallTime?
    /// The number of devices addressed when it was recorded, including those skipped beforehand.
    let addressed: Int
    /// True if the broadcast's events are recorded for the tenant.
    let recordsEvents: Bool
    /// The reason of an end.
    let endReason: EndReason
    /// True if the provider refused many of its tokens because they are of another environment or app.
    public let hasWrongEnvironment: Bool
    /// The cause of the broadcast's events.
    let source: EventSource

    /// The number of its devices: the addressed ones, and after its end those with an outcome.
    public var total: Int { state.isFinal ? counts.total : max(addressed, counts.total) }

    /// Accepted and failed pushes per second, to one decimal; nil until the broadcast has ended.
    public var pushesPerSecond: Double? {
        let begin = startedAt ?? createdAt
        guard let finishedAt, finishedAt > begin else { return nil }
        let rate = Double(counts.pushes) * 1000 / Double(finishedAt.milliseconds - begin.milliseconds)
        return (rate * 10).rounded() / 10
    }
}

/// A pause of a broadcast until pushes can be sent again.
public struct BroadcastPause: Equatable, Sendable {
    /// The cause of the pause in one word.
    public let reason: String
    /// The time at which the pause began.
    public let since: WallTime
}

extension StoredBroadcasts {
    /// The record of a broadcast; nil if it does not exist. Costs a read for each partition while it is under way.
    /// - Parameter tenantID: Pass nil for a broadcast of any tenant. Another tenant's broadcast is read in the same
    ///   steps as one that does not exist.
    public func broadcast(_ id: UniqueID, of tenantID: String? = nil) async throws(StoreError) -> BroadcastRecord? {
        let pointers = try await values(
            [Keys.broadcastPointer(id), Keys.activityPointer(id)].map { RedisCommand("GET", $0) })
        let activity = pointers.lazy.compactMap { $0.string.flatMap { UniqueID($0) } }.first
        // A broadcast that is named after its activity has no pointer.
        return try await broadcast(id, in: activity ?? id.activity, of: tenantID)
    }

    /// The record of a broadcast of a known activity, of any tenant.
    public func broadcast(_ id: UniqueID, in activityID: UniqueID) async throws(StoreError) -> BroadcastRecord? {
        try await broadcast(id, in: activityID, of: nil)
    }

    private func broadcast(
        _ id: UniqueID, in activityID: UniqueID, of tenantID: String?
    ) async throws(StoreError) -> BroadcastRecord? {
        let replies = try await values(
            [
                RedisCommand("HGETALL", Keys.activity(activityID)),
                RedisCommand("HMGET", arguments: [Keys.broadcast(activityID, id)] + BroadcastRecord.fields),
                // Read after the record, so that an ended record that replaced it in between is found.
            ] + EndedBroadcast.reads(id, in: activityID))
        guard let activity = ActivityRecord(activityID, replies[0].fields),
            tenantID == nil || activity.activity.tenantID == tenantID
        else { return nil }
        return try await broadcast(id, of: activity, replies[1], replies[2...])
    }

    /// The newest broadcasts of an activity, in descending order of time.
    func recentBroadcasts(of activity: ActivityRecord) async throws(StoreError) -> [BroadcastRecord] {
        let id = activity.activity.id
        let lists = try await values(
            [Keys.recentBroadcasts(id), Keys.recentFollowerBroadcasts(id)].map { RedisCommand("LRANGE", $0, 0, -1) })
        let read = lists.map { ($0.array ?? []).compactMap { $0.string.flatMap { UniqueID($0) } } }
        let whole = try await broadcasts(activity.recent + read[0], of: activity)
        let followers = try await broadcasts(read[1], of: activity)
        return StoredBroadcasts.inOrder(
            StoredBroadcasts.inOrder(whole).prefix(ActivityStatus.recentBroadcasts) + followers)
    }

    /// Sorts the newest first. Records of the same millisecond keep their order.
    private static func inOrder(_ records: [BroadcastRecord]) -> [BroadcastRecord] {
        records.enumerated().sorted {
            ($1.element.createdAt, $0.offset) < ($0.element.createdAt, $1.offset)
        }.map(\.element)
    }

    /// Reads the records of those broadcasts that exist.
    private func broadcasts(
        _ ids: [UniqueID], of activity: ActivityRecord
    ) async throws(StoreError) -> [BroadcastRecord] {
        let id = activity.activity.id
        let commands = ids.flatMap {
            [RedisCommand("HMGET", arguments: [Keys.broadcast(id, $0)] + BroadcastRecord.fields)]
                + EndedBroadcast.reads($0, in: id)
        }
        let replies = try await values(commands)
        guard replies.count == commands.count, !ids.isEmpty else { return [] }
        let each = commands.count / ids.count
        var records: [BroadcastRecord] = []
        for (place, broadcast) in ids.enumerated() {
            let own = replies[(place * each)..<((place + 1) * each)]
            let record = try await self.broadcast(broadcast, of: activity, own.first ?? .null, own.dropFirst())
            if let record { records.append(record) }
        }
        return records
    }

    private func broadcast(
        _ id: UniqueID, of activity: ActivityRecord, _ reply: RedisValue, _ ended: some Sequence<RedisValue>
    ) async throws(StoreError) -> BroadcastRecord? {
        let kept = EndedBroadcast(ended, madeAt: activity.activity.createdAt).map { BroadcastRecord.Read($0) }
        guard var read = BroadcastRecord.Read(reply) ?? kept else { return nil }
        var counts = read.counts
        let activityID = activity.activity.id
        if !read.state.isFinal {
            let partitions = read.partitions ?? activity.partitions
            let progress = try await progress(of: id, activityID, partitions, read.channels).counts
            // The end is written before the progress is deleted. If the record is still open after the progress was
            // read, the progress was complete, so counts never fall.
            if let ended = try await self.ended(id, of: activity) {
                read = ended
                counts = read.counts
            } else {
                counts.add(progress)
                counts.cohorts.cover(read.covered)
            }
        }
        if read.kind == .start {
            let partitions = read.partitions ?? activity.partitions
            for (kind, proven) in try await proven(id, counts, activityID, partitions) {
                counts.settle(proven: proven, of: Cohort(kind, isToChannel: read.channels[kind] != nil))
            }
        }
        return BroadcastRecord(
            id: id, tenantID: activity.activity.tenantID, activityID: activityID, kind: read.kind, state: read.state,
            pause: read.state.isFinal ? nil : read.pause, counts: counts, updatesThisHour: read.updatesThisHour,
            createdAt: read.createdAt, startedAt: read.startedAt, pushes: read.pushes,
            finishedAt: read.finishedAt, addressed: read.addressed,
            recordsEvents: read.recordsEvents, endReason: read.endReason,
            hasWrongEnvironment: read.hasWrongEnvironment, source: read.source)
    }

    /// The record of a broadcast that has ended; nil while it is open.
    private func ended(
        _ id: UniqueID, of activity: ActivityRecord
    ) async throws(StoreError) -> BroadcastRecord.Read? {
        let activityID = activity.activity.id
        let replies = try await values(
            [RedisCommand("HMGET", arguments: [Keys.broadcast(activityID, id)] + BroadcastRecord.fields)]
                + EndedBroadcast.reads(id, in: activityID))
        let kept = EndedBroadcast(replies.dropFirst(), madeAt: activity.activity.createdAt)
        let read = BroadcastRecord.Read(replies.first ?? .null) ?? kept.map { BroadcastRecord.Read($0) }
        return read.flatMap { $0.state.isFinal ? $0 : nil }
    }

    /// The number of devices in doubt that have reported their Live Activity since, by partition.
    private func proven(
        _ id: UniqueID, _ counts: BroadcastCounts, _ activityID: UniqueID, _ partitions: [Int]
    ) async throws(StoreError) -> [(kind: RouteKind, count: Int)] {
        guard counts.unknown > 0 else { return [] }
        let replies = try await values(
            partitions.map { RedisCommand("HGET", Keys.counters(activityID, $0), "proven:\(id)") })
        return zip(partitions, replies).map { partition, reply in
            let kind = RosterGeometry.kind(ofPartition: partition)
            return (kind, Int(reply.int ?? reply.string.flatMap(Int64.init) ?? 0))
        }
    }

    /// True if a broadcast has ended or is not known. Costs one read.
    public func hasEnded(_ id: UniqueID, in activityID: UniqueID) async throws(StoreError) -> Bool {
        let state = try await value(RedisCommand("HGET", Keys.broadcast(activityID, id), "state")).string
        return state.flatMap(BroadcastState.init)?.isFinal ?? true
    }

    /// The counts that the gateways of a broadcast have written so far.
    func progress(
        of id: UniqueID, _ activityID: UniqueID, _ partitions: [Int], _ channels: Channels
    ) async throws(StoreError) -> (counts: BroadcastCounts, hasFailed: Bool, isSuperseded: Bool) {
        let replies = try await values(
            partitions.map { RedisCommand("HGETALL", Keys.progress(activityID, $0, id)) })
        var counts = BroadcastCounts()
        var (hasFailed, isSuperseded) = (false, false)
        for (partition, reply) in zip(partitions, replies) {
            var own = BroadcastCounts()
            for field in reply.fields {
                let name = String(decoding: field.name, as: UTF8.self)
                if name == PageOutcome.failedMark { hasFailed = true }
                if name == PageOutcome.supersededMark { isSuperseded = true }
                own.add(field: name, Int(String(decoding: field.value, as: UTF8.self)) ?? 0)
            }
            let kind = RosterGeometry.kind(ofPartition: partition)
            own.cohorts.add(own, of: Cohort(kind, isToChannel: channels[kind] != nil))
            counts.add(own)
        }
        return (counts, hasFailed, isSuperseded)
    }
}

extension BroadcastRecord {
    fileprivate static let fields = [
        "kind", "state", "created_at", "finished_at", "accepted", "failed", "skipped", "skipped_before", "updates",
        "parts", "started_at", "devices", "events", "reason", "paused", "paused_at",
        "cohorts", "channels", "wrong_environment", "follows", "covered",
        "first_push", "last_push", "source",
    ]

    fileprivate struct Read {
        let kind: PushEvent
        let state: BroadcastState
        let createdAt: WallTime
        let startedAt: WallTime?
        let pushes: PushTimes?
        let finishedAt: WallTime?
        let addressed: Int
        let counts: BroadcastCounts
        let updatesThisHour: Int
        /// The partitions of the target list; nil for all of the activity.
        let partitions: [Int]?
        let recordsEvents: Bool
        let endReason: EndReason
        let pause: BroadcastPause?
        /// The channels that it is sent to, or that the devices of a start follow.
        let channels: Channels
        let covered: Int
        let hasWrongEnvironment: Bool
        let source: EventSource

        init?(_ reply: RedisValue) {
            guard let values = reply.array, values.count == BroadcastRecord.fields.count,
                let kind = values[0].string.flatMap(PushEvent.init),
                let state = values[1].string.flatMap(BroadcastState.init), let createdAt = values[2].int
            else { return nil }
            self.kind = kind
            self.state = state
            self.createdAt = WallTime(milliseconds: createdAt)
            startedAt = values[10].int.map(WallTime.init(milliseconds:))
            let times = values[21...22].map { $0.int.map(WallTime.init(milliseconds:)) }
            if let first = times[0], let last = times[1] {
                pushes = PushTimes(first: first, last: last)
            } else {
                pushes = nil
            }
            finishedAt = values[3].int.map(WallTime.init(milliseconds:))
            let before = BroadcastCounts(accepted: nil, failed: nil, skipped: values[7].string)
            addressed = Int(values[11].int ?? 0) + before.total
            counts = BroadcastCounts(
                accepted: values[4].string, failed: values[5].string,
                skipped: state.isFinal ? values[6].string : values[7].string, cohorts: values[16].string)
            channels = Channels(values[17].string ?? values[19].string)
            covered = Int(values[20].int ?? 0)
            hasWrongEnvironment = values[18].string == "1"
            source = values[23].string.flatMap(EventSource.init) ?? .customer
            updatesThisHour = Int(values[8].int ?? 0)
            partitions = values[9].string.map { $0.split(separator: ",").compactMap { Int($0) } }
            let pausedAt = WallTime(milliseconds: values[15].int ?? createdAt)
            pause = values[14].string.map { BroadcastPause(reason: $0, since: pausedAt) }
            recordsEvents = values[12].string == "1"
            endReason = values[13].int.flatMap { UInt8(exactly: $0) }.flatMap(EndReason.init) ?? .endedByAPI
        }

        init(_ ended: EndedBroadcast) {
            (kind, state, counts) = (ended.kind, ended.state, ended.counts)
            (createdAt, startedAt, finishedAt) = (ended.createdAt, ended.startedAt, ended.finishedAt)
            pushes = ended.pushes
            (updatesThisHour, recordsEvents) = (ended.updatesThisHour, ended.recordsEvents)
            (endReason, hasWrongEnvironment) = (ended.endReason, ended.hasWrongEnvironment)
            source = ended.source
            (channels, partitions, pause) = (ended.follows, nil, nil)
            // The counts of an ended broadcast include these.
            (addressed, covered) = (0, 0)
        }
    }
}
