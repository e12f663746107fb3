public import Encodings

/// What a gateway is run with, each value checked. `GatewayConfiguration()` holds the defaults.
///
/// A value's key is its path in the configuration file (`http.port`); the environment variable that overrides it is
/// `FANFARE_` and the path in upper case with `_` for `.` (`FANFARE_HTTP_PORT`). The shipped `config/fanfare.yaml`
/// documents every key.
public struct GatewayConfiguration: Sendable, Equatable {
    /// Of these the first that is there is read when no file is named: one at hand, and the Debian package's.
    public static let defaultFiles = ["config/fanfare.yaml", "/etc/fanfare/fanfare.yaml"]

    /// `http`: the server for customers and devices.
    public var http = HTTP()
    /// `health`: a listener of its own for `/health/*`.
    public var health = Health()
    /// `console`: the page for those who run and use the gateway.
    public var console = Console()
    /// `redis`: where everything is kept.
    public var redis = Redis()
    /// `apns`: the provider, and the default app.
    public var apns = APNs()
    /// `fcm`: the provider for Android, of the default app.
    public var fcm = FCM()
    /// Further apps for further tenants, by name (`apps.<name>`), in alphabetical order.
    public var apps: [App] = []
    /// `rate_limit`: how many requests a key may make.
    public var rateLimit = RateLimit()
    /// `register`: bounds of registrations.
    public var register = Register()
    /// `segments`: bounds of stored segments.
    public var segments = Segments()
    /// `activity`: how long activities run.
    public var activity = Activity()
    /// `topics`: how topics are seen to, and the feeds that speak of them.
    public var topics = Topics()
    /// `broadcast`: how broadcasts are carried out.
    public var broadcast = Broadcast()
    /// `tenants`: what holds for every tenant.
    public var tenants = Tenants()
    /// `events`: what is recorded, and delivered to webhooks.
    public var events = Events()
    /// Who has changed what.
    public var audit = Audit()
    /// `metrics`: the page for Prometheus.
    public var metrics = Metrics()
    /// `log`: what is logged.
    public var log = Log()
    /// `shutdown`: how a gateway stops.
    public var shutdown = Shutdown()

    /// The defaults.
    public init() {}
}

extension GatewayConfiguration {
    /// The listener for customers and devices.
    public struct HTTP: Sendable, Equatable {
        /// `http.host`: the address to listen on.
        public var host = "127.0.0.1"
        /// `http.port`: 0 lets the system choose a free one.
        public var port = 8080
        /// `http.max_body_bytes`: a longer body is answered with 413. Streamed uploads of segments are exempt.
        public var bodyLimitBytes = 2 * 1024 * 1024
        /// `http.max_buffered_bytes`: bytes of bodies that are held in memory; tenants share them.
        public var maxBufferedBytes = 256 * 1024 * 1024
        /// `http.body_timeout`: how long a request's body may take to arrive.
        public var bodyTimeout = Duration.seconds(20)
        /// `http.head_timeout`: how long a connection may take to send the next request's head.
        public var headTimeout = Duration.seconds(60)
        /// `http.tls_certificate_file`: what the listener shows when it speaks TLS; nil, as the key's, when it does
        /// not.
        public var tlsCertificateFile: String?
        /// `http.tls_key_file`: the key of that certificate.
        public var tlsKeyFile: String?
        /// `http.max_connections`: at once, of all clients; nil for as many as file descriptors allow.
        public var maxConnections: Int?
        /// `http.max_connections_per_address`: at once.
        public var maxConnectionsPerAddress = 4096
        /// `http.trusted_proxies`: addresses and blocks of addresses that are believed when they say whose request they
        /// pass on.
        public var trustedProxies: [String] = []
        /// `http.proxy_protocol`: whether these begin each connection with a header of the PROXY protocol.
        public var proxyProtocol = false
        /// `http.cors_origins`: whose pages may read replies to customers, as browsers send origins; `*` for all.
        public var corsOrigins: [String] = []

        public init() {}

        /// `trusted_proxies`, taken apart.
        public var trustedBlocks: [AddressBlock] { trustedProxies.compactMap { AddressBlock($0) } }
    }

    /// The listener for health alone.
    public struct Health: Sendable, Equatable {
        /// `health.host`: the address to listen on.
        public var host = "127.0.0.1"
        /// `health.port`: a listener of its own; without it `/health/*` is only on the one for customers and devices.
        public var port: Int?

        public init() {}
    }

    /// The console's listener.
    public struct Console: Sendable, Equatable {
        /// `console.host`: the address to listen on.
        public var host = "127.0.0.1"
        /// `console.port`: without it there is no console.
        public var port: Int?

        public init() {}

        /// Whether only this machine reaches it.
        public var isLocal: Bool { Loopback.contains(host: host) }
    }

    /// The store.
    public struct Redis: Sendable, Equatable {
        /// `redis.url`: `redis://`, `rediss://`, `redis+sentinel://`, `rediss+sentinel://` or `unix://`. Without it
        /// `serve` starts a private redis-server. May hold a password.
        public var url: String?
        /// True if the URL names several servers.
        var hasSeveralPlaces: Bool { (url ?? "").split(separator: ",").count { $0.contains("://") } > 1 }
        static let severalPlaces = """
            redis.url names several places: nodes of one cluster, or one primary and its replicas. Without a cluster a \
            gateway uses the first place that reports itself as primary, skips replicas, and searches again when that \
            server refuses writes or is lost. It promotes no replica, and cannot distinguish two primaries.
            """
        /// `redis.ca_file`: the roots that the server's certificate leads to; nil for the system's.
        public var caFile: String?
        /// `redis.certificate_file`: what is shown to a server that demands a client's certificate.
        public var certificateFile: String?
        /// `redis.key_file`: the key of that certificate.
        public var keyFile: String?
        /// `redis.command_timeout`: how long a command may take.
        public var commandTimeout = Duration.seconds(2)
        /// `redis.replicas_to_wait`: how many replicas of a single Redis must have what a start must not lose; nil for
        /// one if any is connected, else none.
        public var replicasToWait: Int?
        /// `redis.data_dir`: where the private redis-server keeps its data.
        public var dataDirectory = "data"
        /// The sealing key that is made there where `events.sealing_key_file` names none.
        public var localSealingKeyFile: String { "\(dataDirectory)/\(Redis.sealingKeyName)" }
        static let sealingKeyName = "webhooks.key"
        /// `redis.server_path`: the private redis-server's executable; a bare name is looked for in `PATH`.
        public var serverPath = "redis-server"
        /// `redis.checks`: what follows when Redis is not set up so that it keeps what is promised.
        public var checks = StoreChecks.warn
        /// `redis.max_clock_skew`: how far this machine's clock may be from Redis's.
        public var maxClockSkew = Duration.seconds(300)

        public init() {}
    }

    /// See `Redis.checks`.
    public enum StoreChecks: String, Sendable, CaseIterable {
        case warn, strict
    }

    /// The cap on requests, for each API key.
    public struct RateLimit: Sendable, Equatable {
        /// `rate_limit.requests_per_minute`.
        public var requestsPerMinute = 1000

        public init() {}
    }

    /// What a register may hold.
    public struct Register: Sendable, Equatable {
        /// `register.max_insider_ids`: the most ids in one request.
        public var maxInsiderIDs = 10_000

        public init() {}
    }

    /// Uploads of stored segments.
    public struct Segments: Sendable, Equatable {
        /// `segments.upload_timeout`: how long a client that uploads a list may send nothing. The whole may take any
        /// time.
        public var uploadTimeout = Duration.seconds(20)
        /// `segments.max_uploads`: lists that a gateway reads at once; tenants share them.
        public var maxUploads = 32
        /// `segments.min_upload_rate`: bytes a second of an upload while others want its place; 0 for any pace.
        public var minUploadRate = 1024

        public init() {}
    }

    /// Broadcasts.
    public struct Broadcast: Sendable, Equatable {
        /// `broadcast.wait_timeout`: how long a reply waits for the fan-out before it turns into a 202.
        public var waitTimeout = Duration.seconds(30)
        /// `broadcast.max_waiting`: broadcasts that have not ended, on all gateways together; one more is refused.
        public var maxWaiting = 1000
        /// `broadcast.min_interval`: the least time between two updates of an activity to its whole segment, once two
        /// have left in a row; zero for none.
        public var minInterval = Duration.seconds(1)
        /// `broadcast.update_budget`: how many updates with an alert an activity's whole segment gets in an hour with
        /// priority 10 when they name none; the others have priority 5. Zero for any number.
        public var updateBudget = 30
        /// `broadcast.on_unknown`: what becomes of devices that a start was on its way to when its gateway was lost.
        public var onUnknown = OnUnknown.skip

        public init() {}
    }

    /// See `Broadcast.onUnknown`.
    public enum OnUnknown: String, Sendable, CaseIterable {
        case skip, resend
    }

    /// Tenants.
    public struct Tenants: Sendable, Equatable {
        /// `tenants.required_tier`: the lowest tier that live activities are part of.
        public var requiredTier = Tier.growth

        public init() {}
    }

    /// The end of a gateway.
    public struct Shutdown: Sendable, Equatable {
        /// `shutdown.timeout`: how long running broadcasts have to reach a checkpoint; at most 30 s.
        public var timeout = Duration.seconds(25)

        public init() {}
    }

    /// A tenant's tier, lowest first.
    public enum Tier: String, Sendable, CaseIterable {
        case starter, growth, enterprise
    }
}
