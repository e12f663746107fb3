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

/// The options with which a gateway starts.
public struct GatewayOptions: Sendable {
    /// The name or address of the listener for customers and devices.
    public var host = "127.0.0.1"
    /// The port of that listener; 0 for any free port.
    public var port = 8080
    /// The TLS options of that listener; nil for plain HTTP.
    public var tls: ListenerTLSOptions?
    /// The Redis server or cluster that stores all state.
    public var redis: RedisEndpoint
    /// The timeout of a Redis command.
    public var redisTimeout = TimeInterval.seconds(2)
    /// The number of replicas of a single Redis that must confirm the critical writes of a start. Nil means one if a
    /// replica is connected, else none.
    public var replicasToWait: Int?
    /// The options of the default app's push client.
    public var push: PushClientOptions
    /// The URL of the provider's sandbox, for development builds of the app. Nil sends their pushes to the same URL as
    /// all others.
    public var sandboxURL: String?
    /// Providers that replace APNs for a route kind or serve a further kind, for all apps. Each is made on the
    /// gateway's reactor.
    public var providers: [RouteKind: @Sendable (Reactor) throws -> any PushProvider] = [:]
    /// The default app's APNs credential.
    public var credential: ProviderCredential
    /// The default app's bundle identifier.
    public var bundleIdentifier: String
    /// The default app's FCM options; nil if it does not send to Android.
    public var fcm: FCMOptions?
    /// The default app's channel options; nil if it has no broadcast channels.
    public var channels: ChannelOptions?
    /// The default app's former signing keys. They only open content that was sealed with them.
    public var formerKeyFiles: [String] = []
    /// Apps other than the default one. A tenant belongs to the app that lists it, otherwise to the default app.
    public var furtherApps: [FurtherApp] = []
    /// The rules and limits of requests.
    public var api = APISettings()
    /// The settings of the job worker. `maximumBroadcasts` is taken from `api`.
    public var jobs = JobSettings()
    /// The rules of the store. `reportLife` is set by the gateway's clock.
    public var rules = StoreRules(minimumInterval: .seconds(1))
    /// The options of event delivery. `policy` also applies to the API.
    public var webhooks = WebhookOptions()
    /// The key for tenants' identity secrets. With nil, signatures by sealed secrets cannot be verified.
    public var identitySecrets: IdentitySecrets?
    /// The origin of the key for identity and webhook secrets, for operators.
    public var sealingKey = SealingKeyName.none
    /// Topic feeds. One of all gateways with the same feed polls it.
    public var feeds: [FeedOptions] = []
    /// The path of the audit log; nil writes audit records to the log.
    public var auditFile: String?
    /// The limits of client connections.
    public var connections = ConnectionLimits()
    /// The options of the separate listener for `/health/*`.
    public var health = HealthOptions()
    /// The options of the console.
    public var console = ConsoleOptions()
    /// The options of `/metrics`.
    public var metrics = MetricsOptions()
    /// The labels of `fanfare_build_info`.
    public var build = BuildNames(version: "unknown")
    /// The time between the stop signal and the end of the process.
    public var shutdownTimeout = TimeInterval.seconds(25)
    /// The clock for everything about activities, called on any thread. Nil uses Redis's clock, on which all gateways
    /// of one store agree. A given clock is not corrected.
    public var clock: (@Sendable () -> WallTime)?
    /// The options of the Redis checks.
    public var surveillance = StoreSurveillance()
    /// True if each credential is tried at start, with one push to an invalid token.
    public var triesCredentials = true

    /// The listener for `/health/*`, in addition to the one for customers and devices.
    public struct HealthOptions: Sendable {
        /// The name or address of the listener.
        public var host = "127.0.0.1"
        /// The port, 0 for any free one; nil for no separate listener.
        public var port: Int?

        public init() {}
    }

    /// The listener of the console.
    public struct ConsoleOptions: Sendable {
        /// The name or address of the listener.
        public var host = "127.0.0.1"
        /// The port, 0 for any free one; nil for no console.
        public var port: Int?

        public init() {}

        /// True if only this machine can reach the console.
        var isLocal: Bool { Loopback.contains(host: host) }
    }

    /// The listener of `/metrics`.
    public struct MetricsOptions: Sendable {
        /// True if `/metrics` is served.
        public var isEnabled = true
        /// The name or address of a separate listener.
        public var host = "127.0.0.1"
        /// The port of a separate listener, 0 for any free one; nil for the listener of customers and devices.
        public var port: Int?

        public init() {}
    }

    /// An app other than the default one.
    public struct FurtherApp: Sendable {
        /// The app's name in the configuration.
        public var name = ""
        /// The tenants that belong to this app.
        public var tenantIDs: [String]
        /// The options of the app's push client.
        public var push: PushClientOptions
        /// The app's APNs credential.
        public var credential: ProviderCredential
        /// The app's bundle identifier, from which its topic is derived.
        public var bundleIdentifier: String
        /// The app's former signing keys. They only open content that was sealed with them.
        public var formerKeyFiles: [String]
        /// The app's FCM options; nil if it does not send to Android.
        public var fcm: FCMOptions?
        /// The app's channel options; nil if it has no broadcast channels.
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

    /// All apps. The default one is first, with an empty name and without tenants of its own.
    var allApps: [FurtherApp] {
        var standard = FurtherApp(
            tenantIDs: [], push: push, credential: credential, bundleIdentifier: bundleIdentifier,
            formerKeyFiles: formerKeyFiles)
        standard.fcm = fcm
        standard.channels = channels
        return [standard] + furtherApps
    }

    public init(
        redis: RedisEndpoint, push: PushClientOptions, credential: ProviderCredential, bundleIdentifier: String
    ) {
        self.redis = redis
        self.push = push
        self.credential = credential
        self.bundleIdentifier = bundleIdentifier
    }
}
