import APNs
import Broadcasts
import ConnectionCore
import Delivery
import Feeds
public import GatewayAPI
public import GatewayStore
public import Logging
import PushClient
import Reactor
import RedisClient
import ServiceLifecycle
import TimeCore
import Tracing
import Webhooks

/// A running gateway: HTTP in front, Redis behind, the provider at the far end, all wired.
public final class Gateway: Sendable {
    private let parts: GatewayParts
    private let front: GatewayFront
    /// Tasks without an end of their own.
    private let endless: [Task<Void, Never>]

    /// The port of the API.
    public var port: Int { front.ports["http"] ?? parts.options.port }
    /// The port of `/metrics`. Nil without metrics.
    public var metricsPort: Int? { front.ports["metrics"] }
    /// The port of the separate listener for `/health/*`. Nil without one.
    public var healthPort: Int? { front.ports["health"] }
    /// The port of the console. Nil without a console.
    public var consolePort: Int? { front.ports["console"] }
    /// The gateway's own store. `stop` shuts it down.
    public var store: GatewayStore { parts.store }
    /// All endpoints that the gateway serves.
    public var endpoints: EndpointTable { front.endpoints }

    var providers: ProviderWiring { parts.providers }
    var jobs: JobWorker { parts.jobs }
    var updates: DirectUpdates { front.updates }
    var logger: Logger { parts.logger }

    /// Starts to listen. Redis and the provider may still be down: the gateway answers 503 until the store is there.
    public static func start(_ options: GatewayOptions, logger: Logger) async throws -> Gateway {
        let reactor = try Reactor(name: "fanfare-io")
        let steps = StartSteps()
        steps.begun { reactor.stop() }
        do {
            return try await Gateway(options, reactor, steps, logger)
        } catch {
            await steps.takeBack()
            throw error
        }
    }

    private init(
        _ options: GatewayOptions, _ reactor: Reactor, _ steps: StartSteps, _ logger: Logger
    ) async throws {
        let tls = try options.tls.map { try ListenerTLS($0, logger: logger) }
        parts = try await GatewayParts(options, reactor, steps, logger)
        front = try await GatewayFront.listen(parts, tls)
        endless =
            [Task { await HeapMemory.keepTrimming() }] + (tls.map { tls in [Task { await tls.keepLooking() }] } ?? [])
        await parts.start()
    }

    /// Reads the listener's certificate anew now, rather than within the seconds in which a change is seen; nothing
    /// without one. A pair that cannot be used leaves the one before it in force, and the log says why.
    public func readCertificate() {
        front.tls?.look(isAsked: true)
    }

    /// Answers true as soon as the thread that sends pushes and speaks to Redis has come to it; not before.
    public func isResponsive() async -> Bool {
        await parts.reactor.call(stopped: true) { $0(true) }
    }

    /// Receivers' certificates are checked against those of this file (PEM), beside the system's, from the next
    /// connection on. Throws when it cannot be used; those before stay then.
    public func trustReceivers(_ caFile: String?) throws {
        try parts.storage.events.trust(caFile)
    }

    /// Returns when the server has ended by itself.
    public func run() async throws {
        try await front.run()
    }

    /// Stops in order. Refuses new work (503 `SHUTTING_DOWN`), finishes the pages in progress, and hands the rest of
    /// the broadcasts over. Then answers the waiting requests and closes everything.
    public func stop() async {
        let (storage, jobs, providers) = (parts.storage, parts.jobs, parts.providers)
        let time = parts.options.shutdownTimeout.nanoseconds
        parts.isStopping.set()
        for task in endless { task.cancel() }
        storage.stopWatching()
        async let delivered: Void = storage.events.stopDelivering()
        await parts.feeds.stop()
        await withDiscardingTaskGroup { group in
            for keeper in providers.channelKeepers { group.addTask { await keeper.stop() } }
        }
        await jobs.reachCheckpoint(within: TimeInterval(nanoseconds: time / 8))
        // Pushes without an answer at that time are recorded as unanswered.
        let deadline = TimeInterval(nanoseconds: time / 2)
        await withDiscardingTaskGroup { group in
            for client in providers.clients { group.addTask { await client.shutdown(deadline: deadline) } }
        }
        await jobs.stop(within: TimeInterval(nanoseconds: time / 8))
        await front.stop()
        await delivered
        await parts.audit.stop()
        await storage.shutdown()
        parts.reactor.stop()
        logger.info("stopped")
    }
}
