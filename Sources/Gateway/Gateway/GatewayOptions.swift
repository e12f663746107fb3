public import APNs
public import Broadcasts
public import Delivery
import Encodings
public import FCM
public import Feeds
public import GatewayAPI
public import GatewayStore
import LiveActivity
public import PushClient
public import Reactor
public import RedisClient
public import TimeCore
public import Webhooks

/// Everything that a gateway is told when it starts.
public struct GatewayOptions: Sendable {
    /// The name or address to listen on, for customers and devices.
    public var host = "127.0.0.1"
    /// 0 for any free port.
    public var port = 8080
    /// What that listener speaks TLS with; nil for plain HTTP.
    public var tls: ListenerTLSOptions?
    /// The one Redis, or the cluster, that holds all state.
    public var redis: RedisEndpoint
    /// How long a command to Redis may take.
    public var redisTimeout = TimeInterval.seconds(2)
    /// The number of replicas of a single Redis that must have what a start must not lose; nil for one if any is
    /// connected, else none.
    public var replicasToWait: Int?
    /// The default app's way to the provider.
    public var push: PushClientOptions
    /// Where the sandbox of the provider is, at which devices are reached that have the app from its developer. Nil:
    /// they are reached where all others are.
    public var sandboxURL: String?
    /// Providers that take APNs's place for a kind of route, or serve one that it does not: for all apps, made on the
    /// gateway's reactor.
    public var providers: [RouteKind: @Sendable (Reactor) throws -> any PushProvider] = [:]
    /// The default app's credential at APNs.
    public var credential: ProviderCredential
    /// The default app's bundle identifier.
    public var bundleIdentifier: String
    /// The default app's way to Android; nil for none.
    public var fcm: FCMOptions?
    /// The default app's broadcast channels; nil for an app that can have none.
    public var channels: ChannelOptions?
    /// Signing keys that the default app had before: what was sealed under them is read, and nothing else is done with
    /// them.
    public var formerKeyFiles: [String] = []
    /// Apps beside the default one. A tenant belongs to the app that names it, and to the default one if none does.
    public var furtherApps: [FurtherApp] = []
    /// What requests may ask for, and how much.
    public var api = APISettings()
    /// How the work on broadcasts goes. `maximumBroadcasts` is taken from `api`.
    public var jobs = JobSettings()
    /// How many events are kept for tenants, and for how long.
    public var events = EventLimits()
    /// How events are delivered. `policy` is the API's as well.
    public var webhooks = WebhookOptions()
    /// What tenants' identity secrets are sealed with; nil: signatures by sealed ones cannot be verified.
    public var identitySecrets: IdentitySecrets?
    /// Where the key of those and of webhooks' secrets is from, for people.
    public var sealingKey = SealingKeyName.none
    /// URLs that are polled for what is said of topics, by one of all gateways that are told of them.
    public var feeds: [FeedOptions] = []
    /// The file of the audit log; nil: its records go into the log.
    public var auditFile: String?
    /// How many connections of clients there may be, and whom they are for.
    public var connections = ConnectionLimits()
    /// Whether and where there is a listener of its own for `/health/*`.
    public var health = HealthOptions()
    /// Whether and where the console is.
    public var console = ConsoleOptions()
    /// Whether and where `/metrics` is.
    public var metrics = MetricsOptions()
    /// What `fanfare_build_info` tells.
    public var build = BuildNames(version: "unknown")
    /// From the signal to stop until the process is gone.
    public var shutdownTimeout = TimeInterval.seconds(25)
    /// What the gateway takes for now in everything about activities, on any thread. Nil for Redis's clock, on which
    /// all gateways of one store agree; a clock that is given counts as it is.
    public var clock: (@Sendable () -> WallTime)?
    /// How Redis is looked after.
    public var surveillance = StoreSurveillance()
    /// Whether each credential is tried at start, by one push to a token that is nobody's.
    public var triesCredentials = true

    /// Where `/health/*` is, beside the listener for customers and devices.
    public struct HealthOptions: Sendable {
        /// The name or address that the listener listens on.
        public var host = "127.0.0.1"
        /// 0 for any free port; nil: there is no such listener.
        public var port: Int?

        public init() {}
    }

    /// Where the console is.
    public struct ConsoleOptions: Sendable {
        /// The name or address that its listener listens on.
        public var host = "127.0.0.1"
        /// 0 for any free port; nil: there is no console.
        public var port: Int?

        public init() {}

        /// Whether only this machine reaches it.
        var isLocal: Bool { Loopback.contains(host: host) }
    }

    /// Where `/metrics` is.
    public struct MetricsOptions: Sendable {
        /// Whether `/metrics` is served.
        public var isEnabled = true
        /// The name or address that a listener of its own listens on.
        public var host = "127.0.0.1"
        /// A listener of its own, 0 for any free port; nil: the one for customers and devices.
        public var port: Int?

        public init() {}
    }

    /// An app beside the default one.
    public struct FurtherApp: Sendable {
        /// What the configuration calls it.
        public var name = ""
        /// The tenants whose activities are this app's.
        public var tenantIDs: [String]
        /// The app's way to the provider.
        public var push: PushClientOptions
        /// The app's credential at APNs.
        public var credential: ProviderCredential
        /// The app's bundle identifier, which its topic is made from.
        public var bundleIdentifier: String
        /// Signing keys that the app had before.
        public var formerKeyFiles: [String]
        /// The app's way to Android; nil for none.
        public var fcm: FCMOptions?
        /// The app's broadcast channels; nil for an app that can have none.
        public var channels: ChannelOptions?

        public init(
            tenantIDs: [String], push: PushClientOptions, credential: ProviderCredential, bundleIdentifier: String,
            formerKeyFiles: [String] = []
        ) {
            self.formerKeyFiles = formerKeyFiles
            self.tenantIDs = tenantIDs
            self.push = push
            self.credential = credential
            self.bundleIdentifier = bundleIdentifier
        }
    }

    /// The least time between two updates of an activity to its whole segment, once two have left in a row; zero for
    /// none.
    public var minimumInterval = TimeInterval.seconds(1)

    /// How many updates an hour an activity's whole segment gets with priority 10 that name none; 0 for any number.
    public var updateBudget = 30

    /// A start passes over a device that may have so many Live Activities already; 0 for none.
    public var maximumPerDevice = 0

    /// How long a started activity may run before the gateway ends it; nil for as long as its `ends_at` lets it.
    public var lifetime: TimeInterval? = Lifecycle.platformLifetime

    public init(
        redis: RedisEndpoint, push: PushClientOptions, credential: ProviderCredential, bundleIdentifier: String
    ) {
        self.redis = redis
        self.push = push
        self.credential = credential
        self.bundleIdentifier = bundleIdentifier
    }
}
