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

/// Creates the providers of all apps from the options. Apps with the same provider and credential share its
/// connections.
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
        var known: [(client: PushClient, credential: ProviderCredential)] = []
        var android: [(options: FCMOptions, sender: FCMSender)] = []
        var probes: [(client: PushClient, probe: ProbePush)] = []
        let others = try options.providers.mapValues { Broadcaster(reactor: reactor, provider: try $0(reactor)) }

        func client(_ push: PushClientOptions, _ credential: ProviderCredential) throws -> PushClient {
            let own = known.first { $0.client.options.reachesTheSame(as: push) && $0.credential == credential }
            if let own { return own.client }
            let made = try PushClient(
                reactor: reactor, options: push, credential: credential, sharedTokens: sharedTokens)
            known.append((made, credential))
            return made
        }

        func sender(_ fcm: FCMOptions) throws -> FCMSender {
            // Apps of one project share its connections.
            if let own = android.first(where: { $0.options.reachesTheSame(as: fcm) }) { return own.sender }
            var fcm = fcm
            fcm.messages.wallClock = store.wallClock
            let clock = store.wallClock
            let made = try FCMSender(
                reactor: reactor, options: fcm, sharedTokens: sharedTokens,
                quota: { project in
                    StoredSendQuota(
                        store, project: project, messagesPerMinute: fcm.messages.messagesPerMinute, rampUp: fcm.rampUp)
                }, wallClock: { UInt64(max(0, clock().seconds)) })
            android.append((fcm, made))
            return made
        }

        func broadcasters(
            _ push: PushClientOptions, _ credential: ProviderCredential, _ bundleIdentifier: String, _ fcm: FCMOptions?
        ) throws -> AppDirectory.Broadcasters {
            let apns = try APNsSender(try client(push, credential), bundleIdentifier: bundleIdentifier)
            probes.append((apns.client, apns.probePush))
            let production = Broadcaster(reactor: reactor, provider: apns)
            var sandbox = production
            if let url = options.sandboxURL, url != push.url {
                var push = push
                push.url = url
                sandbox = Broadcaster(
                    reactor: reactor,
                    provider: try APNsSender(try client(push, credential), bundleIdentifier: bundleIdentifier))
            }
            var own: AppDirectory.Broadcasters = [
                .apns: production, .apnsFollower: production, .apnsSandbox: sandbox, .apnsSandboxFollower: sandbox,
            ]
            if let fcm {
                let provider = try sender(fcm)
                probes.append((provider.client, .fcm))
                own[.fcm] = Broadcaster(reactor: reactor, provider: provider)
            }
            return own.merging(others) { $1 }
        }

        let wired = ChannelWiring(
            options, reactor, store, logger, client: client)

        let standard = try broadcasters(options.push, options.credential, options.bundleIdentifier, options.fcm)
        var channels = AppDirectory.ChannelSources()
        var keepers: [ChannelKeeper] = []
        if let own = options.channels {
            let app = try wired.wire(own, options.push, options.credential, options.bundleIdentifier)
            channels.standard = app.source
            channels.standardPublishers = app.publishers
            keepers += app.keepers
        }
        var byTenant: [String: AppDirectory.Broadcasters] = [:]
        for app in options.furtherApps {
            let own = try broadcasters(app.push, app.credential, app.bundleIdentifier, app.fcm)
            let wiredChannels = try app.channels.map {
                try wired.wire($0, app.push, app.credential, app.bundleIdentifier)
            }
            keepers += wiredChannels?.keepers ?? []
            for tenantID in app.tenantIDs {
                byTenant[tenantID] = own
                // An app without channels must not use the default app's.
                channels.byTenant.updateValue(wiredChannels?.source, forKey: tenantID)
                channels.publishersByTenant[tenantID] = wiredChannels?.publishers
            }
        }
        apps = AppDirectory(standard: standard, byTenant: byTenant, channels: channels)
        channelKeepers = keepers
        clients = known.map(\.client) + android.map(\.sender.client)
        self.probes = probes
        let clock = store.wallClock
        credentials = try ClientCredentials(
            options, clients: known, android: android, sharedTokens: sharedTokens,
            wallClock: { UInt64(max(0, clock().seconds)) })
        self.android = android.map(\.sender)
    }
}
