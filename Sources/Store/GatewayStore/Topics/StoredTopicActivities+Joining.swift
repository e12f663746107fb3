import Delivery
import LiveActivity
import RedisClient
import RosterCore
public import TimeCore

/// A follower in the queue of a topic.
public struct QueuedFollower: Sendable {
    /// The user's insider_id.
    public let insiderID: String
    /// The due time, in the form of the queue's score.
    let at: String
}

/// The starts and ends due for some followers of a running topic.
public struct FollowerWork: Sendable {
    /// Slots whose Live Activity is to be started.
    public internal(set) var starts: [UInt32] = []
    /// The number of users who have joined.
    public internal(set) var users = 0
    /// Slots of users who no longer follow, whose Live Activity is to be ended.
    public internal(set) var ends: [UInt32] = []
    /// The followers that were read, all of one source.
    public internal(set) var followers: [String] = []
    /// The cause of the events of these starts and ends.
    public internal(set) var source = EventSource.customer
    /// The followers who may be started later, and the times. Their Live Activities are being started or ended, or have
    /// just lost their tokens, or they had the most starts of an hour.
    public internal(set) var later: [(insiderID: String, at: WallTime)] = []
    /// True if a device is not started again because its last start was refused due to the present content.
    public internal(set) var hasRefusedContent = false
    /// False if the caller no longer drives the topic, the activity does not run, or it is full.
    public internal(set) var isPlaced = true
}

extension StoredTopicActivities {
    /// The most followers of one batch.
    public static let batch = 1000

    /// The followers that are due, the oldest first.
    public func queued(_ topic: TopicID) async throws(StoreError) -> [QueuedFollower] {
        let reply = try await value(
            RedisCommand(
                "ZRANGEBYSCORE", Keys.topicQueue(topic), "-inf", wallClock().milliseconds, "WITHSCORES", "LIMIT", 0,
                StoredTopicActivities.batch))
        let parts = reply.array ?? []
        return stride(from: 0, to: parts.count - 1, by: 2).compactMap { index in
            guard let id = parts[index].string, let at = parts[index + 1].string else { return nil }
            return QueuedFollower(insiderID: id, at: at)
        }
    }

    /// Removes followers from the queue, unless they were queued anew.
    /// - Parameter later: The followers to queue again, and the times.
    public func settle(
        _ followers: [QueuedFollower], later: [(insiderID: String, at: WallTime)], _ topic: TopicID
    ) async throws(StoreError) {
        let settle = Scripts.settleFollowers(
            topic: Keys.topic(topic), entries: followers.flatMap { [$0.insiderID, $0.at] })
        _ = try await values([settle.command] + later.map { queues.queue([$0.insiderID], topic, at: $0.at) })
    }

    /// Finds the work for followers of a running topic, and gives places to those that have none and should have one.
    /// If events of followers have different sources, it reads only the followers of the first one's source.
    ///
    /// A device that is started again gets another place, because the outcome in the former place is final. Places
    /// without a start stay recorded (`TopicRecord.placing`) if the gateway dies in between, see `UnstartedFollowers`.
    /// - Parameters:
    ///   - served: The kinds of route that the app can push to.
    ///   - healLimit: The most starts in an hour of a user whose Live Activity was lost. A start that was refused due
    ///     to its content does not count.
    ///   - contentSince: The time of the newest content.
    public func work(
        for followers: [String], in record: ActivityRecord, _ lease: TopicLease, served: Set<RouteKind>?,
        healLimit: Int, contentSince: WallTime
    ) async throws(StoreError) -> FollowerWork {
        let activity = record.activity
        // Read before the places, so the outcomes of a start that is over are in them.
        let underWay = try await places.underWay(in: activity.id)
        let (followers, source) = try await queued(followers, in: record, underWay, lease.topic)
        var ending = underWay.ending
        let ended = followers.filter(\.follows).flatMap { $0.places.filter(\.hasEnded).map(\.slot) }
        ending.formUnion(try await places.slotsJustEnded(of: ended, in: activity.id))
        var batch = FollowerBatch(
            record: record, served: served, followers: followers,
            shown: try await devices.handOvers.shown(followers.map(\.user), in: activity.id).map { Set($0.keys) },
            isStarting: underWay.isAnyStarting, ending: ending,
            refusedSince: contentSince + StoredTopicActivities.contentMargin, now: wallClock())
        (batch.work.followers, batch.work.source) = (followers.map(\.insiderID), source)
        let lost = batch.lost
        let allowed = try await mayStartAgain(lost.map { followers[$0].insiderID }, healLimit, lease.topic)
        batch.decide(restartedAt: Dictionary(uniqueKeysWithValues: zip(lost, allowed)).compactMapValues(\.self))
        try await noteWaiting(batch.placeless, lease.topic, type: activity.type, served)
        try await revive(followers.filter(\.follows).flatMap { $0.places.filter(\.isKept).map(\.slot) }, activity)
        var (work, draft) = (batch.work, batch.draft)
        guard !draft.entries.isEmpty else { return work }
        try await place(&draft, in: record, lease, &work)
        guard work.isPlaced else { return work }
        try await roster.vacate(abandonedPlaces(draft, activity).map(\.left).sorted(), in: activity)
        return work
    }

    /// Reads followers of the queue.
    /// - Returns: The followers whose events have the same source as the first one's, and that source.
    private func queued(
        _ followers: [String], in record: ActivityRecord, _ underWay: TopicPlaces.UnderWay, _ topic: TopicID
    ) async throws(StoreError) -> ([FollowerBatch.Follower], EventSource) {
        let stances = try await self.followers.stances(followers, topic)
        let users = try await devices.users(followers, tenantID: record.activity.tenantID)
        let places = try await self.places.read(of: users, in: record, underWay)
        let all = followers.indices.map { index in
            let (stance, places) = (stances[index], places[index])
            // The owner's list starts a user without a Live Activity, and ends the others. What else there is to do for
            // a user on it comes of the user's devices.
            let isOwners = !stance.isOwnWord && (!stance.follows || places.allSatisfy(\.hasEnded))
            return FollowerBatch.Follower(
                insiderID: followers[index], follows: stance.follows, source: isOwners ? .customer : .device,
                user: users[index], places: places)
        }
        let source = all.first?.source ?? .customer
        return (all.filter { $0.source == source }, source)
    }

    /// The places that devices of a draft leave, and those that they take once it is placed.
    private func abandonedPlaces(_ draft: RosterDraft, _ activity: Activity) -> [(left: UInt32, taken: UInt32)] {
        draft.users.flatMap { user in
            let membership = user.record.membership(in: activity.id)
            return draft.entries[user.entries].compactMap { entry in
                membership?.slot(device: entry.device).map { (left: $0, taken: entry.slot) }
            }
        }
    }

    /// Records that the start in a place is not its device's first one. This distinguishes reports of an earlier Live
    /// Activity from those of the present one.
    private func noteLaterStarts(_ slots: [UInt32], _ activity: Activity) async throws(StoreError) {
        guard !slots.isEmpty else { return }
        let order = try await value(RedisCommand("HGET", Keys.activity(activity.id), "order")).int ?? 0
        let note = StartNote(number: 1, preparedAt: wallClock(), order: Int(order)).text
        let commands = Dictionary(grouping: slots, by: RosterGeometry.partition(ofSlot:)).flatMap { partition, slots in
            let key = Keys.startCounts(activity.id, partition)
            return slots.map { RedisCommand("HSET", key, Int($0), note) }
                + [RedisCommand("PEXPIREAT", key, activity.keptUntil.milliseconds)]
        }
        _ = try await values(commands)
    }

    /// The time after newer content within which a refusal may still be of the former content.
    private static let contentMargin = TimeInterval.seconds(10)

    /// Gives slots to the devices of a draft, and makes their users members.
    private func place(
        _ draft: inout RosterDraft, in record: ActivityRecord, _ lease: TopicLease, _ work: inout FollowerWork
    ) async throws(StoreError) {
        let activity = record.activity
        let wanted = draft.wanted
        let bands: [any RedisArgumentConvertible] = wanted.sizes.flatMap {
            kind, count -> [any RedisArgumentConvertible] in
            [BandSizes.field(kind), count, Int(RosterGeometry.firstSlot(of: kind))]
        }
        let leaving = SlotList.encode(abandonedPlaces(draft, activity).map(\.left).sorted())
        let sizes = try await run(
            Scripts.reserveTopicSlots(
                activity: Keys.activity(activity.id), topic: Keys.topic(lease.topic), driver: lease.token,
                most: StoredRoster.maximumSlots, leaving: leaving, bands: bands))
        guard let sizes, sizes.count == wanted.sizes.count else {
            work.isPlaced = false
            return
        }
        var before = BandSizes()
        for (band, size) in zip(wanted.sizes, sizes) { before[band.kind] = size }
        draft.place(&before)
        let writer = RosterWriter(activity: activity.id, expiresAt: activity.keptUntil.milliseconds, draft: draft)
        // The start pages stay while the activity runs, because other starts may be in progress on the same page.
        let partitions = Set(draft.entries.map { RosterGeometry.partition(ofSlot: $0.slot) })
        let stay = partitions.map { RedisCommand("HSET", Keys.counters(activity.id, $0), "restart", "topic") }
        _ = try await values(writer.addedCells() + stay)
        let abandoned = abandonedPlaces(draft, activity)
        try await noteLaterStarts(abandoned.map(\.taken), activity)
        try await roster.carryFormerTokens(abandoned, in: activity, areOver: true)
        try await activities.join(writer, activity, now: wallClock())
        work.starts = draft.entries.map(\.slot).sorted()
        work.users = draft.users.count { $0.record.membership(in: activity.id) == nil }
    }

    /// Returns nil for each user who may be started again now, else the earliest time.
    private func mayStartAgain(
        _ insiderIDs: [String], _ limit: Int, _ topic: TopicID
    ) async throws(StoreError) -> [WallTime?] {
        guard !insiderIDs.isEmpty else { return [] }
        let times = try await run(
            Scripts.noteStarts(
                topic: Keys.topic(topic), now: wallClock().milliseconds, most: limit, users: insiderIDs))
        return times.map { $0 > 0 ? WallTime(milliseconds: Int64($0)) : nil }
    }

    /// Revokes pending ends of users who follow again.
    private func revive(_ slots: [UInt32], _ activity: Activity) async throws(StoreError) {
        guard !slots.isEmpty else { return }
        _ = try await values(
            Dictionary(grouping: slots, by: RosterGeometry.partition(ofSlot:)).map { partition, slots in
                var builder = RedisCommandBuilder("HDEL")
                builder.append(Keys.pendingEnds(activity.id, partition))
                for slot in slots { builder.append(Int(slot)) }
                return builder.finish()
            })
    }
}
