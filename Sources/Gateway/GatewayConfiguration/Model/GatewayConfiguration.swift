public import Encodings

/// The options of a gateway, each value checked. `GatewayConfiguration()` holds the defaults.
///
/// A value's key is its path in the configuration file (`http.port`). An environment variable overrides it: `FANFARE_`
/// and the path in upper case with `_` for `.` (`FANFARE_HTTP_PORT`). The shipped `config/fanfare.yaml` documents every
/// key.
public struct GatewayConfiguration: Sendable, Equatable {
    /// The places of the configuration file if none is named: a working copy's, and the Debian package's. The first
    /// existing one is read.
    public static let defaultFiles = ["config/fanfare.yaml", "/etc/fanfare/fanfare.yaml"]

    /// `http`: the server for customers and devices.
    public var http = HTTP()
    /// `health`: a separate listener for `/health/*`.
    public var health = Health()
    /// `console`: the web console for operators and customers.
    public var console = Console()
    /// `redis`: the store.
    public var redis = Redis()
    /// `apns`: the provider for Apple devices, and the default app.
    public var apns = APNs()
    /// `fcm`: the provider for Android, for the default app.
    public var fcm = FCM()
    /// `apps.<name>`: further apps, in alphabetical order.
    public var apps: [App] = []
    /// `rate_limit`: the limit of requests for each API key.
    public var rateLimit = RateLimit()
    /// `register`: the limits of registrations.
    public var register = Register()
    /// `segments`: the limits of uploads of stored segments.
    public var segments = Segments()
    /// `activity`: the limits of activities.
    public var activity = Activity()
    /// `topics`: topics and their feeds.
    public var topics = Topics()
    /// `broadcast`: the limits of broadcasts.
    public var broadcast = Broadcast()
    /// `tenants`: the rules for all tenants.
    public var tenants = Tenants()
    /// `events`: events and webhooks.
    public var events = Events()
    /// `audit`: the record of changes.
    public var audit = Audit()
    /// `metrics`: the metrics for Prometheus.
    public var metrics = Metrics()
    /// `log`: the log on standard error.
    public var log = Log()
    /// `shutdown`: the time limit of a stop.
    public var shutdown = Shutdown()

    /// The defaults.
    public init() {}
}

extension GatewayConfiguration {
    /// The listener for customers and devices.
    public struct HTTP: Sendable, Equatable {
        /// `http.host`: the address to listen on.
        public var host = "127.0.0.1"
        /// `http.port`: the port; 0 for any free one.
        public var port = 8080
        /// `http.max_body_bytes`: the maximum size of a body; a larger one gets 413. Streamed uploads of segments are
        /// exempt.
        public var bodyLimitBytes = 2 * 1024 * 1024
        /// `http.max_buffered_bytes`: the maximum bytes of bodies in memory, which tenants share.
        public var maxBufferedBytes = 256 * 1024 * 1024
        /// `http.body_timeout`: the time limit for receiving a request body.
        public var bodyTimeout = Duration.seconds(20)
        /// `http.head_timeout`: the time limit for receiving the next request head on a connection.
        public var headTimeout = Duration.seconds(60)
        /// `http.tls_certificate_file`: the listener's certificate with its chain; nil for plain HTTP.
        public var tlsCertificateFile: String?
        /// `http.tls_key_file`: the private key of that certificate.
        public var tlsKeyFile: String?
        /// `http.max_connections`: the maximum number of client connections. Nil derives it from the limit of open
        /// files.
        public var maxConnections: Int?
        /// `http.max_connections_per_address`: the maximum number of connections for each client address.
        public var maxConnectionsPerAddress = 4096
        /// `http.trusted_proxies`: the addresses and CIDR blocks of proxies whose forwarding headers are trusted.
        public var trustedProxies: [String] = []
        /// `http.proxy_protocol`: true if trusted proxies start each connection with a PROXY protocol header.
        public var proxyProtocol = false
        /// `http.cors_origins`: the origins whose pages may read replies to customers, as browsers send them; `*` for
        /// all.
        public var corsOrigins: [String] = []

        public init() {}

        /// The parsed blocks of `trusted_proxies`.
        public var trustedBlocks: [AddressBlock] { trustedProxies.compactMap { AddressBlock($0) } }
    }

    /// The separate listener for `/health/*`.
    public struct Health: Sendable, Equatable {
        /// `health.host`: the address to listen on.
        public var host = "127.0.0.1"
        /// `health.port`: the port; nil serves `/health/*` only on the listener for customers and devices.
        public var port: Int?

        public init() {}
    }

    /// The console's listener.
    public struct Console: Sendable, Equatable {
        /// `console.host`: the address to listen on.
        public var host = "127.0.0.1"
        /// `console.port`: the port; nil for no console.
        public var port: Int?

        public init() {}

        /// True if only this machine can reach the console.
        public var isLocal: Bool { Loopback.contains(host: host) }
    }

    /// The store.
    public struct Redis: Sendable, Equatable {
        /// `redis.url`: `redis://`, `rediss://`, `redis+sentinel://`, `rediss+sentinel://` or `unix://`. Nil lets
        /// `serve` start a private redis-server. May contain a password.
        public var url: String?
        /// True if the URL names several servers.
        var hasSeveralPlaces: Bool { (url ?? "").split(separator: ",").count { $0.contains("://") } > 1 }
        static let severalPlaces = """
            redis.url names several places: nodes of one cluster, or one primary and its replicas. Without a cluster a \
            gateway uses the first place that reports itself as primary, skips replicas, and searches again when that \
            server refuses writes or is lost. It promotes no replica, and cannot distinguish two primaries.
            """
        /// `redis.ca_file`: a PEM file of roots to trust instead of the system's; nil for the system's.
        public var caFile: String?
        /// `redis.certificate_file`: the certificate for a server that requires a client certificate.
        public var certificateFile: String?
        /// `redis.key_file`: the private key of that certificate.
        public var keyFile: String?
        /// `redis.command_timeout`: the timeout of a Redis command.
        public var commandTimeout = Duration.seconds(2)
        /// `redis.replicas_to_wait`: the number of replicas of a single Redis that must confirm the critical writes of
        /// a start. Nil means one if a replica is connected, else none.
        public var replicasToWait: Int?
        /// `redis.data_dir`: the data directory of the private redis-server.
        public var dataDirectory = "data"
        /// The path of the generated sealing key, which is used if `events.sealing_key_file` is not set.
        public var localSealingKeyFile: String { "\(dataDirectory)/\(Redis.sealingKeyName)" }
        static let sealingKeyName = "webhooks.key"
        /// `redis.server_path`: the private redis-server's executable. A bare name is searched in `PATH`.
        public var serverPath = "redis-server"
        /// `redis.checks`: the reaction to an unsafe Redis.
        public var checks = StoreChecks.warn
        /// `redis.max_clock_skew`: the maximum difference between this machine's clock and Redis's.
        public var maxClockSkew = Duration.seconds(300)

        public init() {}
    }

    /// See `Redis.checks`.
    public enum StoreChecks: String, Sendable, CaseIterable {
        case warn, strict
    }

    /// `rate_limit`: the limit of requests for each API key.
    public struct RateLimit: Sendable, Equatable {
        /// `rate_limit.requests_per_minute`: the maximum number of requests a minute, on all gateways together.
        public var requestsPerMinute = 1000

        public init() {}
    }

    /// `register`: the limits of registrations.
    public struct Register: Sendable, Equatable {
        /// `register.max_insider_ids`: the maximum number of ids in one request.
        public var maxInsiderIDs = 10_000

        public init() {}
    }

    /// `segments`: uploads of stored segments.
    public struct Segments: Sendable, Equatable {
        /// `segments.upload_timeout`: the maximum silence of a client during an upload. The whole upload has no time
        /// limit.
        public var uploadTimeout = Duration.seconds(20)
        /// `segments.max_uploads`: the maximum number of concurrent uploads on a gateway, which tenants share.
        public var maxUploads = 32
        /// `segments.min_upload_rate`: the minimum rate in bytes a second while more than half of `max_uploads` are in
        /// use; 0 for none.
        public var minUploadRate = 1024

        public init() {}
    }

    /// `broadcast`: the limits of broadcasts.
    public struct Broadcast: Sendable, Equatable {
        /// `broadcast.wait_timeout`: the time that a reply waits for the fan-out before it becomes a 202.
        public var waitTimeout = Duration.seconds(30)
        /// `broadcast.max_waiting`: the maximum number of unfinished broadcasts on all gateways together.
        public var maxWaiting = 1000
        /// `broadcast.min_interval`: the minimum interval between updates of an activity to its whole segment, after
        /// two in a row; zero for none.
        public var minInterval = Duration.seconds(1)
        /// `broadcast.update_budget`: the number of updates with an alert that an activity's whole segment gets in an
        /// hour with priority 10. It applies if they name no priority; further ones get priority 5. Zero for no limit.
        public var updateBudget = 30
        /// `broadcast.on_unknown`: the treatment of devices whose start was in flight when their gateway was lost.
        public var onUnknown = OnUnknown.skip

        public init() {}
    }

    /// See `Broadcast.onUnknown`.
    public enum OnUnknown: String, Sendable, CaseIterable {
        case skip, resend
    }

    /// `tenants`: the rules for all tenants.
    public struct Tenants: Sendable, Equatable {
        /// `tenants.required_tier`: the lowest tier that includes Live Activities.
        public var requiredTier = Tier.growth

        public init() {}
    }

    /// `shutdown`: the time limit of a stop.
    public struct Shutdown: Sendable, Equatable {
        /// `shutdown.timeout`: the time that running broadcasts have to reach a checkpoint; at most 30 s.
        public var timeout = Duration.seconds(25)

        public init() {}
    }

    /// A tenant's tier, lowest first.
    public enum Tier: String, Sendable, CaseIterable {
        case starter, growth, enterprise
    }
}
