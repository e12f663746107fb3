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
        let cells = try await cells(pages.map { readCells($0.page, $0.indexes, kind, activity) })
        var targets: [Target] = []
        targets.reserveCapacity(slots.count)
        for (page, cells) in zip(pages, cells) {
            for (index, cell) in zip(page.indexes, cells) where DeliveryStatus.isMember(cell.status) {
                targets.append(
                    Target(
                        slot: RosterGeometry.slot(page: page.page, index: index),
                        skip: cell.content.isEmpty ? kind.reason(cell.reason, status: cell.status) : nil))
            }
        }
        return targets
    }

    /// Returns the call that reads cells of a page. `RosterCell` decodes the reply.
    func readCells(_ page: Int, _ indexes: [Int], _ kind: TokenKind, _ activity: UniqueID) -> ScriptCall<[[UInt8]]> {
        Scripts.readCells(
            tokenPage: kind.page(activity, page), statusPage: Keys.statusPage(activity, page), indexes: indexes)
    }

    /// Returns the cells that each of these calls of `readCells` reads.
    func cells(_ calls: [ScriptCall<[[UInt8]]>]) async throws(StoreError) -> [[RosterCell]] {
        var cells: [[RosterCell]] = []
        for (call, reply) in zip(calls, try await values(calls.map(\.command))) {
            cells.append(RosterCell.decode(try call.reply(reply)))
        }
        return cells
    }

    func putStartCell(_ activity: Activity, slot: UInt32, _ cell: [UInt8], status: UInt8? = nil) -> RedisCommand {
        let page = RosterGeometry.page(ofSlot: slot)
        return Scripts.putStartCell(
            startPage: Keys.startPage(activity.id, page), statusPage: Keys.statusPage(activity.id, page),
            counters: Keys.counters(activity.id, RosterGeometry.partition(ofPage: page)),
            index: RosterGeometry.index(ofSlot: slot), cell: cell, newStatus: status.map { [$0] } ?? []
        ).command
    }

    /// See `Scripts.clearUpdateCell`.
    /// - Parameter endOrder: See `BroadcastOrder.endOrder`; nil if the slot may hold any Live Activity.
    func clearUpdateCell(
        _ activity: Activity, slot: UInt32, _ cell: [UInt8], status: UInt8?, asOf: WallTime?, token: [UInt8] = [],
        isDismissal: Bool = false, pendingEnd: UniqueID? = nil, endOrder: Int? = nil
    ) -> ScriptCall<Scripts.ClearUpdateCellReply> {
        let starts = endOrder.map { _ in Keys.startCounts(activity.id, RosterGeometry.partition(ofSlot: slot)) }
        let limit = asOf.map { String($0.milliseconds - activity.createdAt.milliseconds) } ?? ""
        let keys = updateKeys(activity.id, slot)
        return Scripts.clearUpdateCell(
            updatePage: keys.updatePage, statusPage: keys.statusPage, counters: keys.counters,
            pendingEnds: keys.pendingEnds, startCounts: starts, index: RosterGeometry.index(ofSlot: slot), cell: cell,
            newStatus: status.map { [$0] } ?? [], latest: limit, expiresAt: activity.keptUntil.milliseconds,
            slot: Int(slot), token: token, dismissal: isDismissal ? "1" : "", endedBy: pendingEnd?.description ?? "",
            order: endOrder.map { "\($0)" } ?? "")
    }

    /// Takes back that a device's Live Activity has ended. See `Scripts.showAgain`.
    /// - Parameter isOver: whether the activity has ended: then its update tokens are not kept for long.
    func showAgain(_ activity: Activity, slot: UInt32, isOver: Bool) -> ScriptCall<Int> {
        let now = wallClock()
        let kept = isOver ? min(activity.keptUntil, now + .milliseconds(ScriptLimits.contentOfEnd)) : activity.keptUntil
        let keys = updateKeys(activity.id, slot)
        return Scripts.showAgain(
            updatePage: keys.updatePage, statusPage: keys.statusPage, counters: keys.counters,
            pendingEnds: keys.pendingEnds, index: RosterGeometry.index(ofSlot: slot),
            endedCell: TokenPage.cell(reason: .ended), slot: Int(slot), now: now.milliseconds,
            expiresAt: kept.milliseconds)
    }

    /// Has messages to an Android device whose Live Activity is there go to its new registration token. See
    /// `Scripts.replaceUpdateToken`.
    func replaceUpdateToken(_ activity: Activity, slot: UInt32, _ token: UserRecord.Token) -> RedisCommand {
        let page = RosterGeometry.page(ofSlot: slot)
        let age = token.reportedAt.milliseconds - activity.createdAt.milliseconds
        let cell = UpdateToken.cell(RegistrationToken.cellContent(token.token), reportedAfter: age)
        return Scripts.replaceUpdateToken(
            updatePage: Keys.updatePage(activity.id, page), statusPage: Keys.statusPage(activity.id, page),
            counters: Keys.counters(activity.id, RosterGeometry.partition(ofPage: page)),
            reading: Keys.readPage(activity.id, page), index: RosterGeometry.index(ofSlot: slot), cell: cell,
            expiresAt: activity.keptUntil.milliseconds
        ).command
    }

    func updateKeys(
        _ activity: UniqueID, _ slot: UInt32
    ) -> (updatePage: String, statusPage: String, counters: String, pendingEnds: String) {
        let page = RosterGeometry.page(ofSlot: slot)
        let partition = RosterGeometry.partition(ofPage: page)
        return (
            Keys.updatePage(activity, page), Keys.statusPage(activity, page), Keys.counters(activity, partition),
            Keys.pendingEnds(activity, partition)
        )
    }
}

extension TokenKind {
    var counter: String { self == .pushToStart ? "startable" : "synced" }

    var content: PageKey.Content { self == .pushToStart ? .startTokens : .updateTokens }

    func page(_ activity: UniqueID, _ page: Int) -> String { Keys.page(content, activity, page) }
}

extension RosterCell {
    /// Reads the reply of `Scripts.readCells`.
    static func decode(_ parts: [[UInt8]]) -> [RosterCell] {
        stride(from: 0, to: parts.count - parts.count % 2, by: 2).map { index in
            let head = parts[index]
            return RosterCell(
                status: head.first ?? DeliveryStatus.absent, mark: head.count > 1 ? head[1] : 0,
                content: parts[index + 1])
        }
    }
}
