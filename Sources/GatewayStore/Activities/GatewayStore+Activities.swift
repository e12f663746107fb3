public import LiveActivity
import RedisClient
import TimeCore

extension GatewayStore {
    /// An activity by its id, whoever's it is; nil when there is none.
    public func activity(_ id: UniqueID) async throws(StoreError) -> ActivityRecord? {
        ActivityRecord(id, try await value(RedisCommand("HGETALL", Keys.activity(id))).fields)
    }

    /// The two kinds of token, each in pages of its own.
    public enum TokenKind: Sendable {
        case pushToStart, update

        var counter: String { self == .pushToStart ? "startable" : "synced" }

        func page(_ activity: UniqueID, _ page: Int) -> String {
            self == .pushToStart ? Keys.startPage(activity, page) : Keys.updatePage(activity, page)
        }
    }

    /// How many devices of the segment hold a token of this kind.
    public func count(_ kind: TokenKind, in record: ActivityRecord) async throws(StoreError) -> Int {
        let replies = try await values(
            record.partitions.map { RedisCommand("HGET", Keys.counters(record.activity.id, $0), kind.counter) })
        return replies.reduce(0) { $0 + Int($1.int ?? 0) }
    }

    /// One device of a target list in an activity's roster.
    public struct Target: Equatable, Sendable {
        public let slot: UInt32
        /// Why nothing can be sent to it, nil when it holds a token.
        public let skip: SkipReason?
    }

    /// Finds the devices that match both parts of a pair, at a cost that goes by the length of the list.
    /// - Returns: the targets by slot, each once, and how many pairs match nothing.
    public func targets(
        _ pairs: [DeviceKey], _ kind: TokenKind, in activity: Activity
    ) async throws(StoreError) -> (found: [Target], notInSegment: Int) {
        let distinct = Array(Set(pairs))
        let field = UserRecord.membershipField(activity.id)
        let memberships = try await values(
            distinct.map { RedisCommand("HGET", Keys.user(activity.tenantID, $0.insiderID), field) })
        var slots: [UInt32] = []
        for (key, reply) in zip(distinct, memberships) {
            if let slot = reply.bytes.flatMap(Membership.init)?.slot(udid: key.udid) { slots.append(slot) }
        }
        let targets = try await targets(slots, kind, activity.id)
        return (targets, distinct.count - targets.count)
    }

    /// Those of the slots that hold a token now, in ascending order.
    public func slotsWithToken(
        _ slots: [UInt32], _ kind: TokenKind, in activity: Activity
    ) async throws(StoreError) -> [UInt32] {
        try await targets(slots, kind, activity.id).filter { $0.skip == nil }.map(\.slot)
    }

    private func targets(
        _ slots: [UInt32], _ kind: TokenKind, _ activity: UniqueID
    ) async throws(StoreError) -> [Target] {
        var targets: [Target] = []
        let byPage = Dictionary(grouping: slots.sorted(), by: RosterGeometry.page(ofSlot:))
        for (page, slots) in byPage.sorted(by: { $0.key < $1.key }) {
            targets += try await self.targets(page, slots.map(RosterGeometry.index(ofSlot:)), kind, activity)
        }
        return targets
    }

    private func targets(
        _ page: Int, _ indexes: [Int], _ kind: TokenKind, _ activity: UniqueID
    ) async throws(StoreError) -> [Target] {
        let reply = try await run(
            Scripts.readCells, [kind.page(activity, page), Keys.fatePage(activity, page)], indexes)
        return zip(indexes, CellReply.decode(reply)).compactMap { index, cell in
            guard Fate.isMember(cell.fate) else { return nil }
            return Target(
                slot: RosterGeometry.slot(page: page, index: index),
                skip: cell.content.isEmpty ? kind.reason(cell.reason, fate: cell.fate) : nil)
        }
    }

    func putStartCell(_ activity: Activity, slot: UInt32, _ cell: [UInt8], fate: UInt8? = nil) -> RedisCommand {
        let page = RosterGeometry.page(ofSlot: slot)
        return RedisCommand(
            script: Scripts.putStartCell,
            keys: [
                Keys.startPage(activity.id, page), Keys.fatePage(activity.id, page),
                Keys.counters(activity.id, RosterGeometry.partition(ofPage: page)),
            ],
            arguments: [RosterGeometry.index(ofSlot: slot), cell, fate.map { [$0] } ?? []])
    }

    /// See `Scripts.clearUpdateCell`.
    func clearUpdateCell(
        _ activity: Activity, slot: UInt32, _ cell: [UInt8], fate: UInt8?, asOf: WallTime?, token: [UInt8] = []
    ) -> RedisCommand {
        let limit = asOf.map { String($0.milliseconds - activity.createdAt.milliseconds) } ?? ""
        return RedisCommand(
            script: Scripts.clearUpdateCell, keys: updateKeys(activity.id, slot),
            arguments: [
                RosterGeometry.index(ofSlot: slot), cell, fate.map { [$0] } ?? [], limit,
                activity.keptUntil.milliseconds, Int(slot), token,
            ])
    }

    func updateKeys(_ activity: UniqueID, _ slot: UInt32) -> [String] {
        let page = RosterGeometry.page(ofSlot: slot)
        let partition = RosterGeometry.partition(ofPage: page)
        return [
            Keys.updatePage(activity, page), Keys.fatePage(activity, page), Keys.counters(activity, partition),
            Keys.pendingEnds(activity, partition),
        ]
    }
}

extension GatewayStore.TokenKind {
    /// Why a slot without a token is passed over.
    func reason(_ reason: SkipReason?, fate: UInt8) -> SkipReason {
        if let reason { return reason }
        if Fate.endReason(fate) != nil { return .ended }
        return self == .pushToStart ? .noPushToStartToken : .notSynced
    }
}

/// One cell of the reply of `Scripts.readCells`.
struct CellReply {
    let fate: UInt8
    let reason: SkipReason?
    let content: [UInt8]

    static func decode(_ reply: RedisValue) -> [CellReply] {
        let parts = reply.array ?? []
        return stride(from: 0, to: parts.count - parts.count % 2, by: 2).map { index in
            let head = parts[index].bytes ?? []
            return CellReply(
                fate: head.first ?? Fate.absent, reason: head.count > 1 ? SkipReason(rawValue: head[1]) : nil,
                content: parts[index + 1].bytes ?? [])
        }
    }
}
