public import Broadcasts
public import GatewayStore
public import Logging
public import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import Reactor
import TimeCore

/// Answers the endpoints that a million devices call within a minute. The answers come from the connection's pipeline,
/// without the router and without a task for each request.
public final class DeviceReports: Sendable {
    private let context: ReportContext
    private let services = Locked<[ObjectIdentifier: ReportService]>([:])

    /// - Parameters:
    ///   - shares: The gateway's resources that tenants share, also with other requests.
    ///   - updates: The service that answers some updates here as well. Nil: the router answers all.
    ///   - logger: The log, which gets a line at level debug for each report.
    ///   - isStopping: True when the gateway accepts no more work. Devices then get 503 `SHUTTING_DOWN`.
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

    /// Adds the handler and the deadlines to a pipeline for HTTP/1.1 by Hummingbird. Call it on the channel's event
    /// loop before the first read.
    /// - Parameters:
    ///   - connection: The counted connection of this channel.
    ///   - endpoints: The router's endpoints. Those of reports are answered here.
    ///   - deadline: The deadline of the first head.
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

    /// Adds a handler that answers plain reports, to a pipeline with nothing behind TLS. Call it on the channel's event
    /// loop before the first read.
    /// - Parameters:
    ///   - deadline: The deadline of the first head.
    ///   - build: Builds the pipeline for HTTP/1.1 by Hummingbird and calls `install`, or closes the connection, before
    ///     it returns. Runs at the first input other than a plain report, with the deadline of the next head.
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
            // Longer than the deadline of the readers of bodies, so that they can still answer.
            bodyTime: TimeAmount(context.settings.bodyDeadline) + .seconds(2),
            // The reader's own limit excludes the time in which it waits for the store, so this one is longer.
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
