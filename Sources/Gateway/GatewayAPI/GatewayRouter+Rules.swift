import Broadcasts
import GatewayStore
import HTTPTypes
import Hummingbird
import LiveActivity
import Logging
import TimeCore

// The checks that a row of the table asks for, in the API's order: key, product, tier, rate, state of the
// gateway, body. The handler comes last.
extension GatewayRouter {
    /// The answer, within the client's share of requests that proxies pass on.
    func answerWithinShare(_ request: Request, _ context: GatewayContext) async -> Response {
        guard let connection = context.connection else { return await answer(request, context) }
        guard let place = connection.enterForwarded(context.clientAddress) else {
            context.metadata.refused(.tooManyAtOnce)
            var response = Reply(.tooManyAtOnce).response
            response.headers[.requestID] = context.requestID
            return response
        }
        defer { connection.leaveForwarded(place) }
        return await answer(request, context)
    }

    /// The answer as the client takes it: long ones as gzip.
    func coded(_ response: Response, _ request: Request) async -> Response {
        guard ReplyCompression.applies(to: response, of: request) else { return response }
        var response = response
        response.headers.append(HTTPField(name: .vary, value: "Accept-Encoding"))
        guard ReplyCompression.takesGzip(request.headers) else { return response }
        return (try? await apart { [response] in try await ReplyCompression.compressed(response) }) ?? response
    }

    /// The answer to any request. Never throws.
    /// - Parameter context: with the request's endpoint, if there is one.
    func answer(_ request: Request, _ context: GatewayContext) async -> Response {
        var headers = HTTPFields()
        headers[.requestID] = context.requestID
        var response: Response
        do {
            response = try await carryOut(request, context, &headers)
        } catch {
            let refusal = refusal(error, context)
            context.metadata.refused(refusal)
            response = Reply(refusal).response
            if await holdsBackBody(request, context) { context.closeSoon() }
        }
        context.metadata.holds(nil)
        if request.headers[.connection] == "close" || context.metadata.values.endsConnection {
            headers[.connection] = "close"
        }
        for field in headers { response.headers[field.name] = field.value }
        crossOrigin.open(&response, to: request, context.endpoint)
        noteChange(request, context, response)
        return response
    }

    /// - Parameter headers: the fields of the answer, also if it is a refusal.
    private func carryOut(
        _ request: Request, _ context: GatewayContext, _ headers: inout HTTPFields
    ) async throws -> Response {
        guard let endpoint = context.endpoint else { return try preflight(request, &headers) }
        switch endpoint.handler {
        case .action(let handler, let joining):
            let admitted = try await admit(request, context, endpoint, &headers)
            noteObject(context)
            try refuseBody(of: request, endpoint)
            return try await apart { try await once(request, endpoint, admitted, [], joining, handler).response }
        case .query(let handler):
            let admitted = try await admit(request, context, endpoint, &headers)
            let place = try place(for: endpoint, admitted.claimant)
            defer { withExtendedLifetime(place) {} }
            return try await apart { try await handler(admitted).response }
        case .upload(let handler, let isRepeatable):
            var admitted = try await admit(request, context, endpoint, &headers)
            if isRepeatable { admitted.givenKey = try givenKey(request, admitted, endpoint) }
            noteObject(context)
            let upload = admitted
            return try await apart(on: UploadExecutor.shared) { try await handler(upload).response }
        case .stream(let handler):
            let admitted = try await admit(request, context, endpoint, &headers)
            return try await apart { try await handler(admitted) }
        case .command(let handler, let joining):
            let admitted = try await admit(request, context, endpoint, &headers)
            guard !endpoint.isBrief || !GatewayRouter.isShort(request) else {
                return try await command(request, context, endpoint, admitted, joining, handler)
            }
            return try await apart { try await command(request, context, endpoint, admitted, joining, handler) }
        case .device(let handler, _): return try await answerDevice(request, context, handler).response
        case .deviceQuery(let handler):
            return try await apart { try await answerQuery(request, endpoint, handler).response }
        case .open(let handler): return try await apart { try await handler(request) }
        // `ReportHandler` passes none on.
        case .report: throw APIError.unexpected
        }
    }

    /// Answers the question of a browser before its request. Throws if the request has no endpoint otherwise.
    private func preflight(_ request: Request, _ headers: inout HTTPFields) throws -> Response {
        if let reply = crossOrigin.preflight(request, endpoints.all(at: request.uri.path)) { return reply }
        throw noEndpoint(request, &headers)
    }

    /// Throws if a request without a body in its endpoint has one. A DELETE with a list is for a part of its path's
    /// object, and would delete the whole.
    private func refuseBody(of request: Request, _ endpoint: Endpoint) throws {
        let announced = request.headers[.contentLength].flatMap(ContentLength.bytes) ?? 0
        guard announced > 0 || request.headers[.transferEncoding] != nil else { return }
        throw APIError(
            .validationFailed,
            "\(endpoint.method) \(endpoint.path) has no body; check the path, or leave the body out")
    }

    private func command(
        _ request: Request, _ context: GatewayContext, _ endpoint: Endpoint, _ admitted: CustomerRequest,
        _ joining: (@Sendable (CustomerRequest) async throws -> Reply?)?,
        _ handler: (CustomerRequest, JSONValue) async throws -> Reply
    ) async throws -> Response {
        let document = try await reader.read(request, context, for: admitted.claimant)
        noteObject(context, body: document.root)
        let reply: Reply
        do {
            try endpoint.fields.check(document.root)
            let activity = (try? document.root.member("activity_id")).flatMap { $0?.uniqueID }
            reply = try await once(request, endpoint, admitted, document.bytes, of: activity, joining) {
                let place = try await changePlace(for: endpoint, $0.claimant)
                defer { withExtendedLifetime(place) {} }
                return try await handler($0, document.root)
            }
        } catch let error as APIError where error.isAboutBody {
            // Without the store the body's fault is the answer.
            throw (try? await endpoint.foremost?(admitted, document.root)) ?? error
        }
        if context.metadata.values.object == nil { noteObject(context, reply: reply) }
        return reply.response
    }

    /// Runs calls that may take long, or may not, away from the event loop, which other connections need.
    private func apart<Value>(
        on executor: any TaskExecutor = globalConcurrentExecutor, _ body: () async throws -> Value
    ) async throws -> Value {
        try await withTaskExecutorPreference(executor, operation: body)
    }

    /// True if a body is known to be so short that reading it delays no other connection.
    private static func isShort(_ request: Request) -> Bool {
        request.headers[.contentLength].flatMap(ContentLength.bytes).map { $0 <= 16_384 } ?? false
    }

    /// Carries a request out; a repetition with the same `Idempotency-Key` gets the first one's answer.
    private func once(
        _ request: Request, _ endpoint: Endpoint, _ admitted: CustomerRequest, _ body: [UInt8],
        of activity: UniqueID? = nil, _ joining: (@Sendable (CustomerRequest) async throws -> Reply?)?,
        _ handler: (CustomerRequest) async throws -> Reply
    ) async throws -> Reply {
        guard let joining, let key = request.headers[.idempotencyKey] else { return try await handler(admitted) }
        // The names of the changed object are part of the request.
        let path = request.uri.path == endpoint.path ? [] : Array("\(request.uri.path)\n".utf8)
        return try await idempotency.carryOut(
            key, route: endpoint.idempotencyScope, tenantID: admitted.tenantID, body: path + body,
            of: activity, from: Idempotency.Caller(arrived: admitted.arrived, isGone: admitted.isCallerGone),
            joined: { try await joining(admitted.named($0)) }, { try await handler(admitted.named($0, arrived: $1)) })
    }

    private func admit(
        _ request: Request, _ context: GatewayContext, _ endpoint: Endpoint, _ headers: inout HTTPFields
    ) async throws -> CustomerRequest {
        let arrived = arrival()
        let admission = try await gatekeeper.admitCustomer(request, context.signedIn, &headers)
        context.metadata.admitted(admission.tenantID, keyName: admission.keyName)
        if endpoint.isChange { try await checkMayChange(context) }
        try endpoint.fields.check(request.uri.queryParameters)
        // Due work reads no limits, so the tenant's weight is noted here.
        weights.heard(admission.limits[.weight], ofTenant: admission.tenantID)
        return CustomerRequest(
            tenantID: admission.tenantID, http: request, context: context,
            claimant: .customer(admission.tenantID, weight: admission.limits[.weight]), limits: admission.limits,
            arrived: arrived)
    }

    /// A place among the listings; nil for a request that reads little.
    private func place(for endpoint: Endpoint, _ claimant: Claimant) throws -> Share? {
        guard endpoint.isListing else { return nil }
        guard let place = shares.listings.place(for: claimant) else {
            throw APIError(.overloaded, "too many listings are in progress; try again", retryAfter: 1)
        }
        return place
    }

    /// A place among the changes of many users, once there is one; nil for a request that changes little.
    private func changePlace(for endpoint: Endpoint, _ claimant: Claimant) async throws -> Share? {
        guard endpoint.isBulkChange else { return nil }
        return try await shares.placeForChange(claimant)
    }

    private func givenKey(_ request: Request, _ admitted: CustomerRequest, _ endpoint: Endpoint) throws -> GivenKey? {
        try GivenKey(request, idempotency, tenantID: admitted.tenantID, route: endpoint.idempotencyScope)
    }

    /// Keys are a device's own.
    private func givenKey(
        _ request: Request, _ context: GatewayContext, _ tenantID: String, _ device: DeviceKey
    ) throws -> GivenKey? {
        guard let endpoint = context.endpoint, endpoint.isRepeatable else { return nil }
        let user = device.insiderID
        return try GivenKey(
            request, idempotency, tenantID: tenantID,
            route: "\(endpoint.idempotencyScope)\n\(user.utf8.count):\(user)\(device.udid)",
            holder: .device)
    }

    private func answerDevice(
        _ request: Request, _ context: GatewayContext, _ handler: (DeviceRequest) async throws -> Reply
    ) async throws -> Reply {
        let admission = try await gatekeeper.admitDevice(request)
        // Apps on phones cannot be switched off, so their reports are accepted without effect. An erasure is carried
        // out.
        guard admission.isEnabled || context.endpoint?.method == .delete else { return .success(.accepted) }
        if context.endpoint?.needsTier == true { try gatekeeper.settings.check(admission.tier) }
        try await checkMayChange(context)
        let claimant = Claimant.devices(ofTenant: admission.tenantID, weight: admission.limits[.weight])
        let bytes = try await reader.bytes(request, context, for: claimant)
        let contentType = request.headers[.contentType]
        let key = try BodyReader.device(bytes, contentType: contentType)
        try admission.checkIdentity(request.headers[.identitySignature], key, now: gatekeeper.clock())
        try rates.check(key, admission, now: .now())
        let body = try BodyReader.document(bytes, contentType: contentType).root
        if context.endpoint?.isAudited == true {
            context.metadata.admitted(admission.tenantID)
            noteObject(context, device: key)
        }
        let reports = shares.reports.reports(ofTenant: admission.tenantID)
        guard shares.reports.enter(reports, weight: claimant.weight) else { throw APIError.tooManyReports }
        defer { shares.reports.leave(reports) }
        let reply = try await handler(
            DeviceRequest(
                tenantID: admission.tenantID, claimant: claimant, limits: admission.limits, key: key, body: body,
                givenKey: try givenKey(request, context, admission.tenantID, key)))
        if reply.changesNothing { context.metadata.changesNothing() }
        return admission.isEnabled ? reply : .success(.accepted)
    }

    private func answerQuery(
        _ request: Request, _ endpoint: Endpoint, _ handler: (DeviceQuery) async throws -> Reply
    ) async throws -> Reply {
        let admission = try await gatekeeper.admitDevice(request)
        guard admission.isEnabled else { return .success(.accepted) }
        let query = request.uri.queryParameters
        try KnownFields.check(query, once: ["insider_id", "udid"])
        let key = DeviceKey(
            insiderID: try JSONValue.name(query.get("insider_id"), "insider_id"),
            udid: try JSONValue.name(query.get("udid"), "udid"))
        try admission.checkIdentity(request.headers[.identitySignature], key, now: gatekeeper.clock())
        try rates.check(key, admission, now: .now())
        let claimant = Claimant.devices(ofTenant: admission.tenantID, weight: admission.limits[.weight])
        let place = try place(for: endpoint, claimant)
        defer { withExtendedLifetime(place) {} }
        return try await handler(DeviceQuery(tenantID: admission.tenantID, key: key))
    }

    /// Refuses a change while the gateway stops, and one that may have arrived during a stall. Another gateway may have
    /// made a newer change since.
    private func checkMayChange(_ context: GatewayContext) async throws {
        guard !isStopping() else { throw APIError.stopping }
        switch context.connection?.stall ?? .nothing {
        case .nothing: return
        case .brief:
            // The end of a connection is read in the same turn of the event loop as what came before it.
            try await context.channel.eventLoop.submit {}.get()
            guard context.isCallerGone else { return }
        case .long: break
        }
        throw APIError.heldUp
    }

    // MARK: Refusals

    private func noEndpoint(_ request: Request, _ headers: inout HTTPFields) -> APIError {
        let asked = "\(request.method) \(request.uri.path.prefix(200))"
        guard let methods = endpoints.methods(at: request.uri.path) else {
            return APIError(.notFound, "the route does not exist: \(asked)")
        }
        let allowed = methods.joined(separator: ", ")
        headers[.allow] = allowed
        return APIError(.methodNotAllowed, "the method is not allowed: \(asked); use \(allowed)")
    }

    private func refusal(_ error: any Error, _ context: GatewayContext) -> APIError {
        if let refusal = error as? APIError { return refusal }
        if let error = error as? StoreError { return APIError(error) }
        context.logger.error("request failed unexpectedly", metadata: ["error": "\(type(of: error))"])
        return .unexpected
    }

    /// True if the client waits to be asked for its upload. The upload of any other client is read to its end, so that
    /// the client can read why it was refused.
    private func holdsBackBody(_ request: Request, _ context: GatewayContext) async -> Bool {
        guard context.endpoint?.body == .upload, request.headers[.expect] != nil else { return false }
        return await !context.hasWholeBody()
    }
}
