import GatewayStore
import LiveActivity
import RosterCore

/// The devices that a request addresses, as far as is known before the fan-out.
struct Audience {
    var scope: BroadcastScope
    /// How many of them hold a token, or follow a channel that stands for it.
    var count: Int
    /// How many of them are reached by a channel.
    var covered = 0
    /// Slots that an end waits for: without an update token, or of devices that take no pushes now.
    var awaited: [UInt32] = []
    /// For a refusal: everything that was passed over.
    var skipped = SkipCounts()
    /// What the fan-out will not see.
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
        // Only a refusal needs to know whom the fan-out would have passed over, and then it is everybody.
        if audience.count == 0 { audience.skipped = try await store.roster.skipCounts(kind, in: record) }
        return audience
    }
}
