import LiveActivity
import RedisClient
public import TimeCore

/// What became of the devices of a page, by their index in it.
public struct PageOutcome: Sendable {
    public let page: Int
    public var accepted: [UInt16] = []
    public var failed: [UInt16] = []
    /// Why: for each of `failed` the place of its reason in `reasons`.
    public var failedFor: [UInt8] = []
    public var reasons: [String] = []
    /// The push may have been delivered; nobody knows.
    public var unknown: [UInt16] = []
    /// Tokens that the provider called dead, and since when.
    public var deadTokens: [(index: Int, token: [UInt8], asOf: WallTime)] = []
    /// What the page adds to the broadcast's counts.
    public var counts = BroadcastCounts()
    /// A newer broadcast took over, or the broadcast was stopped for good.
    public var isSuperseded = false
    public var hasFailed = false
    /// Some devices were left for the next who works on the page, which is given back.
    public var isGivenBack = false

    public init(page: Int) {
        self.page = page
    }

    /// The fates to write, from the first index that has one on; 0 where nothing changes. Nil when nothing does at all.
    func fates(_ kind: BroadcastKind, endReason: EndReason = .endedByAPI) -> (first: Int, fates: [UInt8])? {
        let changes: [(indexes: [UInt16], fate: UInt8)]
        switch kind {
        case .start:
            changes = [(accepted, Fate.startAccepted), (failed, Fate.startFailed), (unknown, Fate.startUnknown)]
        case .update: return nil
        case .end: changes = [(accepted, Fate.ended(endReason))]
        }
        var (first, last) = (Int.max, -1)
        for (indexes, _) in changes {
            for index in indexes {
                first = min(first, Int(index))
                last = max(last, Int(index))
            }
        }
        guard first <= last else { return nil }
        var fates = [UInt8](repeating: 0, count: last - first + 1)
        for (indexes, fate) in changes {
            for index in indexes { fates[Int(index) - first] = fate }
        }
        return (first, fates)
    }

    static let failedMark = "failed"
    static let supersededMark = "superseded"

    /// See `Scripts.finishPage`.
    func command(_ order: BroadcastOrder, owner: String, at time: WallTime) -> RedisCommand {
        let id = order.activity.id
        let partition = RosterGeometry.partition(ofPage: page)
        let (first, fates) = fates(order.kind, endReason: order.endReason) ?? (0, [])
        // The activity lives on without these cards. With the whole segment it is dead, and nobody asks any more.
        let ended = order.kind == .end && order.scope != .wholeSegment ? accepted : []
        let state: PageProgress = isGivenBack ? .untouched : .done
        var arguments: [any RedisArgumentConvertible] = [
            owner, page % RosterGeometry.pagesPerPartition, [state.rawValue], first, fates,
            TokenPage.cell(reason: .ended), order.activity.keptUntil.milliseconds,
            Int(RosterGeometry.slot(page: page, index: 0)), ended.count,
        ]
        let outcomes = outcomes(at: time)
        arguments +=
            [outcomes?.first ?? 0, outcomes?.codes ?? [], outcomes?.kinds ?? []]
            as [any RedisArgumentConvertible]
        arguments += ended.map { Int($0) } as [any RedisArgumentConvertible]
        for (name, count) in counts.fields { arguments += [name, count] as [any RedisArgumentConvertible] }
        for (mark, isSet) in [(PageOutcome.failedMark, hasFailed), (PageOutcome.supersededMark, isSuperseded)]
        where isSet {
            arguments += [mark, 1] as [any RedisArgumentConvertible]
        }
        var keys = [
            Keys.progress(id, partition, order.id), Keys.fatePage(id, page), Keys.updatePage(id, page),
            Keys.counters(id, partition), Keys.pendingEnds(id, partition), Keys.outcomePage(id, page),
        ]
        if order.recordsEvents, let letter = PageLetter(self, owner: owner) {
            keys.append(Keys.untold(id, partition, order.id))
            arguments += [letter.field, letter.outcomes] as [any RedisArgumentConvertible]
        }
        return RedisCommand(script: Scripts.finishPage, keys: keys, arguments: arguments)
    }
}
