public import Broadcasts
public import GatewayStore
public import Logging
public import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import Reactor
import TimeCore

/// Answers the endpoints that a million devices call within a minute, in the connection's pipeline, before the router,
/// without a task for each request.
public final class DeviceReports: Sendable {
    private let context: ReportContext
    private let services = Locked<[ObjectIdentifier: ReportService]>([:])

    /// - Parameters:
    ///   - shares: what tenants share of the gateway, with what else answers requests.
    ///   - updates: answers some updates here as well; nil: all are the router's.
    ///   - logger: where each report has a line at level debug.
    ///   - isStopping: true from when the gateway takes no more work; devices then get 503 `SHUTTING_DOWN`.
    public init(
        store: GatewayStore, jobs: JobWorker, settings: APISettings, shares: GatewayShares,
        updates: DirectUpdates? = nil, logger: Logger, isStopping: @escaping @Sendable () -> Bool
    ) {
        context = ReportContext(
            store: store, jobs: jobs, settings: settings, shares: shares, updates: updates, logger: logger,
            isStopping: isStopping)
    }

    var allServices: [ReportService] { services.withLock { Array($0.values) } }
    var reportsUnderWay: Int { context.shares.reports.count }

    /// Puts the handler into the pipeline of a connection that is set up for HTTP/1.1 by Hummingbird, and with them
    /// the deadlines of heads and bodies. On the channel's event loop, before anything is read.
    /// - Parameters:
    ///   - connection: the same one, as it is counted.
    ///   - endpoints: the router's; those of reports are answered here.
    ///   - deadline: when the first head must be complete.
    public func install(
        in channel: any Channel, _ connection: ClientConnection, endpoints: EndpointTable,
        firstHeadBy deadline: NIODeadline
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        let router = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
        let deadlines = deadlines(channel, connection, firstHeadBy: deadline)
        let line = RequestLineWatch()
        try pipeline.addHandler(
            line, position: .before(try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)))
        try pipeline.addHandler(
            ReportHandler(service(channel.eventLoop, endpoints), deadlines, connection, line), position: .before(router)
        )
    }

    /// Puts a handler into the pipeline of a connection that has nothing behind TLS yet, which answers reports that are
    /// written plainly. On the channel's event loop, before anything is read.
    /// - Parameters:
    ///   - deadline: when the first head must be complete.
    ///   - socket: the channel's, which answers are written to directly; nil where TLS is on the way.
    ///   - build: sets the connection up for HTTP/1.1 by Hummingbird and calls `install`, or closes it, before it
    ///     returns; called once something comes that is no plain report, and told by when the next head must be
    ///     complete.
    public func installPlain(
        in channel: any Channel, _ connection: ClientConnection, endpoints: EndpointTable,
        firstHeadBy deadline: NIODeadline, socket: ReplySocket?, build: @escaping (NIODeadline) -> Void
    ) throws {
        let reports = ReportHandler(
            service(channel.eventLoop, endpoints), deadlines(channel, connection, firstHeadBy: deadline), connection)
        try channel.pipeline.syncOperations.addHandler(PlainReportHandler(reports, socket: socket, build: build))
    }

    private func deadlines(
        _ channel: any Channel, _ connection: ClientConnection, firstHeadBy deadline: NIODeadline
    ) -> RequestDeadlines {
        let deadlines = RequestDeadlines(
            channel, connection, headTime: TimeAmount(context.settings.headDeadline),
            // A little longer than the readers of bodies take, which can still answer.
            bodyTime: TimeAmount(context.settings.bodyDeadline) + .seconds(2),
            // The reader does not count the time in which it waits for the store, so it is given more.
            uploadSilence: TimeAmount(context.settings.uploadSilence) + .seconds(10))
        deadlines.began(firstHeadBy: deadline)
        return deadlines
    }

    private func service(_ eventLoop: any EventLoop, _ endpoints: EndpointTable) -> ReportService {
        services.withLock { services in
            let id = ObjectIdentifier(eventLoop)
            if let service = services[id] { return service }
            let service = ReportService(eventLoop, context, endpoints)
            services[id] = service
            return service
        }
    }
}

extension TimeAmount {
    init(_ interval: TimeInterval) {
        self = .nanoseconds(Int64(clamping: interval.nanoseconds))
    }
}

extension MonotonicTime {
    /// Both clocks are `CLOCK_MONOTONIC`.
    init(_ time: NIODeadline) { self.init(nanoseconds: time.uptimeNanoseconds) }
}
