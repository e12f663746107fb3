import GatewayAPI
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import TimeCore

struct Listener: Service {
    /// The address of a listener, and its section of the configuration.
    struct Place: Sendable {
        let host: String
        let port: Int
        let section: String
    }

    let place: Place
    /// The port of the running listener. The stream ends without an element if listening fails.
    let ports: AsyncStream<Int>
    private let told: AsyncStream<Int>.Continuation
    private let serve: @Sendable () async throws -> Void

    init<Responder: HTTPResponder>(
        _ place: Place, _ connections: ClientConnections, on eventLoops: any EventLoopGroup, _ responder: Responder,
        _ server: HTTPServerBuilder, _ logger: Logger, _ tasks: ConnectionTasks? = nil
    ) where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
        let (ports, told) = AsyncStream<Int>.makeStream()
        self.place = place
        self.ports = ports
        self.told = told
        let application = Application(
            responder: responder, server: server,
            configuration: ApplicationConfiguration(
                address: .hostname(place.host, port: place.port), backlog: Listener.backlog),
            onServerRunning: { channel in
                let guarded = channel.eventLoop.submit {
                    try channel.pipeline.syncOperations.addHandler(AcceptGuard(connections, logger), position: .first)
                }
                try? await guarded.get()
                told.yield(channel.localAddress?.port ?? 0)
            },
            eventLoopGroupProvider: .shared(eventLoops), logger: logger)
        serve = {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await tasks?.run() }
                defer { tasks?.finish() }
                try await application.run()
            }
        }
    }

    func run() async throws {
        defer { told.finish() }
        do {
            try await serve()
        } catch let error as IOError {
            throw ListenError(error, host: place.host, port: place.port, section: place.section)
        }
    }

    /// Waits for the listener's port. Returns nil if listening fails.
    func port() async -> Int? { await ports.first { _ in true } }
}

extension Listener {
    /// The maximum size of a request's headers, in bytes.
    private static let maximumHeaderBytes = 32 * 1024
    /// The event loops of the HTTP server for the life of the process. One core is left to the reactor, because more
    /// threads than cores only make smaller batches.
    private static let eventLoops = MultiThreadedEventLoopGroup(numberOfThreads: eventLoopCount)
    /// The event loop for monitoring, separate from floods of requests.
    private static let quietLoop = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    /// The event loop of the console. Expensive requests there delay no other listener.
    private static let consoleLoop = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private static let eventLoopCount = max(1, System.coreCount - 1)
    /// The number of connections that may wait for `accept`, limited by `net.core.somaxconn`. Clients that find no room
    /// retry after a second, so the backlog covers the time in which an event loop is busy.
    private static let backlog = 4096
    /// The maximum number of connections to a listener for monitoring or health.
    private static let maximumWatching = 64
    /// The maximum number of connections to the console.
    private static let maximumBrowsing = 256

    private static var channel: HTTP1Channel.Configuration {
        HTTP1Channel.Configuration(
            idleTimeout: nil,
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: maximumHeaderBytes, maxHeaderListSize: maximumHeaderBytes, maxHeaderFieldCount: 200)
        )
    }

    static func connections(_ limits: ConnectionLimits, maximum: Int) -> ClientConnections {
        ClientConnections(limits, maximum: maximum, eventLoops: eventLoopCount)
    }

    /// Returns the listener for customers and devices.
    static func main(
        _ router: GatewayRouter, _ reports: DeviceReports, _ connections: ClientConnections, _ tls: ListenerTLS?,
        _ options: GatewayOptions, _ logger: Logger
    ) -> Listener {
        serving(
            router, at: Place(host: options.host, port: options.port, section: "http"), connections, on: eventLoops,
            reports, router.endpoints, tls, options, logger)
    }

    /// Returns a listener with everything that clients need: TLS, slow uploads, streams, and reports answered before
    /// the router.
    private static func serving<Responder: HTTPResponder>(
        _ responder: Responder, at place: Place, _ connections: ClientConnections, on eventLoops: any EventLoopGroup,
        _ reports: DeviceReports, _ endpoints: EndpointTable, _ tls: ListenerTLS?, _ options: GatewayOptions,
        _ logger: Logger
    ) -> Listener where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
        let tasks = ConnectionTasks()
        return Listener(
            place, connections, on: eventLoops, responder,
            HTTPServerBuilder { responder in
                GatewayChannel(
                    connections: connections, http: HTTP1Channel(responder: responder, configuration: channel),
                    reports: reports, endpoints: endpoints, tls: tls,
                    headTime: .nanoseconds(Int64(clamping: options.api.headDeadline.nanoseconds)), tasks: tasks)
            }, logger, tasks)
    }

    /// Returns the console's listener. It supports uploads and streams like that of customers, but no device reports.
    static func console(
        _ router: ConsoleRouter, _ reports: DeviceReports, _ tls: ListenerTLS?, _ place: Place,
        _ options: GatewayOptions,
        _ logger: Logger
    ) -> Listener {
        var limits = options.connections
        limits.maximumPerAddress = maximumBrowsing / 2
        // Connections to the console arrive without that header, for example through a tunnel.
        limits.expectsProxyHeader = false
        let connections = ClientConnections(limits, maximum: maximumBrowsing, eventLoops: 1)
        return serving(
            router, at: place, connections, on: consoleLoop, reports, router.uploads, tls, options, logger)
    }

    /// Returns a listener for monitoring.
    static func watching<Responder: HTTPResponder>(
        _ responder: Responder, _ place: Place, _ logger: Logger
    ) -> Listener where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
        var limits = ConnectionLimits()
        limits.maximumPerAddress = maximumWatching
        let connections = ClientConnections(limits, maximum: maximumWatching, eventLoops: 1)
        return Listener(
            place, connections, on: quietLoop, responder,
            HTTPServerBuilder { responder in
                BoundedChannel(
                    connections: connections, http: HTTP1Channel(responder: responder, configuration: channel))
            }, logger)
    }
}
