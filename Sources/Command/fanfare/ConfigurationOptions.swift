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
        options.furtherApps = apps.map { app in
            var further = GatewayOptions.FurtherApp(
                tenantIDs: app.tenants, push: push, credential: ProviderCredential(app.credentials),
                bundleIdentifier: app.credentials.bundleID, formerKeyFiles: app.credentials.formerKeyFiles)
            further.name = app.name
            further.fcm = FCMOptions(app.fcm)
            further.channels = ChannelOptions(app.channels)
            return further
        }
        options.host = http.host
        options.port = http.port
        if let certificate = http.tlsCertificateFile, let key = http.tlsKeyFile {
            options.tls = ListenerTLSOptions(certificateFile: certificate, keyFile: key)
        }
        options.connections.maximum = http.maxConnections
        options.connections.maximumPerAddress = http.maxConnectionsPerAddress
        options.connections.trustedProxies = TrustedProxies(http.trustedBlocks)
        options.connections.expectsProxyHeader = http.proxyProtocol
        options.health.host = health.host
        options.health.port = health.port
        options.console.host = console.host
        options.console.port = console.port
        options.redisTimeout = TimeInterval(self.redis.commandTimeout)
        options.replicasToWait = self.redis.replicasToWait
        options.surveillance.rule = self.redis.checks == .strict ? .strict : .warn
        options.surveillance.maximumClockSkew = TimeInterval(self.redis.maxClockSkew)
        options.shutdownTimeout = TimeInterval(shutdown.timeout)
        options.api.maximumBodyBytes = http.bodyLimitBytes
        options.api.maximumBufferedBytes = http.maxBufferedBytes
        options.api.bodyDeadline = TimeInterval(http.bodyTimeout)
        options.api.headDeadline = TimeInterval(http.headTimeout)
        options.api.crossOrigins = Set(http.corsOrigins)
        options.api.requestsPerMinute = rateLimit.requestsPerMinute
        options.api.maximumInsiderIDs = register.maxInsiderIDs
        options.api.uploadSilence = TimeInterval(segments.uploadTimeout)
        options.api.maximumUploads = segments.maxUploads
        options.api.slowestUpload = segments.minUploadRate
        options.maximumPerDevice = activity.maxPerDevice
        switch activity.lifetime {
        case .off: options.lifetime = nil
        case .after(let time): options.lifetime = TimeInterval(time)
        }
        options.api.waitTimeout = TimeInterval(broadcast.waitTimeout)
        options.api.maximumBroadcasts = broadcast.maxWaiting
        options.minimumInterval = TimeInterval(broadcast.minInterval)
        options.updateBudget = broadcast.updateBudget
        options.jobs.onUnknown = broadcast.onUnknown == .resend ? .resend : .skip
        options.jobs.topics.interval = TimeInterval(topics.interval)
        options.jobs.topics.healLimit = topics.healLimit
        switch topics.healAfter {
        case .off: options.jobs.topics.healAfter = nil
        case .after(let time): options.jobs.topics.healAfter = TimeInterval(time)
        }
        options.jobs.topics.dismissUnfollows = topics.dismissUnfollows
        options.feeds = try topics.feeds.map { try FeedOptions($0) }
        options.events = eventLimits
        options.webhooks.policy.addressGuard.allowsPrivate = events.allowsPrivateReceivers
        options.webhooks.policy.addressGuard.allowed = events.allowedBlocks
        options.webhooks.policy.allowsPlainHTTP = events.allowsPlainHTTP
        options.webhooks.caFile = events.caFile
        options.webhooks.timeout = TimeInterval(events.receiverTimeout)
        options.auditFile = audit.file
        options.metrics.isEnabled = metrics.isEnabled
        options.metrics.host = metrics.host
        options.metrics.port = metrics.port
        options.build = Fanfare.build
        options.api.requiredTier = Tenant.Tier(rawValue: tenants.requiredTier.rawValue) ?? .growth
        return options
    }

    private var eventLimits: EventLimits {
        var limits = EventLimits()
        limits.streamLength = events.streamLength
        limits.webhooks = events.maxWebhooks
        limits.pending = events.maxPending
        limits.deadLetters = events.maxDeadLetters
        limits.deadLetterLifetime = TimeInterval(events.deadLetterLifetime)
        return limits
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
