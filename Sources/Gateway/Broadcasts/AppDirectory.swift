public import Delivery
import GatewayStore
import LiveActivity

/// Which app a tenant's activities belong to, and how each of its kinds of route is reached.
public struct AppDirectory: Sendable {
    /// An app's broadcasters, by the kinds of route that they serve: one at least.
    public typealias Broadcasters = [RouteKind: Broadcaster]

    private let standard: Broadcasters
    private let byTenant: [String: Broadcasters]
    private let channels: ChannelSources
    /// Those of them whose pushes to channels go elsewhere than those to devices.
    private let publishers: (standard: Broadcasters, byTenant: [String: Broadcasters])
    /// The providers of all apps, one for each engine.
    let providers: [any PushProvider]

    /// Where the apps' activities get their channels from: apps without broadcast capability have no source.
    public struct ChannelSources: Sendable {
        /// The default app's.
        public var standard: (any ChannelSource)?
        /// Further apps', by the ids of their tenants; nil for one without.
        public var byTenant: [String: (any ChannelSource)?] = [:]
        /// What the default app's pushes to channels are sent by, where it is not what those to devices are sent by.
        public var standardPublishers: Broadcasters = [:]
        /// Further apps', by the ids of their tenants.
        public var publishersByTenant: [String: Broadcasters] = [:]

        public init() {}
    }

    /// - Parameters:
    ///   - standard: the default app's.
    ///   - byTenant: further apps', by the ids of their tenants.
    public init(
        standard: Broadcasters, byTenant: [String: Broadcasters] = [:], channels: ChannelSources = ChannelSources()
    ) {
        self.channels = channels
        publishers = (channels.standardPublishers, channels.publishersByTenant)
        self.standard = standard
        self.byTenant = byTenant
        let all = ([standard, publishers.standard] + byTenant.values + publishers.byTenant.values).flatMap {
            $0.sorted { $0.key.rawValue < $1.key.rawValue }
        }
        providers = all.reduce(into: []) { list, entry in
            let provider = entry.value.provider
            if !list.contains(where: { $0.engine == provider.engine }) { list.append(provider) }
        }
    }

    /// Nil when the tenant's app has no way to reach such devices.
    func broadcaster(of tenantID: String, over kind: RouteKind) -> Broadcaster? {
        (byTenant[tenantID] ?? standard)[kind]
    }

    /// What sends a part of a broadcast.
    func broadcaster(of tenantID: String, for part: JobTicket.Part) -> Broadcaster? {
        if let kind = part.channelKind {
            let own = byTenant[tenantID] == nil ? publishers.standard : publishers.byTenant[tenantID]
            if let publisher = own?[kind] { return publisher }
        }
        return broadcaster(of: tenantID, over: part.routeKind)
    }

    /// Nil when activities of the tenant's app can have no channel.
    func channelSource(ofTenant tenantID: String) -> (any ChannelSource)? {
        channels.byTenant[tenantID] ?? channels.standard
    }

    /// The kinds of route over which a tenant's app reaches devices.
    func routeKinds(of tenantID: String) -> Set<RouteKind> { Set((byTenant[tenantID] ?? standard).keys) }

    /// The first of these kinds of route, or of all when none is named, that cannot carry so much for a tenant: how
    /// many bytes it is by the provider's own count, and the most that it takes. Nil when each can.
    /// - Parameters:
    ///   - channels: those that devices follow from a start on, or that an update or end goes to.
    func excess(
        of payload: Payload, _ event: PushEvent, in activity: Activity, over kinds: [RouteKind], channels: Channels
    ) -> (bytes: Int, limit: Int, cohort: Cohort)? {
        let own = byTenant[activity.tenantID] ?? standard
        for kind in kinds.isEmpty ? own.keys.sorted(by: { $0.rawValue < $1.rawValue }) : kinds {
            guard let provider = own[kind]?.provider else { continue }
            let channel = channels[kind]
            let following = event == .start ? channel : nil
            let destination = event == .start ? .devices : channel.map(Intent.Destination.channel) ?? .devices
            let bytes = provider.contentSize(of: payload, event, activity: activity.id, following: following)
            let limit = provider.contentLimit(destination)
            if bytes > limit { return (bytes, limit, Cohort(kind, isToChannel: channel != nil)) }
        }
        return nil
    }

    /// The reasons of rejections that the providers of all apps document, by the kinds of destination that there are.
    var reasons: [Cohort: [String]] {
        var found: [Cohort: Set<String>] = [:]
        for broadcasters in [standard] + Array(byTenant.values) {
            for (kind, broadcaster) in broadcasters {
                let cohort = Cohort(kind, isToChannel: kind != kind.single)
                found[cohort, default: []].formUnion(broadcaster.provider.reasons)
            }
        }
        return found.mapValues { $0.sorted() }
    }
}
