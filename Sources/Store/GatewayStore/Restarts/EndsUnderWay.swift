import Delivery
public import LiveActivity
import RedisClient
import RosterCore
import TimeCore

/// The unfinished ends of devices that a restart names. A restart before these ends would skip the devices as active,
/// and the ends would then remove their Live Activities.
public struct EndsUnderWay: Sendable {
    /// The slots that may still be ending, in ascending order.
    fileprivate var slots: [UInt32] = []
    /// The named slots of each open end.
    fileprivate var broadcasts: [UniqueID: Set<UInt32>] = [:]

    /// True if no end is left to wait for.
    public var isEmpty: Bool { slots.isEmpty }

    /// The longest time from the report of an update token to the outcome of its late end. An older pending end waits
    /// for the device's next token.
    fileprivate static let longestLateEnd = TimeInterval.seconds(600)
}

extension StoredRestarts {
    /// Reads the unfinished ends of the devices that a restart names. Other kinds of restart wait for none.
    public func endsUnderWay(
        _ wish: RestartWish, of record: ActivityRecord
    ) async throws(StoreError) -> EndsUnderWay {
        var ends = EndsUnderWay()
        guard case .targets(let keys) = wish.selection else { return ends }
        var skipped = SkipCounts()
        var named = Set(try await slots(of: keys, in: record.activity, &skipped))
        named.formUnion(try await shownSlots(of: keys, in: record.activity))
        ends.slots = named.sorted()
        for end in try await openEnds(record.activity.id) {
            guard case .slots(let slots) = try await broadcasts.order(end, of: record)?.scope else { continue }
            ends.broadcasts[end] = named.intersection(slots)
        }
        return try await unfinished(ends, in: record.activity)
    }

    /// Leaves out the ends that have finished.
    public func unfinished(
        _ ends: EndsUnderWay, in activity: Activity
    ) async throws(StoreError) -> EndsUnderWay {
        var left = EndsUnderWay()
        guard !ends.isEmpty else { return left }
        // Before an end finishes, it records a pending late end for each device whose token has changed.
        let open = try await openEnds(activity.id)
        left.broadcasts = ends.broadcasts.filter { open.contains($0.key) && !$0.value.isEmpty }
        let ending = left.broadcasts.values.reduce(into: Set()) { $0.formUnion($1) }
        let pages = SlotList.byPage(ends.slots)
        let replies = try await values(
            pages.map { page, indexes in
                let pending = Keys.pendingEnds(activity.id, RosterGeometry.partition(ofPage: page))
                let fields = indexes.map { "\(RosterGeometry.slot(page: page, index: $0))" }
                return RedisCommand("HMGET", arguments: [pending] + fields)
            })
        for ((page, indexes), reply) in zip(pages, replies) {
            let slots = indexes.map { RosterGeometry.slot(page: page, index: $0) }
            let notes = reply.array ?? []
            guard notes.contains(where: { $0.string != nil }) || !ending.isDisjoint(with: slots) else { continue }
            let tokens = TokenPage(try await self.pages([PageKey(.updateTokens, activity.id, page)])[0])
            for ((slot, index), note) in zip(zip(slots, indexes), notes) {
                guard let reportedAt = tokens.reportTime(index, in: activity) else { continue }
                let isLateEnd = note.string != nil && wallClock() < reportedAt + EndsUnderWay.longestLateEnd
                if isLateEnd || ending.contains(slot) { left.slots.append(slot) }
            }
        }
        return left
    }

    /// The slots of other logins whose Live Activities the phones of these devices show.
    private func shownSlots(of keys: [DeviceKey], in activity: Activity) async throws(StoreError) -> Set<UInt32> {
        var slots: Set<UInt32> = []
        for start in stride(from: 0, to: keys.count, by: StoredRestarts.restartUsersAtOnce) {
            let part = keys[start..<min(keys.count, start + StoredRestarts.restartUsersAtOnce)]
            let users = try await devices.users(part.map(\.insiderID), tenantID: activity.tenantID)
            let shown = try await devices.handOvers.shown(users, in: activity.id)
            for (key, (user, shown)) in zip(part, zip(users, shown)) {
                guard let number = user?.device(key.udid)?.number else { continue }
                slots.formUnion(shown[number] ?? [])
            }
        }
        return slots
    }

    private func openEnds(_ activity: UniqueID) async throws(StoreError) -> Set<UniqueID> {
        let open = try await value(RedisCommand("HGETALL", Keys.openBroadcasts(activity))).fields
        return Set(open.compactMap { OpenBroadcast($0, $1) }.filter { $0.kind == .end }.map(\.id))
    }
}

extension TokenPage {
    /// The time of the report of an update token; nil without a token.
    fileprivate func reportTime(_ index: Int, in activity: Activity) -> WallTime? {
        guard case .content(let content) = cell(index), UpdateToken.token(in: content) != nil else { return nil }
        let time = bytes[content.prefix(UpdateToken.timeLength)]
        let milliseconds = time.reversed().reduce(0) { $0 << 8 | Int($1) }
        return activity.createdAt + .milliseconds(milliseconds)
    }
}
