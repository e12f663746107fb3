public import Broadcasts
public import GatewayStore
import HTTPTypes
public import Hummingbird
import LiveActivity
public import Logging
public import TimeCore

/// The HTTP side of the gateway, except for the requests that `DeviceReports` answers. Finds a request's endpoint, runs
/// the checks of its row in the API's order, and calls its handler.
public struct GatewayRouter: HTTPResponder {
    /// The endpoints of this router, and those that `DeviceReports` answers in front of it.
    public let endpoints: EndpointTable
    let gatekeeper: Gatekeeper
    let rates: any RequestCounting
    let reader: BodyReader
    let idempotency: Idempotency
    let shares: GatewayShares
    let weights: TenantWeights
    private let observation: RequestObservation
    let crossOrigin: CrossOrigin
    let isStopping: @Sendable () -> Bool
    let audit: any AuditSink
    let clock: @Sendable () -> WallTime
    /// The arrival time of a request that is read now.
    let arrival: @Sendable () -> WallTime

    /// A router of all endpoints of a gateway.
    /// - Parameters:
    ///   - shares: The gateway's resources that tenants share, also with other listeners.
    ///   - requestMetrics: The counters of requests.
    ///   - metrics: The page of `/metrics`. Pass nil to omit the endpoint.
    ///   - readiness: The reasons for which the gateway is not ready.
    ///   - audit: The sink for records of changes.
    ///   - logger: The log, which gets a line for each request.
    ///   - isStopping: True when the gateway accepts no more work. Customers then get 503 `SHUTTING_DOWN`.
    public init(
        store: GatewayStore, jobs: JobWorker, settings: APISettings, shares: GatewayShares,
        clock: @escaping @Sendable () -> WallTime = WallTime.now, requestMetrics: RequestMetrics = RequestMetrics(),
        metrics: MetricSource? = nil, readiness: ReadinessBoard = ReadinessBoard(),
        audit: any AuditSink = NoAudit(), logger: Logger,
        isStopping: @escaping @Sendable () -> Bool
    ) {
        let service = BroadcastService(store: store, jobs: jobs)
        let customer = CustomerAPI(
            store: CustomerStore(store), service: service, settings: settings, clock: clock, isStopping: isStopping)
        let services = EndpointServices(
            customer: customer,
            streams: BroadcastEvents(api: customer, shares: shares),
            events: EventAPI(store: store.events),
            webhooks: WebhookAPI(store: store.webhooks, policy: settings.webhooks),
            segments: SegmentsAPI(store: store.segments, settings: settings, shares: shares),
            topics: TopicsAPI(
                store: store.topics, followerStore: store.followers, reader: store.reader,
                lists: SegmentsAPI(store: store.segments, settings: settings, shares: shares), service: service,
                clock: clock),
            users: UsersAPI(
                store: store.erasures, reader: store.reader, service: service, shares: shares,
                patience: settings.erasurePatience),
            devices: SDKAPI(
                store: store.reports, schedules: store.schedules, topics: store.followers, service: service,
                dismissUnfollows: service.dismissUnfollows, clock: clock),
            limits: LimitsAPI(store: store.quotas, shares: shares, jobs: jobs),
            health: HealthAPI(store: store, readiness: readiness, isStopping: isStopping),
            metrics: metrics.map { MetricsReply(page: $0) })
        self.init(
            EndpointTable(services), admissions: store.tenants, rates: store.rates, claims: store.answers,
            settings: settings, shares: shares, weights: jobs.weights, clock: clock,
            arrival: { store.clockBounds().latest }, requestMetrics: requestMetrics, audit: audit,
            logger: logger, isStopping: isStopping)
    }

    /// A router of any endpoints.
    init(
        _ endpoints: EndpointTable, admissions: any AdmissionStore, rates: any RequestCounting,
        claims: any IdempotencyStore,
        settings: APISettings, shares: GatewayShares, weights: TenantWeights = TenantWeights(),
        clock: @escaping @Sendable () -> WallTime, arrival: (@Sendable () -> WallTime)? = nil,
        requestMetrics: RequestMetrics = RequestMetrics(), audit: any AuditSink = NoAudit(),
        logger: Logger, isStopping: @escaping @Sendable () -> Bool
    ) {
        self.audit = audit
        self.clock = clock
        self.arrival = arrival ?? clock
        self.endpoints = endpoints
        self.isStopping = isStopping
        gatekeeper = Gatekeeper(store: admissions, settings: settings, clock: clock)
        self.rates = rates
        self.shares = shares
        self.weights = weights
        reader = BodyReader(settings, shares)
        crossOrigin = CrossOrigin(origins: settings.crossOrigins)
        idempotency = Idempotency(store: claims, patience: settings.waitTimeout)
        observation = RequestObservation(requestMetrics, logger)
    }

    /// Answers any request. Never throws.
    public func respond(to request: Request, context: GatewayContext) async throws -> Response {
        var context = context
        context.requestID = RequestID.of(request.headers)
        context.logger[metadataKey: "request_id"] = .string(context.requestID)
        // The server framework's own id, which no reply contains.
        context.logger[metadataKey: "hb.request.id"] = nil
        if let match = endpoints.match(request.method, request.uri.path) {
            context.endpoint = match.endpoint
            context.pathParameters = match.parameters
        }
        context.clientAddress = context.connection?.clientAddress(forwardedFor: request.headers[values: .forwardedFor])
        let response = await observation.observe(request, context) { [context] in
            await coded(await answerWithinShare(request, context), request)
        }
        return request.method == .head ? response.createHeadResponse() : response
    }
}
