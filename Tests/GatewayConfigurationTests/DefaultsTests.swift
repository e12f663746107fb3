import Foundation
import Testing

@testable import GatewayConfiguration

@Suite("The defaults")
struct DefaultsTests {
    @Test("hold when nothing is configured")
    func eachDefault() throws {
        let files = try TemporaryFiles()
        let configuration = try files.examine("").checked()
        #expect(configuration.http.host == "127.0.0.1")
        #expect(configuration.http.port == 8080)
        #expect(configuration.http.bodyLimitBytes == 2_097_152)
        #expect(configuration.http.bodyTimeout == .seconds(20))
        #expect(configuration.http.headTimeout == .seconds(60))
        #expect(configuration.http.tlsCertificateFile == nil && configuration.http.tlsKeyFile == nil)
        #expect(configuration.http.maxConnections == nil && configuration.http.maxConnectionsPerAddress == 4096)
        #expect(configuration.http.trustedProxies.isEmpty && !configuration.http.proxyProtocol)
        #expect(configuration.http.corsOrigins.isEmpty)
        #expect(configuration.health.host == "127.0.0.1" && configuration.health.port == nil)
        #expect(configuration.console.host == "127.0.0.1" && configuration.console.port == nil)
        #expect(configuration.redis.url == nil)
        #expect(configuration.redis.caFile == nil)
        #expect(configuration.redis.certificateFile == nil && configuration.redis.keyFile == nil)
        #expect(configuration.redis.commandTimeout == .seconds(2))
        #expect(configuration.redis.replicasToWait == nil)
        #expect(configuration.redis.dataDirectory == "data")
        #expect(configuration.redis.serverPath == "redis-server")
        #expect(configuration.redis.checks == .warn)
        #expect(configuration.redis.maxClockSkew == .seconds(300))
        #expect(configuration.apns.url == "https://api.push.apple.com")
        #expect(configuration.apns.sandboxURL == "https://api.sandbox.push.apple.com")
        #expect(!configuration.apns.channels.isEnabled && !configuration.apns.channels.isExclusive)
        #expect(configuration.apns.channels.managementURL == "https://api-manage-broadcast.push.apple.com:2196")
        #expect(
            configuration.apns.channels.sandboxManagementURL
                == "https://api-manage-broadcast.sandbox.push.apple.com:2195")
        #expect(
            configuration.apns.channels.broadcastURL == nil && configuration.apns.channels.sandboxBroadcastURL == nil)
        #expect(configuration.apns.channels.threshold == 100 && configuration.apns.channels.pool == 2)
        #expect(configuration.apns.channels.grace == .seconds(3600))
        #expect(configuration.apns.caFile == nil)
        #expect(configuration.apns.credentials == nil)
        #expect(configuration.apns.connections == 8)
        #expect(configuration.apns.pushTimeout == .seconds(15))
        #expect(configuration.apns.proxy == nil && configuration.apns.idleTimeout == .off)
        #expect(configuration.apns.pingInterval == .seconds(60))
        #expect(configuration.apps.isEmpty)
        #expect(configuration.rateLimit.requestsPerMinute == 1000)
        #expect(configuration.register.maxInsiderIDs == 10_000)
        #expect(configuration.activity.lifetime == .after(.seconds(28_800)))
        #expect(configuration.activity.maxPerDevice == 0)
        #expect(configuration.broadcast.waitTimeout == .seconds(30))
        #expect(configuration.segments.uploadTimeout == .seconds(20) && configuration.segments.maxUploads == 32)
        #expect(configuration.segments.minUploadRate == 1024)
        #expect(configuration.http.maxBufferedBytes == 256 << 20)
        #expect(configuration.broadcast.maxWaiting == 1000 && configuration.broadcast.onUnknown == .skip)
        #expect(configuration.broadcast.minInterval == .seconds(1) && configuration.broadcast.updateBudget == 30)
        #expect(configuration.topics.interval == .seconds(30) && configuration.topics.healLimit == 2)
        #expect(configuration.topics.dismissUnfollows && configuration.topics.feeds.isEmpty)
        #expect(configuration.tenants.requiredTier == .growth)
        #expect(configuration.events.sealingKeyFile == nil && configuration.events.streamLength == 10_000)
        #expect(configuration.events.maxWebhooks == 10 && configuration.events.maxPending == 10_000)
        #expect(configuration.events.maxDeadLetters == 10_000)
        #expect(configuration.events.deadLetterLifetime == .seconds(2_592_000))
        #expect(configuration.events.receiverTimeout == .seconds(15))
        #expect(!configuration.events.allowsPrivateReceivers && !configuration.events.allowsPlainHTTP)
        #expect(configuration.events.allowedBlocks.isEmpty)
        #expect(configuration.audit.file == nil)
        #expect(configuration.metrics.isEnabled && configuration.metrics.port == nil)
        #expect(configuration.metrics.host == "127.0.0.1")
        #expect(configuration.log.level == .info)
        #expect(configuration.log.format == .text)
        #expect(configuration.shutdown.timeout == .seconds(25))
        #expect(configuration == GatewayConfiguration())
    }

    @Test("hold in groups whose keys are all commented out", arguments: ["http:\n", "http: {}\n", "http:\n  port:\n"])
    func emptyGroups(text: String) throws {
        let files = try TemporaryFiles()
        let report = try files.examine(text)
        #expect(report.errors.isEmpty)
        #expect(report["http.port"]?.source == .defaultValue)
        #expect(try report.checked() == GatewayConfiguration())
    }

    @Test("hold when the default file is missing, but a named file must exist")
    func missingFile() throws {
        let files = try TemporaryFiles()
        let missing = GatewayConfiguration.examine(file: "\(files.directory)/none.yaml", environment: [:])
        #expect(missing.errors.map(\.message) == ["The file \(files.directory)/none.yaml does not exist."])
        #expect(missing.file == nil)
        #expect(throws: ConfigurationProblems.self) { try missing.checked() }
    }

    @Test("are taken from the first file that is there when none is named: the one at hand, or the package's")
    func places() throws {
        #expect(GatewayConfiguration.defaultFiles == ["config/fanfare.yaml", "/etc/fanfare/fanfare.yaml"])
        let files = try TemporaryFiles()
        let none = ["\(files.directory)/none.yaml", "\(files.directory)/none/fanfare.yaml"]
        func examine(_ places: [String]) -> ConfigurationReport {
            GatewayConfiguration.examine(file: nil, environment: [:], for: .store, defaults: places)
        }
        let missing = examine(none)
        #expect(missing.errors.isEmpty && missing.file == nil)
        let (near, far) = (
            try files.write("near.yaml", "http.port: 81\n"), try files.write("far.yaml", "http.port: 82\n")
        )
        #expect(examine([near, far]).file == near && examine([none[0], far]).file == far)
        #expect(try examine([none[1], far]).checked().http.port == 82)
        // One that cannot be read is not passed over. Root cannot open a loop of links either.
        let loop = "\(files.directory)/loop.yaml"
        try #require(symlink(loop, loop) == 0)
        let unreadable = examine([none[0], loop, far])
        #expect(
            unreadable.errors.first?.message.contains("The default file \(loop) can't be read") == true)
        #expect(unreadable.errors.first?.advice.contains("sudo -u fanfare") == true && unreadable.file == nil)
    }
}
