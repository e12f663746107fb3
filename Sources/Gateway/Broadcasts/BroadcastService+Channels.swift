import Delivery
import GatewayStore
import LiveActivity
import RosterCore

extension BroadcastService {
    /// The channels that an activity has from its start on: for each kind of route whose devices can follow one, when
    /// enough of them are started. None where no channel can be had: the devices then report a token each, as others
    /// do.
    func channels(for record: ActivityRecord, _ scope: BroadcastScope) async -> Channels {
        var channels = Channels()
        let activity = record.activity
        guard let use = record.channelUse, let source = jobs.apps.channelSource(ofTenant: activity.tenantID) else {
            return channels
        }
        for (kind, environment) in BroadcastService.environments {
            let count = scope.count(of: kind, in: record)
            guard count > 0, use.isRequired || count >= source.threshold,
                let channel = await source.channel(
                    for: activity.id, environment: environment, storesNewest: use.storesNewest)
            else { continue }
            channels.set(channel, of: kind, storesNewest: use.storesNewest)
        }
        return channels
    }

    static let environments: [(RouteKind, Device.Environment)] = [
        (.apnsFollower, .production), (.apnsSandboxFollower, .sandbox),
    ]
}

extension BroadcastScope {
    /// How many of the devices addressed are reached over a kind of route.
    fileprivate func count(of kind: RouteKind, in record: ActivityRecord) -> Int {
        switch self {
        case .wholeSegment: record.slots.count(of: kind)
        case .slots(let slots): SlotRanges(slots.map { $0..<($0 + 1) }).count(of: kind)
        }
    }
}
