import Delivery
import LiveActivity
import RedisClient
public import TimeCore

/// What became of devices of a page, by their index in it: of all that had not been told.
public struct PageOutcome: Sendable {
    /// The page's number in the roster.
    public let page: Int
    /// Which part of the page's outcomes this is, so that each is told apart from the others of its hold.
    public var part = 0
    /// Whether all devices of the page have their outcome now.
    public var isFinal = true
    /// The provider accepted the push.
    public var accepted: [UInt16] = []
    /// The push failed for good.
    public var failed: [UInt16] = []
    /// Why: for each of `failed` the place of its reason in `reasons`.
    public var failedFor: [UInt8] = []
    /// Each reason once.
    public var reasons: [String] = []
    /// The push may have been delivered; nobody knows.
    public var unknown: [UInt16] = []
    /// Nothing was sent, and nothing will be.
    public var unsent: [UInt16] = []
    /// Why nothing was sent to `unsent`; the same for all.
    public var unsentReason = ""
    /// Tokens that the provider called dead, and since when.
    public var deadTokens: [(index: Int, token: [UInt8], asOf: WallTime)] = []
    /// Tokens that are not for this app and environment.
    public var quarantinedTokens: [(index: Int, token: [UInt8])] = []
    /// When `quarantinedTokens` were pushed to, at the latest: what is reported later is another matter.
    public var pushedAt = WallTime(milliseconds: 0)
    /// The index of the first device, in the order in which they are sent, that a newer broadcast has taken over.
    public var supersededFrom: UInt16?
    /// The page's turn before.
    public var lastTurn: PageTurn?
    /// What this adds to the broadcast's counts. Of a start each outcome is counted where it is written, if it is news
    /// there; what else is in here counts when the page is finished.
    public var counts = BroadcastCounts()
    /// A newer broadcast took over.
    public var isSuperseded = false
    /// The broadcast was stopped for good, or the page could not be read.
    public var hasFailed = false

    public init(page: Int) {
        self.page = page
    }

    /// What became of a push to a channel is counted, and is no device's.
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

    /// The step that writes it down.
    func command(_ order: BroadcastOrder, owner: String, at time: WallTime) -> RedisCommand {
        order.kind == .start
            ? recordCommand(order, owner: owner, at: time) : finishCommand(order, owner: owner, at: time)
    }

    /// See `Scripts.finishPage`.
    private func finishCommand(_ order: BroadcastOrder, owner: String, at time: WallTime) -> RedisCommand {
        let id = order.activity.id
        let partition = RosterGeometry.partition(ofPage: page)
        let (first, statuses) = statuses(order.kind, endReason: order.endReason) ?? (0, [])
        // The activity lives on without these Live Activities. With the whole segment it is dead, and nobody asks any
        // more.
        let ended = order.kind == .end && order.scope != .wholeSegment ? accepted : []
        var arguments: [any RedisArgumentConvertible] = [
            owner, page % RosterGeometry.pagesPerPartition, first, statuses, TokenPage.cell(reason: .ended),
            order.activity.keptUntil.milliseconds, Int(RosterGeometry.slot(page: page, index: 0)), ended.count,
        ]
        let outcomes = outcomes(at: time)
        arguments +=
            [outcomes?.first ?? 0, outcomes?.codes ?? [], outcomes?.kinds ?? []]
            as [any RedisArgumentConvertible]
        arguments.append(order.endOrder.map { "\($0)" } ?? "")
        let isOver = order.kind == .end && order.scope == .wholeSegment
        arguments.append(isOver ? "\((time + PageOutcome.tokensKeptAfterEnd).milliseconds)" : "")
        arguments += ended.map { Int($0) } as [any RedisArgumentConvertible]
        arguments += countArguments(counts)
        if order.takesTurns, !order.isChannel(page), supersededFrom == nil || counts.pushes > 0 {
            let turn = PageTurn.after(lastTurn, order: order.order, stop: supersededFrom)
            arguments += ["t:", turn.bytes] as [any RedisArgumentConvertible]
        }
        var keys = [
            Keys.progress(id, partition, order.id), Keys.statusPage(id, page), Keys.updatePage(id, page),
            Keys.counters(id, partition), Keys.pendingEnds(id, partition), Keys.outcomePage(id, page),
            Keys.startCounts(id, partition),
        ]
        addOutboxEntry(order, owner, &keys, &arguments)
        return RedisCommand(script: Scripts.finishPage, keys: keys, arguments: arguments)
    }

    /// See `Scripts.recordOutcomes`.
    private func recordCommand(_ order: BroadcastOrder, owner: String, at time: WallTime) -> RedisCommand {
        let id = order.activity.id
        let partition = RosterGeometry.partition(ofPage: page)
        let statuses = statuses(order.kind)
        let outcomes = outcomes(at: time)
        let counts = outcomes?.counts ?? []
        var arguments: [any RedisArgumentConvertible] = [
            owner, page, isFinal ? [PageProgress.done.rawValue] : [], order.activity.keptUntil.milliseconds,
            statuses?.first ?? 0, statuses?.statuses ?? [], outcomes?.codes ?? [], outcomes?.kinds ?? [],
            order.id.description,
            counts.count, time.milliseconds,
        ]
        arguments += counts.map { $0 } as [any RedisArgumentConvertible]
        arguments += countArguments(uncounted)
        var keys = [
            Keys.progress(id, partition, order.id), Keys.statusPage(id, page), Keys.outcomePage(id, page),
            Keys.doubts(id, partition), Keys.counters(id, partition),
        ]
        addOutboxEntry(order, owner, &keys, &arguments)
        return RedisCommand(script: Scripts.recordOutcomes, keys: keys, arguments: arguments)
    }

    /// Whether a device has an outcome here.
    public var hasOutcomes: Bool { !accepted.isEmpty || !failed.isEmpty || !unknown.isEmpty || !unsent.isEmpty }

    /// The counts without those of devices that are told one by one.
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

    private func addOutboxEntry(
        _ order: BroadcastOrder, _ owner: String, _ keys: inout [String],
        _ arguments: inout [any RedisArgumentConvertible]
    ) {
        guard order.recordsEvents, let entry = OutboxEntry(self, owner: "\(owner).\(part)") else { return }
        keys.append(Keys.untold(order.activity.id, RosterGeometry.partition(ofPage: page), order.id))
        arguments += [entry.field, entry.outcomes] as [any RedisArgumentConvertible]
    }
}
