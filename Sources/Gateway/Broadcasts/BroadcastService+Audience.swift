import GatewayStore
import LiveActivity
import RosterCore

/// The devices that a request addresses, as far as they are known before the fan-out.
struct Audience {
    var scope: BroadcastScope
    /// The number of devices with a token, or with a channel in its place.
    var count: Int
    /// The number of devices that a channel reaches.
    var covered = 0
    /// The slots that an end waits for: those without an update token, or with a device that accepts no pushes now.
    var awaited: [UInt32] = []
    /// The counts of all skipped devices, for a refusal.
    var skipped = SkipCounts()
    /// The counts of devices that the fan-out does not read.
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
        let (reach, skipped) = try await store.roster.reachOrSkips(kind, in: record)
        var audience = Audience(scope: .wholeSegment, count: reach.holders + reach.followers)
        audience.covered = reach.followers
        audience.skipped = skipped
        return audience
    }
}
