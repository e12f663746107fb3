import ConnectionCore
import GatewayAPI
import Logging
import ServiceLifecycle
import TimeCore

/// A gateway's listeners, with what answers on them.
struct GatewayFront: Sendable {
    let endpoints: EndpointTable
    let updates: DirectUpdates
    let tls: ListenerTLS?
    /// The ports by section of the configuration: `http`, and `metrics`, `health` and `console` where they exist.
    let ports: [String: Int]
    private let server: ServiceGroup
    private let serving: Task<Void, any Error>

    /// Starts to listen.
    /// - Parameter tls: The certificate for the main listener, and for a console that is not local.
    static func listen(_ parts: GatewayParts, _ tls: ListenerTLS?) async throws -> GatewayFront {
        let replies = GatewayReplies(parts, tls)
        let listeners = [
            Listener.main(replies.router, replies.reports, replies.connections, tls, parts.options, parts.logger),
            metrics(replies, parts), health(parts), console(replies, parts, tls),
        ].compactMap { $0 }
        var configuration = ServiceGroupConfiguration(services: listeners, logger: parts.logger)
        // All requests have their answers by then. Only connections are left that no client closes.
        let time = GatewayParts.requestTime(of: parts.options.shutdownTimeout)
        configuration.maximumGracefulShutdownDuration = time.duration
        let server = ServiceGroup(configuration: configuration)
        let serving = Task { try await server.run() }
        var ports: [String: Int] = [:]
        for listener in listeners {
            guard let port = await listener.port() else {
                // The server ended before it listened; its error says why.
                try await serving.value
                throw CancellationError()
            }
            ports[listener.place.section] = port
        }
        if parts.options.hasMetricsOnMainListener { ports["metrics"] = ports["http"] }
        return GatewayFront(
            endpoints: replies.router.endpoints, updates: replies.updates, tls: tls, ports: ports, server: server,
            serving: serving)
    }

    private static func metrics(_ replies: GatewayReplies, _ parts: GatewayParts) -> Listener? {
        let options = parts.options.metrics
        guard options.isEnabled, let port = options.port else { return nil }
        return Listener.watching(
            MetricsRouter(metrics: replies.page).responder(),
            Listener.Place(host: options.host, port: port, section: "metrics"), parts.logger)
    }

    private static func health(_ parts: GatewayParts) -> Listener? {
        let options = parts.options.health
        guard let port = options.port else { return nil }
        let flag = parts.isStopping
        return Listener.watching(
            HealthRouter(store: parts.store, readiness: parts.readiness, isStopping: { flag.isSet }),
            Listener.Place(host: options.host, port: port, section: "health"), parts.logger)
    }

    private static func console(_ replies: GatewayReplies, _ parts: GatewayParts, _ tls: ListenerTLS?) -> Listener? {
        let options = parts.options.console
        guard let port = options.port else { return nil }
        let tls = options.isLocal ? nil : tls
        let build = parts.options.build
        let console = ConsoleRouter(
            replies.router, store: parts.store, settings: parts.api, shares: replies.shares,
            gateway: ConsoleGateway(
                readiness: parts.readiness, metrics: replies.page, version: build.version, commit: build.commit),
            host: options.host, isEncrypted: tls != nil)
        // Devices report nothing there, so it has none of those that answer them.
        let flag = parts.isStopping
        let reports = DeviceReports(
            store: parts.store, jobs: parts.jobs, settings: parts.api, shares: replies.shares, logger: parts.logger,
            isStopping: { flag.isSet })
        return Listener.console(
            console, reports, tls, Listener.Place(host: options.host, port: port, section: "console"), parts.options,
            parts.logger)
    }

    /// Returns when the server has ended by itself.
    func run() async throws {
        try await serving.value
    }

    func stop() async {
        await server.triggerGracefulShutdown()
        _ = try? await serving.value
    }
}

/// The parts that answer requests to the main listener.
private struct GatewayReplies {
    let shares: GatewayShares
    let connections: ClientConnections
    let updates: DirectUpdates
    let reports: DeviceReports
    let page: MetricSource
    let router: GatewayRouter

    init(_ parts: GatewayParts, _ tls: ListenerTLS?) {
        let flag = parts.isStopping
        let isStopping: @Sendable () -> Bool = { flag.isSet }
        shares = GatewayShares(parts.options.api)
        let descriptors = DescriptorLimit.raise()
        let budget = DescriptorBudget(parts.options, limit: descriptors)
        budget.write(to: parts.logger, limit: descriptors)
        connections = Listener.connections(parts.options.connections, maximum: budget.connections)
        let requests = RequestMetrics()
        updates = DirectUpdates(
            store: parts.store, jobs: parts.jobs, settings: parts.api, clock: parts.clock, requestMetrics: requests,
            audit: parts.audit, logger: parts.logger, isStopping: isStopping)
        reports = DeviceReports(
            store: parts.store, jobs: parts.jobs, settings: parts.api, shares: shares, updates: updates,
            logger: parts.logger, isStopping: isStopping)
        let metrics = GatewayMetrics(
            parts: parts, requests: requests, reports: reports, shares: shares, connections: connections, tls: tls)
        page = { await metrics.page($0) }
        router = GatewayRouter(
            store: parts.store, jobs: parts.jobs, settings: parts.api, shares: shares, clock: parts.clock,
            requestMetrics: requests, metrics: parts.options.hasMetricsOnMainListener ? page : nil,
            readiness: parts.readiness, audit: parts.audit, logger: parts.logger,
            isStopping: isStopping)
    }
}

extension GatewayOptions {
    fileprivate var hasMetricsOnMainListener: Bool { metrics.isEnabled && metrics.port == nil }
}
