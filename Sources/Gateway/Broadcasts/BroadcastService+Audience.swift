import GatewayStore
import LiveActivity
import RosterCore

/// The devices that a request addresses, as known before the fan-out.
struct Audience {
    var scope: BroadcastScope
    /// The number of devices that hold a token or follow a channel that replaces it.
    var count: Int
    /// The number of devices reached through a channel.
    var covered = 0
    /// The slots of skipped devices for which an end stays pending until they report.
    var awaited: [UInt32] = []
    /// The skipped devices by reason, for a refusal. For a whole segment they are counted only if `count` is 0.
    var skipped = SkipCounts()
    /// The skipped devices that the fan-out does not count.
    var skippedBeforehand = SkipCounts()
}

extension BroadcastService {
    func audience(_ request: BroadcastRequest, _ record: ActivityRecord) async throws(StoreError) -> Audience {
        let kind: TokenKind = request.command.kind.tokens
        guard let pairs = request.targets else { return try await wholeSegment(kind, record) }
        let (found, notInSegment) = try await store.roster.targets(pairs, kind, in: record.activity)
        var audience = Audience(scope: .slots(found.filter { $0.skip == nil }.map(\.slot)), count: 0)
        audience.count = found.count { $0.skip == nil }
        audience.awaited = found.filter { $0.skip?.leavesEndPending == true }.map(\.slot)
        for target in found { if let reason = target.skip { audience.skippedBeforehand[reason] += 1 } }
        audience.skippedBeforehand[.notInSegment] = notInSegment
        audience.skipped = audience.skippedBeforehand
        return audience
    }

    private func wholeSegment(
        _ kind: TokenKind, _ record: ActivityRecord
    ) async throws(StoreError) -> Audience {
        let reach = try await store.roster.reach(kind, in: record)
        var audience = Audience(scope: .wholeSegment, count: reach.holders + reach.followers)
        audience.covered = reach.followers
        // Only a refusal reports the skipped devices. Counting them reads the whole roster.
        if audience.count == 0 { audience.skipped = try await store.roster.skipCounts(kind, in: record) }
        return audience
    }
}
