import ArgumentParser
import Gateway
import GatewayConfiguration
import GatewayStore
import Logging
import RedisClient
import RedisServerProcess
import UnixSignals
import Webhooks

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the gateway.",
        discussion: """
            Ready when GET /health/ready answers 200. SIGTERM or SIGINT stops it in order: no more requests are taken, \
            running broadcasts are brought to their end as far as shutdown.timeout allows, and it exits with 0.

            Without redis.url it starts a private redis-server, which keeps its data under data/. It needs the credentials \
            of an app (apns.key_file, apns.key_id, apns.team_id, apns.bundle_id); `fanfare mock-apns` makes some for trials.

            EXAMPLES:
              fanfare serve --config /etc/fanfare/fanfare.yaml
              FANFARE_HTTP_PORT=9090 FANFARE_LOG_FORMAT=json fanfare serve
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let configuration = try options.load(warnings: "")
        let logger = configuration.log.logger("fanfare")
        // From here on a signal ends what has been started, in order, as soon as it runs.
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        // Checked before a server is started for it.
        _ = try configuration.options(redis: .init(location: .unix(path: "-")))
        let redis = try await RedisAccess.open(configuration)
        if let server = redis.server {
            logger.notice(
                "redis.url is not set: started a private redis-server", metadata: ["data": "\(server.directory)"])
        }
        let gateway: Gateway
        do {
            var options = try configuration.options(redis: redis.endpoint)
            options.webhooks.policy.secrets = try WebhookKey.secrets(configuration)
            gateway = try await Gateway.start(options, logger: logger)
        } catch {
            await redis.server?.stop()
            throw CommandFailure("the gateway cannot start: \(PlainWords.of(error))")
        }
        logger.notice(
            "listening",
            metadata: ["url": "http://\(configuration.http.host):\(gateway.port)", "redis": "\(redis.endpoint)"])
        await checkApps(configuration, gateway, logger)
        let isTold = await waitForEnd(gateway, signals, logger)
        await gateway.stop()
        await redis.server?.stop()
        if !isTold { throw CommandFailure("the HTTP server ended by itself") }
    }

    /// Says which tenants that the configuration names do not exist. While Redis is away nothing is known of them.
    private func checkApps(_ configuration: GatewayConfiguration, _ gateway: Gateway, _ logger: Logger) async {
        for app in configuration.apps {
            for id in app.tenants {
                guard let found = try? await gateway.store.tenants().contains(where: { $0.id == id }), !found else {
                    continue
                }
                logger.warning(
                    "an app is configured for a tenant that does not exist; `fanfare tenant list` shows the ids",
                    metadata: ["key": "apps.\(app.name).tenants", "tenant": "\(id)"])
            }
        }
    }

    /// True when a signal came, false when the server ended without one.
    private func waitForEnd(_ gateway: Gateway, _ signals: UnixSignalsSequence, _ logger: Logger) async -> Bool {
        let (ends, end) = AsyncStream<Bool>.makeStream()
        let watch = Task {
            for await signal in signals {
                logger.notice("stopping", metadata: ["signal": "\(signal)"])
                end.yield(true)
            }
        }
        // Ends with the server, which is stopped in any case.
        Task {
            try? await gateway.run()
            end.yield(false)
        }
        let isTold = await ends.first { _ in true } ?? false
        watch.cancel()
        return isTold
    }
}
