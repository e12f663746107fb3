import Delivery
import GatewayStore
import LiveActivity
import RosterCore

extension BroadcastService {
    /// Returns the channels of an activity from its start on, for each kind of route with enough devices that can
    /// follow one. Without an available channel the devices report a token each.
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
    /// Returns the number of addressed devices with this kind of route.
    fileprivate func count(of kind: RouteKind, in record: ActivityRecord) -> Int {
        switch self {
        case .wholeSegment: record.slots.count(of: kind)
        case .slots(let slots): SlotRanges(slots.map { $0..<($0 + 1) }).count(of: kind)
        }
    }
}
