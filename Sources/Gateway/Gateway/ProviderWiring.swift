import APNs
import Broadcasts
import Delivery
import FCM
import GatewayStore
import LiveActivity
import Logging
import PushClient
import Reactor
import TimeCore

/// The providers of all apps.
struct ProviderWiring {
    let apps: AppDirectory
    let clients: [PushClient]
    /// The probe push of each credential. The default app's APNs credential is first. APNs probes use production.
    let probes: [(client: PushClient, probe: ProbePush)]

    let credentials: ClientCredentials
    /// The senders to Android.
    let android: [FCMSender]
    /// The keepers of the apps' broadcast channels.
    let channelKeepers: [ChannelKeeper]

    init(
        _ options: GatewayOptions, _ reactor: Reactor, _ store: GatewayStore, sharedTokens: any SharedProviderTokens,
        logger: Logger
    ) throws {
        let pool = try ProviderPool(options, reactor, store, sharedTokens)
        let wiring = ChannelWiring(options, reactor, store, logger, client: pool.client)
        var standard: AppDirectory.Broadcasters = [:]
        var byTenant: [String: AppDirectory.Broadcasters] = [:]
        var channels = AppDirectory.ChannelSources()
        var keepers: [ChannelKeeper] = []
        for (place, app) in options.allApps.enumerated() {
            let broadcasters = try pool.broadcasters(app)
            let wired = try wiring.wire(app)
            keepers += wired?.keepers ?? []
            if place == 0 {
                standard = broadcasters
                channels.standard = wired?.source
                channels.standardPublishers = wired?.publishers ?? [:]
            }
            for tenantID in app.tenantIDs {
                byTenant[tenantID] = broadcasters
                // An app without channels must not use the default app's.
                channels.byTenant.updateValue(wired?.source, forKey: tenantID)
                channels.publishersByTenant[tenantID] = wired?.publishers
            }
        }
        apps = AppDirectory(standard: standard, byTenant: byTenant, channels: channels)
        channelKeepers = keepers
        clients = pool.clients.map(\.client) + pool.android.map(\.sender.client)
        probes = pool.probes
        android = pool.android.map(\.sender)
        let clock = store.wallClock
        credentials = try ClientCredentials(
            options, clients: pool.clients, android: pool.android, sharedTokens: sharedTokens,
            wallClock: { UInt64(max(0, clock().seconds)) })
    }
}
