import Encodings
public import GatewayStore
import HTTPTypes
public import Hummingbird
import LiveActivity
import TimeCore

/// The console: its page, its sessions, the operators' requests, and the API of a tenant.
///
/// `GatewayRouter` answers requests for a tenant, with the session's identity in place of a key.
public struct ConsoleRouter: HTTPResponder {
    private let router: GatewayRouter
    private let sessions: ConsoleSessions
    private let operators: OperatorAPI
    private let files = ConsoleFiles()
    private let remembered = RememberedOperators()
    private let isEncrypted: Bool
    private let names: ConsoleNames
    /// The endpoints whose bodies may take any time, by their paths here.
    public let uploads: EndpointTable

    /// - Parameters:
    ///   - router: The router of the tenants' API.
    ///   - gateway: The gateway's own state.
    ///   - host: The name or address of the listener.
    ///   - isEncrypted: True if the listener uses TLS.
    public init(
        _ router: GatewayRouter, store: GatewayStore, settings: APISettings, shares: GatewayShares,
        gateway: ConsoleGateway, host: String, isEncrypted: Bool
    ) {
        self.router = router
        self.isEncrypted = isEncrypted
        names = ConsoleNames(host: host)
        uploads = EndpointTable(
            router.endpoints.endpoints.filter { $0.body == .upload }.map {
                Endpoint($0.method, "/console/tenants/{tenant}\($0.path)", $0.handler)
            })
        let reader = BodyReader(settings, shares)
        sessions = ConsoleSessions(
            tenants: store.tenants, operators: store.operators, sessions: store.sessions, reader: reader,
            settings: settings, clock: router.clock, audit: router.audit)
        operators = OperatorAPI(
            tenants: store.tenants, store: store, gateway: gateway, reader: reader, clock: router.clock,
            audit: router.audit)
    }

    /// Answers any request. Never throws.
    public func respond(to request: Request, context: GatewayContext) async throws -> Response {
        var context = context
        context.requestID = RequestID.of(request.headers)
        context.clientAddress = context.connection?.clientAddress(forwardedFor: request.headers[values: .forwardedFor])
        var response: Response
        do {
            // Runs off the event loop, which other connections wait for.
            response = try await withTaskExecutorPreference(globalConcurrentExecutor) { [context] in
                try await answer(request, context)
            }
        } catch {
            response = Reply(APIError(anyOf: error)).response
            // The client waits for 100 Continue and will not get it, so the next bytes may not be a request.
            if request.headers[.expect] != nil, await !context.hasWholeBody() {
                context.closeSoon()
                response.headers[.connection] = "close"
            }
        }
        response.headers[.requestID] = context.requestID
        ConsoleHeaders.add(to: &response.headers)
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answer(_ request: Request, _ context: GatewayContext) async throws -> Response {
        guard request.head.path.map(StreamSafeText.holds) != false,
            request.headers.allSatisfy({ StreamSafeText.holds($0.value) })
        else {
            throw APIError(.badRequest, "a field has more than \(StreamSafeText.longestRow) combining marks in a row")
        }
        guard names.contain(request.head.authority) else { return ConsoleNames.misdirected }
        guard let path = ConsolePath(request.uri.path) else {
            throw APIError(.notFound, "the path does not exist; the console is at /console/")
        }
        switch path {
        case .nearPage: return Response(status: .found, headers: [.location: "/console/"])
        case .page: return try files.answer(ConsoleFiles.page, request)
        case .asset(let name): return try files.answer(name, request)
        case .session: return try await session(request, context)
        case .operators(let rest):
            let session = try await signedIn(request, mayBeRemembered: OperatorAPI.looksAtGateway(rest)).session
            guard case .operatorNamed(let name) = session.identity else {
                throw APIError(.notFound, "this path requires an operator's key")
            }
            return try await operators.answer(rest, by: name, request, context)
        case .tenant(let id, let path):
            return try await pass(request, context, tenant: id, path: path)
        }
    }

    /// Signs in, describes the session, or signs out.
    private func session(_ request: Request, _ context: GatewayContext) async throws -> Response {
        switch request.method {
        case .get, .head:
            return try await sessions.describe(try await signedIn(request).session).response
        case .post:
            try ConsoleRouter.checkOrigin(request)
            let isEncrypted = isEncrypted || request.headers[.forwardedProto]?.lowercased() == "https"
            return try await sessions.signIn(request, context, isEncrypted: isEncrypted).response
        case .delete:
            let (_, secret) = try await signedIn(request)
            return try await sessions.signOut(secret, request).response
        default:
            var reply = Reply(APIError(.methodNotAllowed, "the method is not allowed; use DELETE, GET, HEAD or POST"))
            reply.headers[.allow] = "DELETE, GET, HEAD, POST"
            return reply.response
        }
    }

    /// Passes a request on to the API of a tenant.
    private func pass(
        _ request: Request, _ context: GatewayContext, tenant: String, path: String
    ) async throws -> Response {
        let (session, _) = try await signedIn(request)
        if let match = router.endpoints.match(request.method, path), match.endpoint.credential != .apiKey {
            throw APIError(.notFound, "the path does not exist; under it are only the routes of a tenant's API key")
        }
        var context = context
        switch session.identity {
        case .tenant(let own):
            guard own == tenant else { throw ConsoleRouter.noTenant }
            context.signedIn = .customer(keyHash: session.keyHash)
        case .operatorNamed(let name):
            guard let keyHash = try await sessions.tenants.apiKeyHash(ofTenant: tenant) else {
                throw ConsoleRouter.noTenant
            }
            context.signedIn = .operatorNamed(name, keyHash: keyHash)
        }
        var head = request.head
        head.path = path + (request.uri.query.map { "?\($0)" } ?? "")
        // Only the session authenticates the request.
        head.headerFields[.requestID] = context.requestID
        head.headerFields[.cookie] = nil
        head.headerFields[.apiKey] = nil
        head.headerFields[.sdkKey] = nil
        head.headerFields[.authorization] = nil
        return try await router.respond(to: Request(head: head, body: request.body), context: context)
    }

    /// Returns the session of a request. The cookie counts only with the page's token, for reads too.
    /// - Parameter mayBeRemembered: True if a recent operator's session counts while the store is unavailable.
    private func signedIn(
        _ request: Request, mayBeRemembered: Bool = false
    ) async throws -> (session: ConsoleSession, secret: String) {
        guard let token = request.headers[.consoleToken], Gatekeeper.isSane(token) else { throw ConsoleRouter.signIn }
        for secret in ConsoleCookie(authority: request.head.authority).secrets(in: request.headers) {
            let session: ConsoleSession?
            do {
                session = try await sessions.sessions.session(of: secret)
                remembered.note(session, of: secret, now: .now())
            } catch {
                guard mayBeRemembered, let known = remembered.session(of: secret, now: .now()) else { throw error }
                session = known
            }
            if let session, session.isToken(token) { return (session, secret) }
        }
        throw ConsoleRouter.signIn
    }

    private static var signIn: APIError {
        APIError(
            .unauthorized, "sign in: the session is missing or has ended, or X-Console-Token does not belong to it")
    }

    /// Refuses a sign-in from the page of another site.
    private static func checkOrigin(_ request: Request) throws {
        guard let site = request.headers[.fetchSite], site != "same-origin", site != "none" else { return }
        throw APIError(.unauthorized, "sign in on the console's own page")
    }

    private static var noTenant: APIError { APIError(.notFound, "the tenant does not exist") }
}
