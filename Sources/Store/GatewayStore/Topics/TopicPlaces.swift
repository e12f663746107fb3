import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TimeCore

/// The places that users have in the activities of topics, and their states.
final class TopicPlaces: StoreFeature {
    let context: StoreContext
    private let roster: StoredRoster

    init(_ context: StoreContext, roster: StoredRoster) {
        self.context = context
        self.roster = roster
    }

    struct Place {
        let slot: UInt32
        let state: SlotState
        /// The step if the user follows.
        let step: SlotStep
        /// The time at which the start was refused due to its content; nil if it was not. Another start with this
        /// content would be refused too.
        fileprivate(set) var contentRefusedAt: WallTime?
        /// The time at which the Live Activity counts as lost unless the device reports another token. Nil if its token
        /// is not dead, or that time is over.
        fileprivate(set) var lostAt: WallTime?

        /// True if a start in progress may yet reach it.
        var isBeingStarted: Bool { state.isBeingStarted && !state.isReported }
        /// True if a start for it is in progress, or its Live Activity may be shown.
        var isKept: Bool { step == .nothing }
        /// True if its Live Activity is missing, and a start for it has ended.
        var isLost: Bool {
            step == .start && !hasEnded && (state.status != DeliveryStatus.registered || state.report == .deadToken)
        }
        /// True if the Live Activity is to be ended if the user does not follow.
        var isLive: Bool { SlotStep.next(wanted: .ended, has: state, evidence: .follower) == .end }
        var hasEnded: Bool { DeliveryStatus.endReason(state.status) != nil }
    }

    /// The places that broadcasts in progress are about to change.
    struct UnderWay {
        /// True if the whole activity is being started, or a restart chooses its places.
        fileprivate(set) var isStarting = false
        fileprivate(set) var starting: Set<UInt32> = []
        fileprivate(set) var ending: Set<UInt32> = []

        var isAnyStarting: Bool { isStarting || !starting.isEmpty }

        func isStarting(_ slot: UInt32) -> Bool { isStarting || starting.contains(slot) }
    }

    func underWay(in activity: UniqueID) async throws(StoreError) -> UnderWay {
        let replies = try await values([
            RedisCommand("HGETALL", Keys.openBroadcasts(activity)), RedisCommand("EXISTS", Keys.restartLock(activity)),
        ])
        let open = replies[0].fields.compactMap { OpenBroadcast($0, $1) }.filter {
            $0.kind == .start || $0.kind == .end && !$0.isToAll
        }
        var found = UnderWay()
        found.isStarting = replies[1].int == 1 || open.contains { $0.kind == .start && $0.isToAll }
        let listed = open.filter { !$0.isToAll }
        let scopes = try await values(listed.map { RedisCommand("HGET", Keys.broadcast(activity, $0.id), "scope") })
        for (broadcast, scope) in zip(listed, scopes) {
            guard let slots = scope.bytes.map({ SlotList.decode($0) }) else { continue }
            if broadcast.kind == .start { found.starting.formUnion(slots) } else { found.ending.formUnion(slots) }
        }
        return found
    }

    /// The refusals because of the content of a start: the provider's, and the gateway's own for a broadcast that it
    /// cannot render.
    private static let contentRefusals: Set<String?> = ["PayloadTooLarge", "Unsendable"]

    private static let refused = [DeliveryStatus.startFailed, DeliveryStatus.startUnsent]

    /// True if no start in progress covers a place that has no outcome of a start.
    private static func isLeft(_ cell: RosterCell, _ slot: UInt32, _ underWay: UnderWay) -> Bool {
        cell.status == DeliveryStatus.registered && !underWay.isStarting(slot)
    }

    private static func needsOutcome(_ cell: RosterCell, _ slot: UInt32, _ underWay: UnderWay) -> Bool {
        isLeft(cell, slot, underWay) || refused.contains(cell.status) || cell.report == .deadToken
    }

    private func place(
        _ slot: UInt32, _ cell: RosterCell, _ outcome: PushOutcomeNote?, _ activity: Activity, _ underWay: UnderWay
    ) -> Place {
        var status = cell.status
        // A restart that was cut off has cleared the status of the start before it.
        if TopicPlaces.isLeft(cell, slot, underWay), let outcome { status = outcome.statusOfStart }
        let decidedAt = outcome?.at ?? activity.startedAt ?? activity.createdAt
        var state = SlotState(status: status, report: cell.report, age: wallClock().seconds - decidedAt.seconds)
        state.isBeingStarted = status == DeliveryStatus.registered && underWay.isStarting(slot)
        var place = Place(
            slot: slot, state: state, step: .next(wanted: .running, has: state, evidence: .follower))
        if place.isKept, !place.isBeingStarted, cell.report == .deadToken { place.lostAt = decidedAt + Healing.grace }
        if TopicPlaces.refused.contains(status), let outcome, TopicPlaces.contentRefusals.contains(outcome.failure) {
            place.contentRefusedAt = outcome.at
        }
        return place
    }

    /// The places of each user.
    func read(
        of users: [UserRecord?], in record: ActivityRecord, _ underWay: UnderWay
    ) async throws(StoreError) -> [[Place]] {
        let id = record.activity.id
        let slots = users.map { $0?.membership(in: id)?.slots.map(\.slot) ?? [] }
        let pages = SlotList.byPage(slots.joined().sorted())
        let cells = try await roster.cells(pages.map { roster.readCells($0.page, $0.indexes, .update, id) })
        var found: [UInt32: Place] = [:]
        for (page, cells) in zip(pages, cells) {
            let slots = page.indexes.map { RosterGeometry.slot(page: page.page, index: $0) }
            var outcomes: OutcomePage?
            if zip(cells, slots).contains(where: { TopicPlaces.needsOutcome($0, $1, underWay) }) {
                outcomes = OutcomePage(try await self.pages([PageKey(.outcomes, id, page.page)])[0])
            }
            for ((index, slot), cell) in zip(zip(page.indexes, slots), cells) where DeliveryStatus.isMember(cell.status)
            {
                found[slot] = place(slot, cell, outcomes?.outcome(index), record.activity, underWay)
            }
        }
        return slots.map { $0.compactMap { found[$0] } }
    }

    /// The slots whose end has a timestamp that is not older than the clock. A start has the timestamp of the clock, so
    /// it would not be newer.
    func slotsJustEnded(of slots: [UInt32], in activity: UniqueID) async throws(StoreError) -> Set<UInt32> {
        guard !slots.isEmpty else { return [] }
        let now = wallClock().seconds
        let fields = ["ends"] + slots.map { "\($0)" }
        let replies = try await values(
            (now...(now + TopicPlaces.farthestEnd)).map {
                RedisCommand("HMGET", arguments: [Keys.timestamp(activity, $0)] + fields)
            })
        return replies.reduce(into: []) { found, reply in
            let noted = (reply.array ?? []).map { !$0.isNull }
            guard noted.count == fields.count else { return }
            if noted[0] { return found.formUnion(slots) }
            for (slot, isNoted) in zip(slots, noted.dropFirst()) where isNoted { found.insert(slot) }
        }
    }

    /// The most seconds by which a carried-out end may be ahead of the clock, see `pacing.lua`.
    private static let farthestEnd: Int64 = 4
}
