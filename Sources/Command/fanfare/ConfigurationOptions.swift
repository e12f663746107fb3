import APNs
import ArgumentParser
import Broadcasts
import ConnectionCore
import EventCore
import FCM
import FeedCore
import Feeds
import Foundation
import Gateway
import GatewayAPI
import GatewayConfiguration
import GatewayStore
import PushClient
import RedisClient
import TLS
import TimeCore
import Webhooks

/// The option `--config` of all commands that need the configuration.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The configuration file. Default: config/fanfare.yaml, else /etc/fanfare/fanfare.yaml, if it exists.",
            valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var file: String?

    /// Returns the effective configuration. Throws for errors, and prints warnings. Commands that need only the store
    /// omit warnings about keys outside `redis`.
    func load(for purpose: GatewayConfiguration.Purpose = .store) throws -> GatewayConfiguration {
        let report = GatewayConfiguration.examine(
            file: file, environment: ProcessInfo.processInfo.environment, for: purpose)
        let configuration: GatewayConfiguration
        do {
            configuration = try report.checked()
        } catch {
            let option = file.map { " --config \($0)" } ?? ""
            throw CommandFailure(
                "the configuration is invalid; `fanfare check-config --show\(option)` shows all of it\n\(error)")
        }
        for warning in report.warnings where purpose == .gateway || warning.key?.hasPrefix("redis.") ?? true {
            StandardError.print(warning.description)
        }
        return configuration
    }
}

extension GatewayConfiguration {
    /// Returns the gateway's options. Throws if the APNs credentials are missing or a feed's header file is unusable.
    func options(redis: RedisEndpoint) throws -> GatewayOptions {
        guard let credentials = apns.credentials else {
            throw CommandFailure("the credentials for APNs are missing; `fanfare check-config` names them")
        }
        var options = GatewayOptions(
            redis: redis, push: push, credential: ProviderCredential(credentials),
            bundleIdentifier: credentials.bundleID)
        options.sandboxURL = apns.sandboxURL
        options.fcm = FCMOptions(fcm)
        options.channels = ChannelOptions(apns.channels)
        options.formerKeyFiles = credentials.formerKeyFiles
        options.furtherApps = apps.map { GatewayOptions.FurtherApp($0, push) }
        options.take(listeners: self)
        options.take(limits: self)
        options.take(broadcasts: self)
        options.redisTimeout = TimeInterval(self.redis.commandTimeout)
        options.replicasToWait = self.redis.replicasToWait
        options.surveillance.rule = self.redis.checks == .strict ? .strict : .warn
        options.surveillance.maximumClockSkew = TimeInterval(self.redis.maxClockSkew)
        options.shutdownTimeout = TimeInterval(shutdown.timeout)
        options.feeds = try topics.feeds.map { try FeedOptions($0) }
        options.rules.events = EventLimits(events)
        options.webhooks = WebhookOptions(events)
        options.auditFile = audit.file
        options.build = Fanfare.build
        return options
    }

    private var push: PushClientOptions {
        var options = PushClientOptions(url: apns.url, trust: apns.caFile.map { .file($0) } ?? .system)
        options.maximumConnections = apns.connections
        options.pushDeadline = TimeInterval(apns.pushTimeout)
        options.proxy = apns.proxy
        options.idlePingInterval = TimeInterval(apns.pingInterval)
        if case .after(let time) = apns.idleTimeout { options.idleTimeout = TimeInterval(time) }
        return options
    }
}

extension GatewayOptions {
    fileprivate mutating func take(listeners configuration: GatewayConfiguration) {
        let http = configuration.http
        host = http.host
        port = http.port
        if let certificate = http.tlsCertificateFile, let key = http.tlsKeyFile {
            tls = ListenerTLSOptions(certificateFile: certificate, keyFile: key)
        }
        connections.maximum = http.maxConnections
        connections.maximumPerAddress = http.maxConnectionsPerAddress
        connections.trustedProxies = TrustedProxies(http.trustedBlocks)
        connections.expectsProxyHeader = http.proxyProtocol
        health.host = configuration.health.host
        health.port = configuration.health.port
        console.host = configuration.console.host
        console.port = configuration.console.port
        metrics.isEnabled = configuration.metrics.isEnabled
        metrics.host = configuration.metrics.host
        metrics.port = configuration.metrics.port
    }

    /// The bounds of requests.
    fileprivate mutating func take(limits configuration: GatewayConfiguration) {
        let http = configuration.http
        api.maximumBodyBytes = http.bodyLimitBytes
        api.maximumBufferedBytes = http.maxBufferedBytes
        api.bodyDeadline = TimeInterval(http.bodyTimeout)
        api.headDeadline = TimeInterval(http.headTimeout)
        api.crossOrigins = Set(http.corsOrigins)
        api.requestsPerMinute = configuration.rateLimit.requestsPerMinute
        api.maximumInsiderIDs = configuration.register.maxInsiderIDs
        api.uploadSilence = TimeInterval(configuration.segments.uploadTimeout)
        api.maximumUploads = configuration.segments.maxUploads
        api.slowestUpload = configuration.segments.minUploadRate
        api.waitTimeout = TimeInterval(configuration.broadcast.waitTimeout)
        api.maximumBroadcasts = configuration.broadcast.maxWaiting
        api.requiredTier = Tenant.Tier(rawValue: configuration.tenants.requiredTier.rawValue) ?? .growth
    }

    fileprivate mutating func take(broadcasts configuration: GatewayConfiguration) {
        rules.maximumPerDevice = configuration.activity.maxPerDevice
        switch configuration.activity.lifetime {
        case .off: rules.lifetime = nil
        case .after(let time): rules.lifetime = TimeInterval(time)
        }
        rules.minimumInterval = TimeInterval(configuration.broadcast.minInterval)
        rules.updateBudget = configuration.broadcast.updateBudget
        jobs.onUnknown = configuration.broadcast.onUnknown == .resend ? .resend : .skip
        let topics = configuration.topics
        jobs.topics.interval = TimeInterval(topics.interval)
        jobs.topics.healLimit = topics.healLimit
        jobs.topics.dismissUnfollows = topics.dismissUnfollows
    }
}

extension GatewayOptions.FurtherApp {
    fileprivate init(_ app: GatewayConfiguration.App, _ push: PushClientOptions) {
        self.init(
            tenantIDs: app.tenants, push: push, credential: ProviderCredential(app.credentials),
            bundleIdentifier: app.credentials.bundleID, formerKeyFiles: app.credentials.formerKeyFiles)
        name = app.name
        fcm = FCMOptions(app.fcm)
        channels = ChannelOptions(app.channels)
    }
}

extension EventLimits {
    fileprivate init(_ events: GatewayConfiguration.Events) {
        self.init()
        streamLength = events.streamLength
        webhooks = events.maxWebhooks
        pending = events.maxPending
        deadLetters = events.maxDeadLetters
        deadLetterLifetime = TimeInterval(events.deadLetterLifetime)
    }
}

extension WebhookOptions {
    fileprivate init(_ events: GatewayConfiguration.Events) {
        self.init()
        policy.addressGuard.allowsPrivate = events.allowsPrivateReceivers
        policy.addressGuard.allowed = events.allowedBlocks
        policy.allowsPlainHTTP = events.allowsPlainHTTP
        caFile = events.caFile
        timeout = TimeInterval(events.receiverTimeout)
    }
}

extension ChannelOptions {
    /// Nil if the app lacks the capability.
    fileprivate init?(_ channels: GatewayConfiguration.BroadcastChannels) {
        guard channels.isEnabled else { return nil }
        self.init()
        managementURL = channels.managementURL
        sandboxManagementURL = channels.sandboxManagementURL
        broadcastURL = channels.broadcastURL
        sandboxBroadcastURL = channels.sandboxBroadcastURL
        threshold = channels.threshold
        pool = channels.pool
        grace = TimeInterval(channels.grace)
        isExclusive = channels.isExclusive
    }
}

extension FeedOptions {
    /// Throws if the file of header fields is unusable.
    fileprivate init(_ feed: GatewayConfiguration.Feed) throws {
        self.init(number: feed.number, tenantID: feed.tenant, url: feed.url)
        do throws(FeedHeaders.Invalid) {
            headers = try feed.headers()
        } catch {
            throw CommandFailure("topics.feeds.\(feed.number).headers_file is invalid: \(error)")
        }
        interval = TimeInterval(feed.interval)
        timeout = TimeInterval(feed.timeout)
        maximumBytes = feed.maxBytes
        caFile = feed.caFile
    }
}

extension FCMOptions {
    /// Nil without a service account.
    fileprivate init?(_ fcm: GatewayConfiguration.FCM) {
        guard let file = fcm.serviceAccountFile else { return nil }
        self.init(serviceAccountFile: file, url: fcm.url, trust: fcm.caFile.map { .file($0) }, proxy: fcm.proxy)
        tokenURL = fcm.tokenURL
        rampUp = TimeInterval(fcm.rampUp)
        messages.messagesPerMinute = fcm.messagesPerMinute
        messages.collapsesUpdates = fcm.collapsesUpdates
        push.maximumConnections = fcm.connections
        push.pushDeadline = TimeInterval(fcm.pushTimeout)
        push.idlePingInterval = TimeInterval(fcm.pingInterval)
        if case .after(let time) = fcm.idleTimeout {
            push.idleTimeout = TimeInterval(time)
        } else {
            push.idleTimeout = nil
        }
    }
}

extension ProviderCredential {
    fileprivate init(_ credentials: GatewayConfiguration.Credentials) {
        self.init(
            keyFile: credentials.keyFile, keyIdentifier: credentials.keyID, teamIdentifier: credentials.teamID)
    }
}

extension TimeCore.TimeInterval {
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(nanoseconds: UInt64(max(0, seconds)) * 1_000_000_000 + UInt64(max(0, attoseconds)) / 1_000_000_000)
    }
}
