import APNs
import Broadcasts
import Delivery
import FCM
import GatewayStore
import PushClient
import Reactor
import TimeCore

/// The push clients made so far. Apps with the same provider and credential share one.
final class ProviderPool {
    private(set) var clients: [(client: PushClient, credential: ProviderCredential)] = []
    private(set) var android: [(options: FCMOptions, sender: FCMSender)] = []
    private(set) var probes: [(client: PushClient, probe: ProbePush)] = []
    private let reactor: Reactor
    private let store: GatewayStore
    private let sharedTokens: any SharedProviderTokens
    private let sandboxURL: String?
    /// Broadcasters in place of those made here.
    private let others: AppDirectory.Broadcasters

    init(
        _ options: GatewayOptions, _ reactor: Reactor, _ store: GatewayStore,
        _ sharedTokens: any SharedProviderTokens
    ) throws {
        self.reactor = reactor
        self.store = store
        self.sharedTokens = sharedTokens
        sandboxURL = options.sandboxURL
        others = try options.providers.mapValues { Broadcaster(reactor: reactor, provider: try $0(reactor)) }
    }

    func client(_ push: PushClientOptions, _ credential: ProviderCredential) throws -> PushClient {
        let own = clients.first { $0.client.options.reachesTheSame(as: push) && $0.credential == credential }
        if let own { return own.client }
        let made = try PushClient(reactor: reactor, options: push, credential: credential, sharedTokens: sharedTokens)
        clients.append((made, credential))
        return made
    }

    /// Apps of one project share its connections.
    private func sender(_ fcm: FCMOptions) throws -> FCMSender {
        if let own = android.first(where: { $0.options.reachesTheSame(as: fcm) }) { return own.sender }
        var fcm = fcm
        let (store, clock) = (store, store.wallClock)
        fcm.messages.wallClock = clock
        let (rate, rampUp) = (fcm.messages.messagesPerMinute, fcm.rampUp)
        let made = try FCMSender(
            reactor: reactor, options: fcm, sharedTokens: sharedTokens,
            quota: { StoredSendQuota(store, project: $0, messagesPerMinute: rate, rampUp: rampUp) },
            wallClock: { UInt64(max(0, clock().seconds)) })
        android.append((fcm, made))
        return made
    }

    func broadcasters(_ app: GatewayOptions.FurtherApp) throws -> AppDirectory.Broadcasters {
        let apns = try APNsSender(
            try client(app.push, app.credential), bundleIdentifier: app.bundleIdentifier)
        probes.append((apns.client, apns.probePush))
        let production = Broadcaster(reactor: reactor, provider: apns)
        var sandbox = production
        if let sandboxURL, sandboxURL != app.push.url {
            var push = app.push
            push.url = sandboxURL
            sandbox = Broadcaster(
                reactor: reactor,
                provider: try APNsSender(try client(push, app.credential), bundleIdentifier: app.bundleIdentifier))
        }
        var own: AppDirectory.Broadcasters = [
            .apns: production, .apnsFollower: production, .apnsSandbox: sandbox, .apnsSandboxFollower: sandbox,
        ]
        if let fcm = app.fcm {
            let provider = try sender(fcm)
            probes.append((provider.client, .fcm))
            own[.fcm] = Broadcaster(reactor: reactor, provider: provider)
        }
        return own.merging(others) { $1 }
    }
}
