import GatewayAPI
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import TimeCore

/// One of a gateway's listeners.
struct Listener: Service {
    /// Where it listens, and which section of the configuration says so.
    struct Place: Sendable {
        let host: String
        let port: Int
        let section: String
    }

    let place: Place
    /// The port that it got, as soon as it listens; ends without one when it does not get so far.
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

    /// The port, once it listens; nil when it never does.
    func port() async -> Int? { await ports.first { _ in true } }
}

extension Listener {
    /// The largest list of headers that a request may have, in bytes.
    private static let maximumHeaderBytes = 32 * 1024
    /// The HTTP server's, for as long as the process lives. One core is the reactor's: more threads than cores only
    /// make smaller batches.
    private static let eventLoops = MultiThreadedEventLoopGroup(numberOfThreads: eventLoopCount)
    /// For who watches: no storm of requests is on its way there.
    private static let quietLoop = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    /// For those who look on in a browser: whoever asks for much there keeps nobody else waiting.
    private static let consoleLoop = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private static let eventLoopCount = max(1, System.coreCount - 1)
    /// Connections that wait to be accepted, as far as the system allows (net.core.somaxconn). Whoever finds no room
    /// tries again a second later, so there is room for all that come while an event loop is busy for a moment.
    private static let backlog = 4096
    /// Connections to a listener for monitoring or health.
    private static let maximumWatching = 64
    /// Connections to the console.
    private static let maximumBrowsing = 256

    private static var channel: HTTP1Channel.Configuration {
        HTTP1Channel.Configuration(
            idleTimeout: nil,
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: maximumHeaderBytes, maxHeaderListSize: maximumHeaderBytes, maxHeaderFieldCount: 200)
        )
    }

    /// The connections of customers and devices.
    static func connections(_ limits: ConnectionLimits, maximum: Int) -> ClientConnections {
        ClientConnections(limits, maximum: maximum, eventLoops: eventLoopCount)
    }

    /// For customers and devices.
    static func main(
        _ router: GatewayRouter, _ reports: DeviceReports, _ connections: ClientConnections, _ tls: ListenerTLS?,
        _ options: GatewayOptions, _ logger: Logger
    ) -> Listener {
        serving(
            router, at: Place(host: options.host, port: options.port, section: "http"), connections, on: eventLoops,
            reports, router.endpoints, tls, options, logger)
    }

    /// With all that clients need: TLS, uploads that take their time, streams, and reports answered in front of the
    /// router.
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

    /// For who looks after the gateway, and who sends with it, in a browser: uploads and streams as customers have
    /// them, and no reports of devices.
    static func console(
        _ router: ConsoleRouter, _ reports: DeviceReports, _ tls: ListenerTLS?, _ place: Place,
        _ options: GatewayOptions,
        _ logger: Logger
    ) -> Listener {
        var limits = options.connections
        limits.maximumPerAddress = maximumBrowsing / 2
        // It is reached by other ways than the API, such as a tunnel, which begin with no header.
        limits.expectsProxyHeader = false
        let connections = ClientConnections(limits, maximum: maximumBrowsing, eventLoops: 1)
        return serving(
            router, at: place, connections, on: consoleLoop, reports, router.uploads, tls, options, logger)
    }

    /// For who watches.
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
