import LiveActivity
import RedisClient
import RosterCore
import TimeCore

extension StoredTopicActivities {
    /// How many pages are looked at in one look; the others are looked at in the next.
    private static let pagesInLook = 256

    /// Queues the followers who have lost their Live Activity, or never got one: the start was refused or never sent,
    /// or the update token is dead. Only pages are read in which that has happened: it costs by what is wrong. Where
    /// silence is a reason all pages are read, some in each look.
    /// - Parameter silence: how long after its start a device that has reported nothing counts as one that has lost it;
    ///   nil for never.
    /// - Returns: how many slots were found.
    public func lookForLost(
        _ topic: TopicRecord, in record: ActivityRecord, _ lease: TopicLease, silence: TimeInterval?
    ) async throws(StoreError) -> Int {
        let activity = record.activity
        let partitions = record.partitions
        let replies = try await values(partitions.map { RedisCommand("HGETALL", Keys.looks(activity.id, $0)) })
        var noted: [(partition: Int, page: Int, count: String)] = []
        for (partition, reply) in zip(partitions, replies) {
            for (page, count) in reply.fields {
                guard let page = Int(String(decoding: page, as: UTF8.self)) else { continue }
                noted.append((partition, page, String(decoding: count, as: UTF8.self)))
            }
        }
        var found = 0
        for note in noted.prefix(StoredTopicActivities.pagesInLook) {
            found += try await look(at: note.page, topic.id, in: record, silence: nil)
            _ = try await run(
                Scripts.deleteField, [Keys.looks(activity.id, note.partition)], ["\(note.page)", note.count])
        }
        guard let silence else { return found }
        let pages = record.slots.pages.drop { $0 < topic.silentPage }
        for page in pages.prefix(StoredTopicActivities.pagesInLook) {
            found += try await look(at: page, topic.id, in: record, silence: silence)
        }
        let next = pages.dropFirst(StoredTopicActivities.pagesInLook).first ?? 0
        if next != topic.silentPage { try await note("silent_page", "\(next)", lease) }
        return found
    }

    /// Queues the users of the slots in a page that lack their Live Activity, and gives how many there are.
    func look(
        at page: Int, _ topic: TopicID, in record: ActivityRecord, silence: TimeInterval?
    ) async throws(StoreError) -> Int {
        let activity = record.activity
        // Who follows a channel need report nothing.
        let followsChannel = record.channels[RosterGeometry.kind(ofPage: page)] != nil
        let latest = followsChannel ? nil : silence.map { wallClock().seconds - Int64($0.nanoseconds / 1_000_000_000) }
        let reply = try await run(
            Scripts.findCardless,
            [
                Keys.statusPage(activity.id, page), Keys.updatePage(activity.id, page),
                Keys.outcomePage(activity.id, page),
            ],
            [latest.map { "\($0)" } ?? "", (activity.startedAt ?? activity.createdAt).seconds])
        let indexes = (reply.array ?? []).map { ($0.array ?? []).compactMap { $0.int.map { Int($0) } } }
        guard indexes.count == 2, !indexes.joined().isEmpty else { return 0 }
        let identities = try await identities(page, of: activity.id)
        let lost = indexes[0].compactMap { identities.identity($0)?.insiderID }
        if !lost.isEmpty { _ = try await value(queues.queue(lost, topic, at: wallClock())) }
        // Those wait whose start comes later, as they have had all that they may have for now.
        let silent = indexes[1].compactMap { identities.identity($0)?.insiderID }
        if !silent.isEmpty { _ = try await value(queues.queueUnlessQueued(silent, topic, at: wallClock())) }
        return lost.count + silent.count
    }

    /// Notes when it was looked.
    public func noteLook(_ lease: TopicLease) async throws(StoreError) {
        try await note("looked_at", "\(wallClock().milliseconds)", lease)
    }

    /// Whether it is time for a look.
    /// - Parameter interval: between looks.
    public func isTimeForLook(_ topic: TopicRecord, interval: TimeInterval) -> Bool {
        guard let last = topic.lookedAt else { return true }
        return last + interval <= wallClock() || last > wallClock() + interval
    }
}
