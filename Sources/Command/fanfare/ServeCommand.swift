import ArgumentParser
import Encodings
import Foundation
import Gateway
import GatewayConfiguration
import GatewayStore
import LineLog
import Logging
import RedisClient
import RedisServerProcess
import TimeCore
import UnixSignals
import Webhooks

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the gateway.",
        discussion: """
            The gateway is ready when GET /health/ready answers 200. SIGTERM or SIGINT stops it gracefully: it refuses \
            new requests, finishes running broadcasts within shutdown.timeout or hands them over, and exits with 0. \
            SIGHUP reloads the configuration: credentials, the log level, the listener's certificate and the \
            receivers' authorities apply at once. The log names changes that need a restart.

            Without redis.url it starts a private redis-server, which stores its data in data/. It needs the \
            credentials of an app (apns.key_file, apns.key_id, apns.team_id, apns.bundle_id); `fanfare mock-apns` \
            creates some for tests.

            EXAMPLES:
              fanfare serve --config /etc/fanfare/fanfare.yaml
              FANFARE_HTTP_PORT=9090 FANFARE_LOG_FORMAT=json fanfare serve
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        // Only the gateway's user may read the files that it creates.
        umask(0o077)
        let configuration = try options.load(for: .gateway)
        let level = LogLevelSetting(configuration.log.loggerLevel)
        let logger = configuration.log.logger("fanfare", level: level)
        let reload = ConfigurationReload(options.file, level, logger)
        // From here on a signal ends what has been started, in order, as soon as it runs; SIGHUP ends nothing.
        let signals = await UnixSignalsSequence(trapping: [.sigterm, .sigint, .sighup])
        // Checked before a server is started for it.
        _ = try configuration.options(redis: .init(location: .unix(path: "-")))
        let redis = try await RedisAccess.open(configuration)
        if let server = redis.server {
            logger.notice(
                "private redis-server started because redis.url is not set", metadata: ["data": "\(server.directory)"])
        }
        let (gateway, key) = try await start(configuration, redis, logger)
        await checkTenants(configuration, gateway, logger)
        await checkIdentitySecrets(
            gateway.store.tenants, isPrivate: configuration.redis.url == nil, canAllSeal: key?.localPath == nil, logger)
        let manager = ServiceManager(ProcessInfo.processInfo.environment)
        manager.ready("listening on port \(gateway.port)")
        let watched = Task { await manager.keepTelling { await gateway.isResponsive() } }
        let end = await waitForEnd(gateway, signals, redis.server, reload, logger)
        manager.stopping()
        await gateway.stop()
        watched.cancel()
        await redis.server?.stop()
        switch end {
        case .signal: break
        case .server: throw CommandFailure("the HTTP server ended unexpectedly")
        case .redis(let error):
            throw CommandFailure("the private redis-server ended and cannot be restarted: \(error)")
        }
    }

    /// Stops the private redis-server if the gateway cannot start.
    private func start(
        _ configuration: GatewayConfiguration, _ redis: RedisAccess, _ logger: Logger
    ) async throws -> (Gateway, SealingKeyFile?) {
        let gateway: Gateway
        let key: SealingKeyFile?
        do {
            var options = try configuration.options(redis: redis.endpoint)
            key = try SealingKeyFile.read(configuration, making: true)
            if let note = key?.note { logger.notice("\(note)") }
            options.webhooks.policy.secrets = key?.webhooks
            options.identitySecrets = key?.identity
            options.sealingKey = SealingKeyName(
                file: key?.path, isConfigured: configuration.events.sealingKeyFile != nil)
            gateway = try await Gateway.start(options, logger: logger)
        } catch {
            await redis.server?.stop()
            throw CommandFailure("the gateway cannot start: \(PlainWords.of(error))")
        }
        let scheme = configuration.http.tlsCertificateFile == nil ? "http" : "https"
        let listener = Authority(host: configuration.http.host, port: UInt16(clamping: gateway.port))
        logger.notice("listening", metadata: ["url": "\(scheme)://\(listener)", "redis": "\(redis.endpoint)"])
        if let port = gateway.consolePort {
            logger.notice("console listening", metadata: ["url": "\(configuration.consoleURL(port: port))"])
        }
        return (gateway, key)
    }

    /// The event that ends a gateway.
    private enum End {
        case signal
        /// The HTTP server has ended without one.
        case server
        /// The private redis-server has ended, and cannot be started again.
        case redis(RedisServerError)
    }

    /// Logs the tenants of the configuration that do not exist. Skips the check if Redis cannot be reached.
    private func checkTenants(_ configuration: GatewayConfiguration, _ gateway: Gateway, _ logger: Logger) async {
        let named =
            configuration.apps.flatMap { app in app.tenants.map { (key: "apps.\(app.name).tenants", id: $0) } }
            + configuration.topics.feeds.map { (key: "topics.feeds.\($0.number).tenant", id: $0.tenant) }
        for (key, id) in named {
            guard let found = try? await gateway.store.tenants.tenants().contains(where: { $0.id == id }), !found
            else { continue }
            logger.warning(
                "unknown tenant in the configuration",
                metadata: ["key": "\(key)", "tenant": "\(id)", "remedy": "use an id of `fanfare tenant list`"])
        }
    }

    /// Seals identity secrets if this gateway alone uses the store. Otherwise, logs the number of outdated ones.
    /// `SealingWatch` reports secrets that cannot be decrypted.
    /// - Parameter canAllSeal: True if the sealing key is the key of all gateways, or missing.
    private func checkIdentitySecrets(
        _ tenants: StoredTenants, isPrivate: Bool, canAllSeal: Bool, _ logger: Logger
    ) async {
        guard let sealing = try? await tenants.identitySealing() else { return }
        if isPrivate, let sealed = try? await tenants.sealIdentitySecrets() {
            if sealed > 0 {
                logger.notice("identity secrets sealed", metadata: ["tenants": .stringConvertible(sealed)])
            }
            return
        }
        guard !sealing.outdated.isEmpty else { return }
        logger.warning(
            "identity secrets sealed with a former key",
            metadata: [
                "tenants": .stringConvertible(sealing.outdated.count),
                "remedy": canAllSeal
                    ? "run `fanfare tenant seal-secrets` once all gateways run with this key"
                    : "set events.sealing_key_file, then run `fanfare tenant seal-secrets`",
            ])
    }

    private func waitForEnd(
        _ gateway: Gateway, _ signals: UnixSignalsSequence, _ redis: RedisServerProcess?,
        _ reload: ConfigurationReload, _ logger: Logger
    ) async -> End {
        let (ends, end) = AsyncStream<End>.makeStream()
        let told = Task {
            for await signal in signals {
                if signal == .sighup {
                    reload.asked(gateway)
                    continue
                }
                logger.notice("stopping", metadata: ["signal": "\(signal)"])
                end.yield(.signal)
            }
        }
        let watch = Task {
            do throws(RedisServerError) {
                try await redis?.keepRunning { ServeCommand.log($0, logger) }
            } catch {
                end.yield(.redis(error))
            }
        }
        // Ends with the server, which is stopped in any case.
        Task {
            try? await gateway.run()
            end.yield(.server)
        }
        let first = await ends.first { _ in true } ?? .server
        told.cancel()
        watch.cancel()
        await watch.value
        return first
    }

    private static func log(_ event: RedisServerProcess.WatchEvent, _ logger: Logger) {
        switch event {
        case .ended(let reason, let pause):
            logger.error(
                "private redis-server ended, restarting",
                metadata: ["reason": "\(reason)", "in_ms": .stringConvertible(pause.nanoseconds / 1_000_000)])
        case .startedAgain: logger.notice("private redis-server restarted with its data")
        }
    }
}

extension GatewayConfiguration {
    /// The console's URL for a browser.
    fileprivate func consoleURL(port: Int) -> String {
        let scheme = console.isLocal || http.tlsCertificateFile == nil ? "http" : "https"
        return "\(scheme)://\(Authority(host: console.host, port: UInt16(clamping: port)))/console/"
    }
}
