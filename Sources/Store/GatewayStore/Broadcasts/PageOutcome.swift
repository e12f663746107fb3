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
        // The activity lives on without these Live Activities. After an end of the whole segment it is dead, and they
        // are not read again.
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
        let timesOfStatuses = reportTimes.dropFirst(first * UpdateToken.timeLength)
            .prefix(statuses.count * UpdateToken.timeLength)
        arguments += [reportTimes.isEmpty ? "" : order.id.description, Array(timesOfStatuses)]
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

    private func addOutboxEntry(
        _ order: BroadcastOrder, _ owner: String, _ keys: inout [String],
        _ arguments: inout [any RedisArgumentConvertible]
    ) {
        guard order.recordsEvents, let entry = OutboxEntry(self, owner: "\(owner).\(part)") else { return }
        keys.append(Keys.untold(order.activity.id, RosterGeometry.partition(ofPage: page), order.id))
        arguments += [entry.field, entry.outcomes] as [any RedisArgumentConvertible]
    }
}
