public import Delivery
import GatewayStore
import LiveActivity

/// The apps of tenants, with a broadcaster for each kind of route.
public struct AppDirectory: Sendable {
    /// An app's broadcasters by kind of route, at least one.
    public typealias Broadcasters = [RouteKind: Broadcaster]

    private let standard: Broadcasters
    private let byTenant: [String: Broadcasters]
    private let channels: ChannelSources
    /// The broadcasters of pushes to channels, where they differ from those to devices.
    private let publishers: (standard: Broadcasters, byTenant: [String: Broadcasters])
    /// The providers of all apps, one for each engine.
    let providers: [any PushProvider]

    /// The sources of channels of the apps. Apps without broadcast capability have none.
    public struct ChannelSources: Sendable {
        /// The source of the default app.
        public var standard: (any ChannelSource)?
        /// The sources of further apps, by the ids of their tenants; nil for an app without one.
        public var byTenant: [String: (any ChannelSource)?] = [:]
        /// The default app's broadcasters of pushes to channels, where they differ from those to devices.
        public var standardPublishers: Broadcasters = [:]
        /// Further apps' broadcasters of pushes to channels, by the ids of their tenants.
        public var publishersByTenant: [String: Broadcasters] = [:]

        public init() {}
    }

    /// - Parameters:
    ///   - standard: The default app's broadcasters.
    ///   - byTenant: Further apps' broadcasters, by the ids of their tenants.
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

    /// Returns a broadcaster; nil if the tenant's app does not reach devices over this kind of route.
    func broadcaster(of tenantID: String, over kind: RouteKind) -> Broadcaster? {
        (byTenant[tenantID] ?? standard)[kind]
    }

    /// Returns the broadcaster of a part of a broadcast.
    func broadcaster(of tenantID: String, for part: JobTicket.Part) -> Broadcaster? {
        if let kind = part.channelKind {
            let own = byTenant[tenantID] == nil ? publishers.standard : publishers.byTenant[tenantID]
            if let publisher = own?[kind] { return publisher }
        }
        return broadcaster(of: tenantID, over: part.routeKind)
    }

    /// Returns the source of channels of a tenant's app; nil if its activities cannot have channels.
    func channelSource(ofTenant tenantID: String) -> (any ChannelSource)? {
        channels.byTenant[tenantID] ?? channels.standard
    }

    /// Returns the kinds of route over which a tenant's app reaches devices.
    func routeKinds(of tenantID: String) -> Set<RouteKind> { Set((byTenant[tenantID] ?? standard).keys) }

    /// Finds the first kind of route whose provider refuses the content's length. Returns the length in bytes by the
    /// provider's count, and the limit; nil if none refuses it.
    /// - Parameters:
    ///   - kinds: The kinds to check; empty for all.
    ///   - channels: The channels that devices follow after a start, or that an update or end goes to.
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

    /// The documented rejection reasons of all providers, by kind of destination.
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
