public import LiveActivity
import RedisClient
import RosterCore
public import TimeCore

extension StoredRestarts {
    /// The content and position for the healing of an activity; nil if the activity does not heal or has ended.
    public func healingState(of record: ActivityRecord) async throws(StoreError) -> HealingState? {
        let command = RedisCommand(
            "HMGET", Keys.healing(record.activity.id), "start", "start_id", "update", "update_id", "page")
        let fields = try await value(command).array ?? []
        guard fields.count == 5, let kept = fields[0].bytes else { return nil }
        func open(_ kept: [UInt8], _ id: String?) -> [UInt8]? {
            guard ContentSealer.isSealed(kept) else { return kept }
            return id.flatMap { UniqueID($0) }.flatMap {
                opened(kept, of: $0, tenantID: record.activity.tenantID)?.bytes(timestamp: 0)
            }
        }
        let start = open(kept, fields[1].string)
        let newest = fields[2].bytes.map { open($0, fields[3].string) } ?? start
        var payload: Payload?
        if let start, let newest { payload = Payload.start(start, withStateOf: newest) }
        return HealingState(payload: payload, page: fields[4].int.map { Int($0) } ?? 0)
    }

    /// The most pages of one search, some 440,000 slots. Redis searches a few pages at a time.
    static let healingPagesAtOnce = 512

    /// Searches a part of an activity's roster for devices to be started again. Redis returns only the pages with these
    /// devices. The search does not read the users of devices.
    /// - Parameter first: The page to begin at.
    public func lookForHealing(
        _ healing: Healing, of record: ActivityRecord, from first: Int
    ) async throws(StoreError) -> HealingLook {
        try await lookForHealing(healing, of: record, from: first, pages: StoredRestarts.healingPagesAtOnce)
    }

    func lookForHealing(
        _ healing: Healing, of record: ActivityRecord, from first: Int, pages most: Int
    ) async throws(StoreError) -> HealingLook {
        let pages = record.slots.pages.drop { $0 < first }
        let groups = ActivityReader.countedTogether(
            Array(pages.prefix(most)), atMost: ActivityReader.pagesPerCount)
        var found: [Int] = []
        for start in stride(from: 0, to: groups.count, by: ActivityReader.countsAtOnce) {
            let part = groups[start..<min(groups.count, start + ActivityReader.countsAtOnce)]
            let calls = part.map {
                roster.findLost($0, for: .search, in: record, most: healing.wish.maximumStarts)
            }
            for (call, reply) in zip(calls, try await values(calls.map(\.command))) {
                found += try call.reply(reply).map { RosterGeometry.page(ofSlot: UInt32(clamping: $0)) }
            }
        }
        return HealingLook(pages: found, next: pages.dropFirst(most).first ?? 0)
    }

    /// Schedules the next search of an activity from a page on. Does nothing if the activity has ended.
    public func postponeHealing(
        of activity: UniqueID, until time: WallTime, from page: Int
    ) async throws(StoreError) {
        _ = try await run(
            Scripts.postponeHealing(
                healing: Keys.healing(activity), due: dueQueue(activity),
                item: DueItem.healing(activity).description, dueAt: time.milliseconds, page: page))
        noteDue(Keys.shard(activity), at: time.milliseconds)
    }
}
