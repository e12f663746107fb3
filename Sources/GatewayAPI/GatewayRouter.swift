public import Broadcasts
public import GatewayStore
import HTTPTypes
public import Hummingbird
import LiveActivity
import NIOCore
public import TimeCore

/// The HTTP side of the gateway, but for what `DeviceReports` answers.
public struct GatewayRouter: Sendable {
    private let customer: CustomerAPI
    private let events: BroadcastEvents
    private let sdk: SDKAPI
    let eventAPI: EventAPI
    let webhookAPI: WebhookAPI
    private let segments: SegmentsAPI
    private let gatekeeper: Gatekeeper
    let reader: BodyReader
    let store: GatewayStore
    let readiness: ReadinessBoard
    private let settings: APISettings
    private let isStopping: @Sendable () -> Bool
    private let measures: RequestMeasures
    private let metrics: (@Sendable () async -> [UInt8])?
    /// All routes, `DeviceReports`' among them; filled by `router()`.
    public let routes = RouteTable()

    /// - Parameters:
    ///   - measures: where requests are counted.
    ///   - metrics: the page that `/metrics` answers with; nil: there is no such route.
    ///   - readiness: what keeps the gateway from its work.
    ///   - isStopping: true from when the gateway takes no more work; customers then get 503 `SHUTTING_DOWN`.
    public init(
        store: GatewayStore, jobs: JobWorker, settings: APISettings,
        clock: @escaping @Sendable () -> WallTime = WallTime.now, measures: RequestMeasures = RequestMeasures(),
        metrics: (@Sendable () async -> [UInt8])? = nil, readiness: ReadinessBoard = ReadinessBoard(),
        isStopping: @escaping @Sendable () -> Bool
    ) {
        self.readiness = readiness
        self.measures = measures
        self.metrics = metrics
        self.store = store
        self.settings = settings
        self.isStopping = isStopping
        customer = CustomerAPI(
            store: store, jobs: jobs, settings: settings, clock: clock, isStopping: isStopping)
        events = BroadcastEvents(store: store, settings: settings, isStopping: isStopping)
        sdk = SDKAPI(store: store)
        eventAPI = EventAPI(store: store)
        webhookAPI = WebhookAPI(store: store, policy: settings.webhooks)
        gatekeeper = Gatekeeper(store: store, settings: settings, clock: clock)
        reader = BodyReader(maximumBytes: settings.maximumBodyBytes, deadline: settings.bodyDeadline)
        segments = SegmentsAPI(store: store, settings: settings, reader: reader)
    }

    /// All routes.
    public func router() -> Router<GatewayContext> {
        let router = Router(context: GatewayContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: ObservationMiddleware(measures: measures))
        router.add(middleware: RequestIDMiddleware(routes: routes))
        let customers = router.group("api/v1/live-activity")
        for route in CustomerAPI.routes {
            customers.post(route.path) { request, context in
                try await self.answerCustomer(request, context, route)
            }
        }
        customers.get("") { request, context in
            try await self.answerReading(request, context) { tenantID in
                let query = try ActivityListingQuery(request.uri.queryParameters)
                return try await self.customer.activities(query, tenantID: tenantID).response
            }
        }
        customers.get(":activity_id") { request, context in
            try await self.answerReading(request, context) { tenantID in
                let id = context.parameters.get("activity_id").flatMap { UniqueID($0) }
                return try await self.customer.status(of: id, tenantID: tenantID).response
            }
        }
        customers.get("broadcasts/:broadcast_id") { request, context in
            try await self.answerReading(request, context) { tenantID in
                CustomerAPI.status(try await self.broadcast(context, tenantID)).response
            }
        }
        customers.get("broadcasts/:broadcast_id/events") { request, context in
            try await self.answerReading(request, context) { tenantID in
                try self.events.response(try await self.broadcast(context, tenantID))
            }
        }
        customers.get("schedule") { request, context in
            try await self.answerReading(request, context) { tenantID in
                guard let text = request.uri.queryParameters.get("activity_id") else {
                    throw APIError(.activityIDRequired, "activity_id is required: the id that register replied")
                }
                return try await self.customer.schedules(of: UniqueID(text), tenantID: tenantID).response
            }
        }
        customers.get(":activity_id/devices") { request, context in
            try await self.answerReading(request, context) { tenantID in
                let id = context.parameters.get("activity_id").flatMap { UniqueID($0) }
                let query = try DeviceListingQuery(request.uri.queryParameters)
                return try await self.customer.devices(of: id, query, tenantID: tenantID).response
            }
        }
        addEventRoutes(to: router)
        addSegments(to: router)
        let devices = router.group("api/v1/sdk")
        for route in SDKAPI.routes {
            devices.on(route.path, method: route.method) { request, context in
                try await self.answerDevice(request, context, route.handler)
            }
        }
        router.get("health/live") { _, _ in Reply.success().response }
        router.get("health/ready") { _, _ in await self.readinessReply().response }
        if let metrics { router.get("metrics") { _, _ in MetricsRouter.response(await metrics()) } }
        let documents = DocumentPages()
        for page in DocumentPages.Page.allCases {
            router.get(RouterPath(page.rawValue)) { request, _ in try documents.answer(page, request) }
        }
        routes.fill(router)
        return router
    }

    private func answerCustomer(
        _ request: Request, _ context: GatewayContext,
        _ route: (path: RouterPath, isRepeatable: Bool, handler: CustomerAPI.Handler)
    ) async throws -> Response {
        var rateHeaders = HTTPFields()
        var response: Response
        do {
            let admission = try await gatekeeper.admitCustomer(request, &rateHeaders)
            context.notes.admitted(admission.tenantID)
            try checkRunning()
            let document = try await reader.read(request, context)
            let call = CustomerRequest(
                tenantID: admission.tenantID, body: document.root, prefersAsync: request.prefersAsync,
                requestID: context.requestID)
            let key = route.isRepeatable ? request.headers[.idempotencyKey] : nil
            if let key {
                let idempotency = Idempotency(store: store, patience: settings.waitTimeout)
                response = try await idempotency.carryOut(
                    key, route: route.path.description, tenantID: call.tenantID, body: document.bytes,
                    joined: { try await customer.joined(call.named($0)) },
                    { try await route.handler(customer, call.named($0)) }
                ).response
            } else {
                response = try await route.handler(customer, call).response
            }
        } catch {
            response = try refusal(error, context)
        }
        for field in rateHeaders { response.headers[field.name] = field.value }
        return response
    }

    /// The answer to what a customer did wrong, or the store could not do.
    private func refusal(_ error: any Error, _ context: GatewayContext) throws -> Response {
        guard let refusal = error as? APIError ?? (error as? StoreError).map({ APIError($0) }) else { throw error }
        context.notes.refused(refusal)
        return Reply(refusal).response
    }

    private func broadcast(_ context: GatewayContext, _ tenantID: String) async throws -> BroadcastRecord {
        let id = context.parameters.get("broadcast_id").flatMap { UniqueID($0) }
        return try await customer.broadcast(id, tenantID: tenantID)
    }

    /// A customer's question: nothing changes, so it is answered while the gateway stops as well.
    func answerReading(
        _ request: Request, _ context: GatewayContext, _ answer: (_ tenantID: String) async throws -> Response
    ) async throws -> Response {
        var rateHeaders = HTTPFields()
        var response: Response
        do {
            let admission = try await gatekeeper.admitCustomer(request, &rateHeaders)
            context.notes.admitted(admission.tenantID)
            response = try await answer(admission.tenantID)
        } catch {
            response = try refusal(error, context)
        }
        for field in rateHeaders { response.headers[field.name] = field.value }
        return response
    }

    /// What the paths of stored segments begin with.
    static let segmentsPrefix = "/api/v1/segments/"

    private func addSegments(to router: Router<GatewayContext>) {
        let group = router.group("api/v1/segments")
        for route in SegmentsAPI.routes {
            group.on(route.path, method: route.method) { request, context in
                var response = try await self.answerReading(request, context) { tenantID in
                    if route.isChange { try self.checkRunning() }
                    return try await route.handler(self.segments, request, context, tenantID).response
                }
                // Whoever sends a body all the same is heard out, so that he can read why it was refused; but not whoever
                // waits to be asked for it.
                if response.status.code >= 400, request.headers[.expect] != nil, await !context.hasWholeBody() {
                    response.headers[.connection] = "close"
                    context.closeSoon()
                }
                return response
            }
        }
    }

    private func answerDevice(
        _ request: Request, _ context: GatewayContext, _ handler: SDKAPI.Handler
    ) async throws -> Response {
        let admission = try await gatekeeper.admitDevice(request)
        // The apps in the field cannot be switched off, so they are thanked and not heard.
        guard admission.isEnabled else { return Reply.success(.accepted).response }
        try checkRunning()
        let document = try await reader.read(request, context)
        let key = try document.root.deviceKey()
        try admission.checkIdentity(request.headers[.identitySignature], insiderID: key.insiderID)
        return try await handler(sdk, DeviceRequest(tenantID: admission.tenantID, key: key, body: document.root))
            .response
    }

    func checkRunning() throws {
        guard !isStopping() else { throw APIError.stopping }
    }
}

extension Request {
    /// Whether `respond-async` is among the preferences (RFC 7240, section 4.1).
    fileprivate var prefersAsync: Bool {
        headers[values: .prefer].contains { value in
            value.split(separator: ",").contains { preference in
                let name = preference.split(separator: ";").first ?? ""
                return name.filter { $0 != " " && $0 != "\t" }.lowercased() == "respond-async"
            }
        }
    }
}
