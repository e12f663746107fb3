import Encodings
import GatewayConfiguration
import Testing

@Suite("Values")
struct PrecedenceTests {
    static let text = """
        http: {host: 0.0.0.0, port: 9000, max_body_bytes: 4096, max_buffered_bytes: 1048576, body_timeout: 1.5, head_timeout: 2m, max_connections: 500, max_connections_per_address: 50, trusted_proxies: [10.0.0.0/8, "fd00::/8"], proxy_protocol: true, cors_origins: [https://a.example]}
        health: {host: 0.0.0.0, port: 8082}
        console: {host: 0.0.0.0, port: 8092}
        redis: {url: "redis://u:secret@db:6380/2", command_timeout: 500ms, replicas_to_wait: 2, data_dir: d, server_path: /bin/true, checks: strict, max_clock_skew: 2m}
        apns: {sandbox_url: "https://localhost:8444", url: "https://localhost:8443/", connections: 3, push_timeout: 1, proxy: "http://u:secret@[::1]:3128", ping_interval: 5, idle_timeout: 2m, broadcast_capability: true, channel_management_url: "https://m:1", sandbox_channel_management_url: "https://m:2", broadcast_url: "https://b:1", sandbox_broadcast_url: "https://b:2", channel_threshold: 5, channel_pool: 0, channel_grace: 9m, channels_exclusive: true}
        rate_limit: {requests_per_minute: 7}
        register: {max_insider_ids: 5}
        activity: {lifetime: 90m, max_per_device: 4}
        broadcast: {wait_timeout: 1m, max_waiting: 12, min_interval: 250ms, update_budget: 12, on_unknown: resend}
        tenants: {required_tier: enterprise}
        log: {level: debug, format: json}
        audit: {file: audit.ndjson}
        shutdown.timeout: 30s
        segments: {upload_timeout: 11s, max_uploads: 4, min_upload_rate: 512}
        topics: {interval: 7s, heal_limit: 0, dismiss_unfollows: false}
        fcm: {url: "https://localhost:8445", token_url: "https://t:1/t", messages_per_minute: 60, ramp_up: 0, collapse_updates: true, proxy: "http://u:secret@p:1", connections: 2, ping_interval: 7s, idle_timeout: off, push_timeout: 2s}
        """
    static let environment = [
        "FANFARE_HTTP_HOST": "::1", "FANFARE_HTTP_PORT": "0", "FANFARE_HTTP_MAX_BODY_BYTES": "2048",
        "FANFARE_HTTP_BODY_TIMEOUT": "3", "FANFARE_HTTP_HEAD_TIMEOUT": "4s", "FANFARE_REDIS_URL": "unix:///run/r.sock",
        "FANFARE_HTTP_MAX_CONNECTIONS": "600", "FANFARE_HTTP_MAX_CONNECTIONS_PER_ADDRESS": "60",
        "FANFARE_HTTP_TRUSTED_PROXIES": "192.0.2.1,192.0.2.2", "FANFARE_HTTP_PROXY_PROTOCOL": "false",
        "FANFARE_HTTP_CORS_ORIGINS": "https://b.example,http://c.example:3000",
        "FANFARE_HEALTH_HOST": "::1", "FANFARE_HEALTH_PORT": "8083",
        "FANFARE_CONSOLE_HOST": "::1", "FANFARE_CONSOLE_PORT": "8093",
        "FANFARE_REDIS_COMMAND_TIMEOUT": "0.25", "FANFARE_REDIS_DATA_DIR": "e", "FANFARE_REDIS_SERVER_PATH": "/bin/sh",
        "FANFARE_REDIS_CHECKS": "warn", "FANFARE_REDIS_MAX_CLOCK_SKEW": "90s", "FANFARE_REDIS_REPLICAS_TO_WAIT": "0",
        "FANFARE_APNS_URL": "https://[::1]:2197",
        "FANFARE_APNS_SANDBOX_URL": "https://[::1]:2198",
        "FANFARE_APNS_BROADCAST_CAPABILITY": "false", "FANFARE_APNS_CHANNEL_MANAGEMENT_URL": "https://m:3",
        "FANFARE_APNS_SANDBOX_CHANNEL_MANAGEMENT_URL": "https://m:4", "FANFARE_APNS_BROADCAST_URL": "https://b:3",
        "FANFARE_APNS_SANDBOX_BROADCAST_URL": "https://b:4", "FANFARE_APNS_CHANNEL_THRESHOLD": "6",
        "FANFARE_APNS_CHANNEL_POOL": "7", "FANFARE_APNS_CHANNEL_GRACE": "8s",
        "FANFARE_APNS_CHANNELS_EXCLUSIVE": "false",
        "FANFARE_APNS_CONNECTIONS": "9", "FANFARE_APNS_PUSH_TIMEOUT": "5m",
        "FANFARE_APNS_PROXY": "http://proxy:80", "FANFARE_APNS_PING_INTERVAL": "1h", "FANFARE_APNS_IDLE_TIMEOUT": "off",
        "FANFARE_RATE_LIMIT_REQUESTS_PER_MINUTE": "8", "FANFARE_REGISTER_MAX_INSIDER_IDS": "6",
        "FANFARE_SEGMENTS_UPLOAD_TIMEOUT": "12s", "FANFARE_SEGMENTS_MAX_UPLOADS": "5",
        "FANFARE_SEGMENTS_MIN_UPLOAD_RATE": "0", "FANFARE_HTTP_MAX_BUFFERED_BYTES": "2097152",
        "FANFARE_ACTIVITY_LIFETIME": "off", "FANFARE_ACTIVITY_MAX_PER_DEVICE": "5",
        "FANFARE_BROADCAST_WAIT_TIMEOUT": "9s", "FANFARE_BROADCAST_MAX_WAITING": "13",
        "FANFARE_BROADCAST_MIN_INTERVAL": "0", "FANFARE_BROADCAST_UPDATE_BUDGET": "0",
        "FANFARE_BROADCAST_ON_UNKNOWN": "skip", "FANFARE_TENANTS_REQUIRED_TIER": "starter",
        "FANFARE_FCM_URL": "https://[::1]:2199", "FANFARE_FCM_TOKEN_URL": "https://t/", "FANFARE_FCM_RAMP_UP": "10s",
        "FANFARE_FCM_MESSAGES_PER_MINUTE": "1000000", "FANFARE_FCM_COLLAPSE_UPDATES": "false",
        "FANFARE_FCM_PROXY": "http://proxy:81", "FANFARE_FCM_CONNECTIONS": "4", "FANFARE_FCM_PING_INTERVAL": "9",
        "FANFARE_FCM_IDLE_TIMEOUT": "1m", "FANFARE_FCM_PUSH_TIMEOUT": "4s",
        "FANFARE_TOPICS_INTERVAL": "8s", "FANFARE_TOPICS_HEAL_LIMIT": "5",
        "FANFARE_TOPICS_DISMISS_UNFOLLOWS": "true",
        "FANFARE_AUDIT_FILE": "/var/audit.ndjson", "FANFARE_LOG_LEVEL": "CRITICAL", "FANFARE_LOG_FORMAT": "text",
        "FANFARE_SHUTDOWN_TIMEOUT": "100ms",
    ]

    @Test("in the file stand over the defaults")
    func fileOverDefaults() throws {
        let files = try TemporaryFiles()
        let report = try files.examine(Self.text)
        var expected = GatewayConfiguration()
        expected.http.host = "0.0.0.0"
        expected.http.port = 9000
        expected.http.bodyLimitBytes = 4096
        expected.http.bodyTimeout = .milliseconds(1500)
        expected.http.headTimeout = .seconds(120)
        expected.http.maxConnections = 500
        expected.http.maxConnectionsPerAddress = 50
        expected.http.trustedProxies = ["10.0.0.0/8", "fd00::/8"]
        expected.http.corsOrigins = ["https://a.example"]
        expected.http.proxyProtocol = true
        expected.health.host = "0.0.0.0"
        expected.health.port = 8082
        expected.console.host = "0.0.0.0"
        expected.console.port = 8092
        expected.redis.url = "redis://u:secret@db:6380/2"
        expected.redis.commandTimeout = .milliseconds(500)
        expected.redis.replicasToWait = 2
        expected.redis.dataDirectory = "d"
        expected.redis.serverPath = "/bin/true"
        expected.redis.checks = .strict
        expected.redis.maxClockSkew = .seconds(120)
        expected.apns.url = "https://localhost:8443"
        expected.apns.sandboxURL = "https://localhost:8444"
        expected.apns.channels.isEnabled = true
        expected.apns.channels.managementURL = "https://m:1"
        expected.apns.channels.sandboxManagementURL = "https://m:2"
        expected.apns.channels.broadcastURL = "https://b:1"
        expected.apns.channels.sandboxBroadcastURL = "https://b:2"
        expected.apns.channels.threshold = 5
        expected.apns.channels.pool = 0
        expected.apns.channels.grace = .seconds(540)
        expected.apns.channels.isExclusive = true
        expected.apns.connections = 3
        expected.apns.pushTimeout = .seconds(1)
        expected.apns.proxy = try ProxyURL("http://u:secret@[::1]:3128")
        expected.apns.pingInterval = .seconds(5)
        expected.apns.idleTimeout = .after(.seconds(120))
        expected.rateLimit.requestsPerMinute = 7
        expected.register.maxInsiderIDs = 5
        expected.segments.uploadTimeout = .seconds(11)
        expected.segments.maxUploads = 4
        expected.segments.minUploadRate = 512
        expected.http.maxBufferedBytes = 1_048_576
        expected.activity.lifetime = .after(.seconds(5400))
        expected.activity.maxPerDevice = 4
        expected.broadcast.waitTimeout = .seconds(60)
        expected.broadcast.maxWaiting = 12
        expected.broadcast.minInterval = .milliseconds(250)
        expected.broadcast.updateBudget = 12
        expected.broadcast.onUnknown = .resend
        expected.tenants.requiredTier = .enterprise
        expected.log.level = .debug
        expected.log.format = .json
        expected.audit.file = "audit.ndjson"
        expected.shutdown.timeout = .seconds(30)
        expected.topics.interval = .seconds(7)
        expected.topics.healLimit = 0
        expected.topics.dismissUnfollows = false
        expected.fcm.url = "https://localhost:8445"
        expected.fcm.tokenURL = "https://t:1/t"
        expected.fcm.messagesPerMinute = 60
        expected.fcm.rampUp = .zero
        expected.fcm.collapsesUpdates = true
        expected.fcm.proxy = try ProxyURL("http://u:secret@p:1")
        expected.fcm.connections = 2
        expected.fcm.pingInterval = .seconds(7)
        expected.fcm.idleTimeout = .off
        expected.fcm.pushTimeout = .seconds(2)
        #expect(report.errors.isEmpty, "\(report.errors)")
        #expect(try report.checked() == expected)
        let path = "\(files.directory)/fanfare.yaml"
        #expect(report["http.port"]?.source == .file(path: path, line: 1))
        #expect(report["log.level"]?.source.description == "\(path):11")
    }

    @Test("in the environment stand over the file")
    func environmentOverFile() throws {
        let files = try TemporaryFiles()
        let report = try files.examine(Self.text, Self.environment)
        var expected = GatewayConfiguration()
        expected.http.host = "::1"
        expected.http.port = 0
        expected.http.bodyLimitBytes = 2048
        expected.http.bodyTimeout = .seconds(3)
        expected.http.headTimeout = .seconds(4)
        expected.http.maxConnections = 600
        expected.http.maxConnectionsPerAddress = 60
        expected.http.trustedProxies = ["192.0.2.1", "192.0.2.2"]
        expected.http.corsOrigins = ["https://b.example", "http://c.example:3000"]
        expected.health.host = "::1"
        expected.health.port = 8083
        expected.console.host = "::1"
        expected.console.port = 8093
        expected.redis.url = "unix:///run/r.sock"
        expected.redis.commandTimeout = .milliseconds(250)
        expected.redis.replicasToWait = 0
        expected.redis.dataDirectory = "e"
        expected.redis.serverPath = "/bin/sh"
        expected.redis.maxClockSkew = .seconds(90)
        expected.apns.url = "https://[::1]:2197"
        expected.apns.sandboxURL = "https://[::1]:2198"
        expected.apns.channels.isEnabled = false
        expected.apns.channels.managementURL = "https://m:3"
        expected.apns.channels.sandboxManagementURL = "https://m:4"
        expected.apns.channels.broadcastURL = "https://b:3"
        expected.apns.channels.sandboxBroadcastURL = "https://b:4"
        expected.apns.channels.threshold = 6
        expected.apns.channels.pool = 7
        expected.apns.channels.grace = .seconds(8)
        expected.apns.channels.isExclusive = false
        expected.apns.connections = 9
        expected.apns.pushTimeout = .seconds(300)
        expected.apns.proxy = try ProxyURL("http://proxy:80")
        expected.apns.pingInterval = .seconds(3600)
        expected.apns.idleTimeout = .off
        expected.rateLimit.requestsPerMinute = 8
        expected.register.maxInsiderIDs = 6
        expected.segments.uploadTimeout = .seconds(12)
        expected.segments.maxUploads = 5
        expected.segments.minUploadRate = 0
        expected.http.maxBufferedBytes = 2_097_152
        expected.activity.lifetime = .off
        expected.activity.maxPerDevice = 5
        expected.broadcast.waitTimeout = .seconds(9)
        expected.broadcast.maxWaiting = 13
        expected.broadcast.minInterval = .zero
        expected.broadcast.updateBudget = 0
        expected.broadcast.onUnknown = .skip
        expected.tenants.requiredTier = .starter
        expected.log.level = .critical
        expected.audit.file = "/var/audit.ndjson"
        expected.shutdown.timeout = .milliseconds(100)
        expected.topics.interval = .seconds(8)
        expected.topics.healLimit = 5
        expected.fcm.url = "https://[::1]:2199"
        expected.fcm.tokenURL = "https://t/"
        expected.fcm.messagesPerMinute = 1_000_000
        expected.fcm.rampUp = .seconds(10)
        expected.fcm.proxy = try ProxyURL("http://proxy:81")
        expected.fcm.connections = 4
        expected.fcm.pingInterval = .seconds(9)
        expected.fcm.idleTimeout = .after(.seconds(60))
        expected.fcm.pushTimeout = .seconds(4)
        #expect(report.errors.isEmpty, "\(report.errors)")
        #expect(try report.checked() == expected)
        for (variable, _) in Self.environment {
            let entry = report.entries.first { $0.variable == variable }
            #expect(entry?.source == .environment(variable: variable))
        }
    }

    @Test("of the environment that are empty count as not set")
    func emptyVariable() throws {
        let files = try TemporaryFiles()
        let report = try files.examine("http: {port: 81}", ["FANFARE_HTTP_PORT": ""])
        #expect(try report.checked().http.port == 81)
        #expect(report["http.port"]?.source.description == "\(files.directory)/fanfare.yaml:1")
    }

    @Test("are listed with their source and without secrets")
    func listing() throws {
        let files = try TemporaryFiles()
        let report = try files.examine(Self.text, ["FANFARE_HTTP_PORT": "82"])
        let listing = report.listing
        #expect(!listing.contains("secret"))
        #expect(report["redis.url"]?.value == "redis://***@db:6380/2")
        #expect(report["apns.proxy"]?.value == "http://***@[::1]:3128")
        #expect(report["http.body_timeout"]?.value == "1.5s")
        #expect(report["apns.key_file"]?.value == nil)
        let lines = listing.split(separator: "\n").map(String.init)
        #expect(lines.count == report.entries.count)
        let path = "\(files.directory)/fanfare.yaml"
        #expect(
            lines.prefix(2) == [
                "http.host                            0.0.0.0                 \(path):1",
                "http.port                            82                      FANFARE_HTTP_PORT",
            ])
        #expect(lines.contains("apns.ca_file                         -                       default"))
    }
}
