import APNs
import Broadcasts
import Delivery
import GatewayStore
import LiveActivity
import Logging
import PushClient
import Reactor

/// Creates the objects that manage and reach the broadcast channels of apps.
struct ChannelWiring {
    private let sandboxURL: String?
    private let reactor: Reactor
    private let store: GatewayStore
    private let logger: Logger
    /// Returns the push client for a provider and a credential, which several apps may share.
    private let client: (PushClientOptions, ProviderCredential) throws -> PushClient

    /// The objects for one app.
    struct Wired {
        let source: AppChannels
        /// The senders for channels, for each kind whose channels have another URL than its devices.
        let publishers: AppDirectory.Broadcasters
        let keepers: [ChannelKeeper]
    }

    init(
        _ options: GatewayOptions, _ reactor: Reactor, _ store: GatewayStore, _ logger: Logger,
        client: @escaping (PushClientOptions, ProviderCredential) throws -> PushClient
    ) {
        sandboxURL = options.sandboxURL
        self.reactor = reactor
        self.store = store
        self.logger = logger
        self.client = client
    }

    /// Returns nil for an app without channels.
    func wire(_ app: GatewayOptions.FurtherApp) throws -> Wired? {
        guard let channels = app.channels else { return nil }
        let (push, credential, bundleIdentifier) = (app.push, app.credential, app.bundleIdentifier)
        let production = try keeper(channels, push, push.url, credential, bundleIdentifier, .production)
        var keepers: [Device.Environment: ChannelKeeper] = [.production: production, .sandbox: production]
        let sandboxURL = sandboxURL ?? push.url
        // If both environments share a server, one keeper serves both.
        if sandboxURL != push.url, channels.sandboxManagementURL != channels.managementURL {
            keepers[.sandbox] = try keeper(channels, push, sandboxURL, credential, bundleIdentifier, .sandbox)
        }
        var publishers: AppDirectory.Broadcasters = [:]
        for (kind, own, url) in [
            (RouteKind.apnsFollower, push.url, channels.broadcastURL),
            (.apnsSandboxFollower, sandboxURL, channels.sandboxBroadcastURL),
        ] {
            guard let url, url != own else { continue }
            let sender = try APNsSender(try client(to(url, push), credential), bundleIdentifier: bundleIdentifier)
            publishers[kind] = Broadcaster(reactor: reactor, provider: sender)
        }
        let source = AppChannels(threshold: channels.threshold, patience: channels.patience, keepers: keepers)
        let all = [production] + [keepers[.sandbox]].compactMap { $0 }.filter { $0 !== production }
        return Wired(source: source, publishers: publishers, keepers: all)
    }

    /// - Parameter url: The URL for pushes of the environment. The keeper signs its calls with the same token.
    private func keeper(
        _ channels: ChannelOptions, _ push: PushClientOptions, _ url: String, _ credential: ProviderCredential,
        _ bundleIdentifier: String, _ environment: Device.Environment
    ) throws -> ChannelKeeper {
        let management = environment == .sandbox ? channels.sandboxManagementURL : channels.managementURL
        let calls = try ChannelCalls(
            to(management, push), bundleIdentifier: bundleIdentifier,
            authorization: try client(to(url, push), credential).authorization, on: reactor)
        return ChannelKeeper(
            StoredChannels(store, bundleIdentifier: bundleIdentifier, environment: environment), calls,
            bundleIdentifier: bundleIdentifier, environment: environment, options: channels,
            wallClock: store.wallClock, logger: logger)
    }

    /// Returns the options with another URL, and without the addresses of the first one.
    private func to(_ url: String, _ push: PushClientOptions) -> PushClientOptions {
        guard url != push.url else { return push }
        var push = push
        push.url = url
        push.addresses = nil
        return push
    }
}
