import Delivery
public import LiveActivity
import RedisClient
import RosterCore
import TimeCore

/// The devices of an activity: its slots, and the token that each holds.
public final class StoredRoster: StoreFeature {
    let context: StoreContext

    init(_ context: StoreContext) {
        self.context = context
    }
}

extension StoredRoster {
    /// The numbers of devices of a segment that can receive a push.
    public struct Reach: Equatable, Sendable {
        /// The devices that hold a token.
        public internal(set) var holders = 0
        /// The devices that follow a channel, which stands for their tokens.
        public internal(set) var followers = 0
    }

    /// The numbers of devices of the segment that can receive a push by a token of this kind or by a channel.
    public func reach(_ kind: TokenKind, in record: ActivityRecord) async throws(StoreError) -> Reach {
        let partitions = record.partitions
        let byChannel = partitions.map { kind == .update && record.cohort(ofPartition: $0) == .channel }
        let replies = try await values(
            zip(partitions, byChannel).map {
                RedisCommand("HGET", Keys.counters(record.activity.id, $0), $1 ? "following" : kind.counter)
            })
        return zip(byChannel, replies).reduce(into: Reach()) { reach, entry in
            let count = Int(entry.1.int ?? 0)
            if entry.0 { reach.followers += count } else { reach.holders += count }
        }
    }

    /// One device of a target list in an activity's roster.
    public struct Target: Equatable, Sendable {
        /// The device's number in the activity.
        public let slot: UInt32
        /// The reason why it can receive no push; nil if it holds a token.
        public let skip: SkipReason?
    }

    /// Finds the devices that match both parts of a pair, at a cost that goes by the length of the list.
    /// - Returns: the targets by slot, each once, and how many pairs match nothing.
    public func targets(
        _ pairs: [DeviceKey], _ kind: TokenKind, in activity: Activity
    ) async throws(StoreError) -> (found: [Target], notInSegment: Int) {
        let distinct = Array(Set(pairs))
        let replies = try await values(
            distinct.map { slotLookup($0, in: activity.id, tenantID: activity.tenantID) })
        let targets = try await targets(replies.compactMap(StoredRoster.slot), kind, activity.id)
        return (targets, distinct.count - targets.count)
    }

    /// The slots that hold a token now, in ascending order.
    public func slotsWithToken(
        _ slots: [UInt32], _ kind: TokenKind, in activity: Activity
    ) async throws(StoreError) -> [UInt32] {
        try await targets(slots, kind, activity.id).filter { $0.skip == nil }.map(\.slot)
    }

    private func targets(
        _ slots: [UInt32], _ kind: TokenKind, _ activity: UniqueID
    ) async throws(StoreError) -> [Target] {
        let pages = SlotList.byPage(slots.sorted())
        let replies = try await values(pages.map { readCells($0.page, $0.indexes, kind, activity) })
        var targets: [Target] = []
        targets.reserveCapacity(slots.count)
        for (page, reply) in zip(pages, replies) {
            for (index, cell) in zip(page.indexes, RosterCell.decode(reply)) where DeliveryStatus.isMember(cell.status)
            {
                targets.append(
                    Target(
                        slot: RosterGeometry.slot(page: page.page, index: index),
                        skip: cell.content.isEmpty ? kind.reason(cell.reason, status: cell.status) : nil))
            }
        }
        return targets
    }

    /// See `RosterCell` for the reply.
    func readCells(_ page: Int, _ indexes: [Int], _ kind: TokenKind, _ activity: UniqueID) -> RedisCommand {
        RedisCommand(
            script: Scripts.readCells, keys: [kind.page(activity, page), Keys.statusPage(activity, page)],
            arguments: indexes)
    }

    func putStartCell(_ activity: Activity, slot: UInt32, _ cell: [UInt8], status: UInt8? = nil) -> RedisCommand {
        let page = RosterGeometry.page(ofSlot: slot)
        return RedisCommand(
            script: Scripts.putStartCell,
            keys: [
                Keys.startPage(activity.id, page), Keys.statusPage(activity.id, page),
                Keys.counters(activity.id, RosterGeometry.partition(ofPage: page)),
            ],
            arguments: [RosterGeometry.index(ofSlot: slot), cell, status.map { [$0] } ?? []])
    }

    /// See `Scripts.clearUpdateCell`.
    /// - Parameter endOrder: See `BroadcastOrder.endOrder`; nil if the slot may hold any Live Activity.
    func clearUpdateCell(
        _ activity: Activity, slot: UInt32, _ cell: [UInt8], status: UInt8?, asOf: WallTime?, token: [UInt8] = [],
        isDismissal: Bool = false, pendingEnd: UniqueID? = nil, endOrder: Int? = nil
    ) -> RedisCommand {
        let starts = endOrder.map { _ in Keys.startCounts(activity.id, RosterGeometry.partition(ofSlot: slot)) }
        let limit = asOf.map { String($0.milliseconds - activity.createdAt.milliseconds) } ?? ""
        return RedisCommand(
            script: Scripts.clearUpdateCell, keys: updateKeys(activity.id, slot) + [starts].compactMap(\.self),
            arguments: [
                RosterGeometry.index(ofSlot: slot), cell, status.map { [$0] } ?? [], limit,
                activity.keptUntil.milliseconds, Int(slot), token, isDismissal ? "1" : "",
                pendingEnd?.description ?? "", endOrder.map { "\($0)" } ?? "",
            ])
    }

    /// Takes back that a device's Live Activity has ended. See `Scripts.showAgain`.
    /// - Parameter isOver: whether the activity has ended: then its update tokens are not kept for long.
    func showAgain(_ activity: Activity, slot: UInt32, isOver: Bool) -> RedisCommand {
        let now = wallClock()
        let kept = isOver ? min(activity.keptUntil, now + .milliseconds(ScriptLimits.contentOfEnd)) : activity.keptUntil
        return RedisCommand(
            script: Scripts.showAgain, keys: updateKeys(activity.id, slot),
            arguments: [
                RosterGeometry.index(ofSlot: slot), TokenPage.cell(reason: .ended), Int(slot), now.milliseconds,
                kept.milliseconds,
            ])
    }

    /// Has messages to an Android device whose Live Activity is there go to its new registration token. See
    /// `Scripts.replaceUpdateToken`.
    func replaceUpdateToken(_ activity: Activity, slot: UInt32, _ token: UserRecord.Token) -> RedisCommand {
        let page = RosterGeometry.page(ofSlot: slot)
        let age = token.reportedAt.milliseconds - activity.createdAt.milliseconds
        let cell = UpdateToken.cell(RegistrationToken.cellContent(token.token), reportedAfter: age)
        return RedisCommand(
            script: Scripts.replaceUpdateToken,
            keys: [
                Keys.updatePage(activity.id, page), Keys.statusPage(activity.id, page),
                Keys.counters(activity.id, RosterGeometry.partition(ofPage: page)), Keys.readPage(activity.id, page),
            ],
            arguments: [RosterGeometry.index(ofSlot: slot), cell, activity.keptUntil.milliseconds])
    }

    func updateKeys(_ activity: UniqueID, _ slot: UInt32) -> [String] {
        let page = RosterGeometry.page(ofSlot: slot)
        let partition = RosterGeometry.partition(ofPage: page)
        return [
            Keys.updatePage(activity, page), Keys.statusPage(activity, page), Keys.counters(activity, partition),
            Keys.pendingEnds(activity, partition),
        ]
    }
}

extension TokenKind {
    var counter: String { self == .pushToStart ? "startable" : "synced" }

    var content: PageKey.Content { self == .pushToStart ? .startTokens : .updateTokens }

    func page(_ activity: UniqueID, _ page: Int) -> String { Keys.page(content, activity, page) }
}

extension RosterCell {
    /// Reads the reply of `Scripts.readCells`.
    static func decode(_ reply: RedisValue) -> [RosterCell] {
        let parts = reply.array ?? []
        return stride(from: 0, to: parts.count - parts.count % 2, by: 2).map { index in
            let head = parts[index].bytes ?? []
            return RosterCell(
                status: head.first ?? DeliveryStatus.absent, mark: head.count > 1 ? head[1] : 0,
                content: parts[index + 1].bytes ?? [])
        }
    }
}
