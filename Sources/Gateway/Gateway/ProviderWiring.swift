import APNs
import Broadcasts
import Delivery
import PushClient
import Reactor

/// The providers of all apps, as the options want them. Connections are one team's and one key's, which also stands for a
/// set of topics; apps that have these in common share them.
struct ProviderWiring {
    let apps: AppDirectory
    let clients: [PushClient]
    /// Of the default app first, each at the provider where all devices but developers' are reached.
    let senders: [APNsSender]

    init(_ options: GatewayOptions, _ reactor: Reactor, sharedTokens: any SharedProviderTokens) throws {
        var known: [(client: PushClient, credential: ProviderCredential)] = []
        var senders: [APNsSender] = []
        let others = try options.providers.mapValues { Broadcaster(reactor: reactor, provider: try $0(reactor)) }

        func client(_ push: PushClientOptions, _ credential: ProviderCredential) throws -> PushClient {
            let own = known.first { $0.client.options.reachesTheSame(as: push) && $0.credential == credential }
            if let own { return own.client }
            let made = try PushClient(
                reactor: reactor, options: push, credential: credential, sharedTokens: sharedTokens)
            known.append((made, credential))
            return made
        }

        func broadcasters(
            _ push: PushClientOptions, _ credential: ProviderCredential, _ bundleIdentifier: String
        ) throws -> AppDirectory.Broadcasters {
            let sender = try APNsSender(try client(push, credential), bundleIdentifier: bundleIdentifier)
            senders.append(sender)
            let production = Broadcaster(reactor: reactor, provider: sender)
            var sandbox = production
            if let url = options.sandboxURL, url != push.url {
                var push = push
                push.url = url
                sandbox = Broadcaster(
                    reactor: reactor,
                    provider: try APNsSender(try client(push, credential), bundleIdentifier: bundleIdentifier))
            }
            return [.apns: production, .apnsSandbox: sandbox].merging(others) { $1 }
        }

        let standard = try broadcasters(options.push, options.credential, options.bundleIdentifier)
        var byTenant: [String: AppDirectory.Broadcasters] = [:]
        for app in options.furtherApps {
            let own = try broadcasters(app.push, app.credential, app.bundleIdentifier)
            for tenantID in app.tenantIDs { byTenant[tenantID] = own }
        }
        apps = AppDirectory(standard: standard, byTenant: byTenant)
        clients = known.map(\.client)
        self.senders = senders
    }
}
