import Delivery
import LiveActivity
import RedisClient
import RosterCore
public import TimeCore

/// The outcomes of a page's devices, by their index in it, that were not reported before.
public struct PageOutcome: Sendable {
    /// The page's number in the roster.
    public let page: Int
    /// The number of this part of the page's outcomes, which differs from the others of its hold.
    public var part = 0
    /// True if all devices of the page have their outcome now.
    public var isFinal = true
    /// The provider accepted the push.
    public var accepted: [UInt16] = []
    /// The push failed for good.
    public var failed: [UInt16] = []
    /// For each of `failed` the place of its reason in `reasons`.
    public var failedFor: [UInt8] = []
    /// Each reason once.
    public var reasons: [String] = []
    /// The push may have been delivered or not.
    public var unknown: [UInt16] = []
    /// Nothing was sent, and nothing will be.
    public var unsent: [UInt16] = []
    /// The reason why nothing was sent to `unsent`, one for all.
    public var unsentReason = ""
    /// Tokens that the provider called dead, and since when.
    public var deadTokens: [(index: Int, token: [UInt8], asOf: WallTime)] = []
    /// Tokens that are not for this app and environment.
    public var quarantinedTokens: [(index: Int, token: [UInt8])] = []
    /// The latest time at which `quarantinedTokens` were pushed to. Tokens that are reported later are not meant.
    public var pushedAt = WallTime(milliseconds: 0)
    /// The times at which the tokens that an end addressed were reported: see `PageOfDevices.reportTimes`. A token that
    /// was reported since has not received the end.
    public var reportTimes: [UInt8] = []
    /// The index of the first device, in the order in which they are sent, that a newer broadcast has taken over.
    public var supersededFrom: UInt16?
    /// The page's turn before.
    public var lastTurn: PageTurn?
    /// The increase of the broadcast's counts. Each outcome of a start is counted when it is first written. The rest
    /// counts when the page is finished.
    public var counts = BroadcastCounts()
    /// A newer broadcast took over.
    public var isSuperseded = false
    /// The broadcast was stopped for good, or the page could not be read.
    public var hasFailed = false

    public init(page: Int) {
        self.page = page
    }

    /// Forgets the devices of a push to a channel. It is counted, but has no device's outcome.
    public mutating func forgetDevices() {
        (accepted, failed, failedFor, unknown, unsent) = ([], [], [], [], [])
        (deadTokens, quarantinedTokens) = ([], [])
    }

    /// The delivery statuses to write, from the first index that has one on; 0 where nothing changes. Nil when nothing
    /// does at all.
    func statuses(_ kind: PushEvent, endReason: EndReason = .endedByAPI) -> (first: Int, statuses: [UInt8])? {
        let changes: [(indexes: [UInt16], status: UInt8)]
        switch kind {
        case .start:
            changes = [
                (accepted, DeliveryStatus.startAccepted), (failed, DeliveryStatus.startFailed),
                (unknown, DeliveryStatus.startUnknown),
                (unsent, DeliveryStatus.startUnsent),
            ]
        case .update: return nil
        case .end: changes = [(accepted, DeliveryStatus.ended(endReason))]
        }
        var (first, last) = (Int.max, -1)
        for (indexes, _) in changes {
            for index in indexes {
                first = min(first, Int(index))
                last = max(last, Int(index))
            }
        }
        guard first <= last else { return nil }
        var statuses = [UInt8](repeating: 0, count: last - first + 1)
        for (indexes, status) in changes {
            for index in indexes { statuses[Int(index) - first] = status }
        }
        return (first, statuses)
    }

    /// The time for which the update tokens of an activity are kept when all of its Live Activities have ended. A phone
    /// may report one as long as it shows the Live Activity, and a late report is known by it.
    private static let tokensKeptAfterEnd = TimeInterval.seconds(86_400)

    static let failedMark = "failed"
    static let supersededMark = "superseded"

    /// The step that finishes a page of an update or end.
    func finishing(
        _ order: BroadcastOrder, owner: String, at time: WallTime
    ) -> ScriptCall<Scripts.FinishPageReply> {
        let id = order.activity.id
        let partition = RosterGeometry.partition(ofPage: page)
        let (first, statuses) = statuses(order.kind, endReason: order.endReason) ?? (0, [])
        // The activity lives on without these Live Activities. After an end of the whole segment it is dead, and they
        // are not read again.
        let ended = order.kind == .end && order.scope != .wholeSegment ? accepted : []
        let outcomes = outcomes(at: time)
        let timesOfStatuses = reportTimes.dropFirst(first * UpdateToken.timeLength)
            .prefix(statuses.count * UpdateToken.timeLength)
        let isOver = order.kind == .end && order.scope == .wholeSegment
        var rest = ended.map { Int($0) } as [any RedisArgumentConvertible]
        rest += countArguments(counts)
        if order.takesTurns, !order.isChannel(page), supersededFrom == nil || counts.pushes > 0 {
            let turn = PageTurn.after(lastTurn, order: order.order, stop: supersededFrom)
            rest += ["t:", turn.bytes] as [any RedisArgumentConvertible]
        }
        let untold = addOutboxEntry(order, owner, &rest)
        return Scripts.finishPage(
            progress: Keys.progress(id, partition, order.id), statusPage: Keys.statusPage(id, page),
            updatePage: Keys.updatePage(id, page), counters: Keys.counters(id, partition),
            pendingEnds: Keys.pendingEnds(id, partition), outcomePage: Keys.outcomePage(id, page),
            startCounts: Keys.startCounts(id, partition), untold: untold, owner: owner,
            page: page % RosterGeometry.pagesPerPartition, first: first, statuses: statuses,
            endedCell: TokenPage.cell(reason: .ended), expiresAt: order.activity.keptUntil.milliseconds,
            firstSlot: Int(RosterGeometry.slot(page: page, index: 0)), ended: ended.count,
            firstOutcome: outcomes?.first ?? 0, codes: outcomes?.codes ?? [], kinds: outcomes?.kinds ?? [],
            order: order.endOrder.map { "\($0)" } ?? "", endedBy: reportTimes.isEmpty ? "" : order.id.description,
            reportTimes: Array(timesOfStatuses),
            forgetsAt: isOver ? "\((time + PageOutcome.tokensKeptAfterEnd).milliseconds)" : "", rest: rest)
    }

    /// The step that records outcomes of a start's page.
    func recording(
        _ order: BroadcastOrder, owner: String, at time: WallTime
    ) -> ScriptCall<Scripts.RecordOutcomesReply> {
        let id = order.activity.id
        let partition = RosterGeometry.partition(ofPage: page)
        let statuses = statuses(order.kind)
        let outcomes = outcomes(at: time)
        let counts = outcomes?.counts ?? []
        var rest = counts.map { $0 } as [any RedisArgumentConvertible]
        rest += countArguments(uncounted)
        let untold = addOutboxEntry(order, owner, &rest)
        return Scripts.recordOutcomes(
            progress: Keys.progress(id, partition, order.id), statusPage: Keys.statusPage(id, page),
            outcomePage: Keys.outcomePage(id, page), doubts: Keys.doubts(id, partition),
            counters: Keys.counters(id, partition), untold: untold, owner: owner, page: page,
            state: isFinal ? [PageProgress.done.rawValue] : [], expiresAt: order.activity.keptUntil.milliseconds,
            first: statuses?.first ?? 0, statuses: statuses?.statuses ?? [], codes: outcomes?.codes ?? [],
            kinds: outcomes?.kinds ?? [], broadcast: order.id.description, kindCount: counts.count,
            now: time.milliseconds, rest: rest)
    }

    /// The time of the report that brought the token to which an end was sent; nil if it is not known.
    /// - Parameter start: The time at which the activity was made.
    func reportTime(_ index: UInt16, after start: WallTime) -> WallTime? {
        let bytes = reportTimes.dropFirst(Int(index) * UpdateToken.timeLength).prefix(UpdateToken.timeLength)
        guard bytes.count == UpdateToken.timeLength else { return nil }
        return start + .milliseconds(bytes.reversed().reduce(0) { $0 << 8 | Int($1) })
    }

    /// True if a device has an outcome here.
    public var hasOutcomes: Bool { !accepted.isEmpty || !failed.isEmpty || !unknown.isEmpty || !unsent.isEmpty }

    /// The counts without those of devices that are reported one by one.
    private var uncounted: BroadcastCounts {
        var rest = counts
        rest.accepted = 0
        func take(_ reason: String, _ number: Int) {
            guard number > 0 else { return }
            let left = rest.failed[reason, default: 0] - number
            rest.failed[reason] = left > 0 ? left : nil
        }
        take(PageOutcome.unknownReason, unknown.count)
        take(unsentReason, unsent.count)
        for (place, reason) in reasons.enumerated() { take(reason, failedFor.count { Int($0) == place }) }
        return rest
    }

    private func countArguments(_ counts: BroadcastCounts) -> [any RedisArgumentConvertible] {
        var arguments: [any RedisArgumentConvertible] = []
        for (name, count) in counts.fields { arguments += [name, count] as [any RedisArgumentConvertible] }
        for (mark, isSet) in [(PageOutcome.failedMark, hasFailed), (PageOutcome.supersededMark, isSuperseded)]
        where isSet {
            arguments += [mark, 1] as [any RedisArgumentConvertible]
        }
        return arguments
    }

    /// Adds the page's events to `rest`, and returns the key for pages with events; nil if there are none.
    private func addOutboxEntry(
        _ order: BroadcastOrder, _ owner: String, _ rest: inout [any RedisArgumentConvertible]
    ) -> String? {
        guard order.recordsEvents, let entry = OutboxEntry(self, owner: "\(owner).\(part)") else { return nil }
        rest += [entry.field, entry.outcomes] as [any RedisArgumentConvertible]
        return Keys.untold(order.activity.id, RosterGeometry.partition(ofPage: page), order.id)
    }
}
