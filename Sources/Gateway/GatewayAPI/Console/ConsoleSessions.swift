import Encodings
import GatewayStore
import Hummingbird
import LiveActivity
import Logging
import Secrets
import TimeCore

/// Begins, describes and ends sessions of the console.
struct ConsoleSessions: Sendable {
    let tenants: StoredTenants
    let operators: StoredOperators
    let sessions: StoredSessions
    let reader: BodyReader
    let settings: APISettings
    let clock: @Sendable () -> WallTime
    let audit: any AuditSink

    /// The maximum length of the body, in bytes. No key needs more.
    private static let longestSignIn = 4096

    /// Accepts an operator's key, or a tenant's API key. The browser's previous sessions end.
    /// - Parameter isEncrypted: True if the browser uses TLS.
    func signIn(_ request: Request, _ context: GatewayContext, isEncrypted: Bool) async throws -> Reply {
        let body = try await reader.read(request, context, for: .stranger, atMost: ConsoleSessions.longestSignIn).root
        try KnownFields(body: ["key"]).check(body)
        guard let key = try body.text("key"), Gatekeeper.isSane(key) else {
            throw APIError.invalid("key", "an operator's key or a tenant's API key")
        }
        guard let identity = try await identity(of: key) else {
            let address = context.clientAddress?.description ?? "unknown"
            context.logger.notice("console sign-in refused", metadata: ["address": .string(address)])
            throw APIError(
                .unauthorized,
                Secret.kind(of: key) == .sdkKey
                    ? "key is an SDK key: sign in with the tenant's API key or an operator's key"
                    : "the key is unknown or revoked")
        }
        let cookie = ConsoleCookie(authority: request.head.authority)
        for secret in cookie.secrets(in: request.headers) { try await sessions.end(secret) }
        let given = try await sessions.begin(identity, keyHash: Secret.hexHash(key))
        note(given.session, context)
        var reply = try await describe(given.session, token: given.token)
        reply.headers[.setCookie] = cookie.setting(
            given.secret, seconds: Int64(StoredSessions.life.nanoseconds / 1_000_000_000), isEncrypted: isEncrypted)
        return reply
    }

    /// Describes the session.
    /// - Parameter token: The page's token, which only the sign-in returns.
    func describe(_ session: ConsoleSession, token: String? = nil) async throws -> Reply {
        let (role, name, tenantID): (String, String?, String?)
        switch session.identity {
        case .operatorNamed(let who): (role, name, tenantID) = ("operator", who, nil)
        case .tenant(let id):
            guard try await tenants.admit(hash: session.keyHash, kind: .api, limit: 0) != nil else {
                throw APIError(.unauthorized, "the key of this session is revoked; sign in with another key")
            }
            (role, name, tenantID) = ("tenant", try await tenants.tenant(id)?.tenant.name, id)
        }
        var reply = Reply.success {
            $0.field("role", role)
            $0.field("name", name)
            $0.field("tenant_id", tenantID)
            $0.field("token", token)
            $0.field("ends_at", session.endsAt.rfc3339)
        }
        reply.isSecret = true
        return reply
    }

    func signOut(_ secret: String, _ request: Request) async throws -> Reply {
        try await sessions.end(secret)
        var reply = Reply.success()
        reply.headers[.setCookie] = ConsoleCookie(authority: request.head.authority).removal
        return reply
    }

    private func identity(of key: String) async throws -> ConsoleSession.Identity? {
        if let owner = try await operators.owner(ofKey: key) { return .operatorNamed(owner.name) }
        // Each sign-in counts against the key's rate, or one key could fill the store with sessions.
        guard
            let admission = try await tenants.admit(
                key: key, kind: .api, limit: settings.requestsPerMinute, window: settings.rateWindow)
        else { return nil }
        guard admission.rate.isAllowed else {
            throw APIError(
                .rateLimited, "the key has reached its limit of requests a minute; wait and try again", retryAfter: 1)
        }
        return .tenant(admission.tenantID)
    }

    private func note(_ session: ConsoleSession, _ context: GatewayContext) {
        let (actor, tenantID): (AuditRecord.Actor, String?) =
            switch session.identity {
            case .operatorNamed(let name): (.operatorNamed(name), nil)
            case .tenant(let id): (.apiKey(String(session.keyHash.prefix(8))), id)
            }
        var record = AuditRecord(
            time: clock(), tenantID: tenantID, actor: actor, action: "POST /console/session", status: 200)
        record.address = context.clientAddress?.description
        record.requestID = context.requestID
        audit.record(record)
    }
}
