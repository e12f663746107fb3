import Encodings
import GatewayStore
import HTTPTypes
import Hummingbird
import LiveActivity
import TimeCore

/// The operators' requests at the console, about the gateway and its tenants.
struct OperatorAPI: Sendable {
    let tenants: StoredTenants
    let store: any StoreProbe
    let gateway: ConsoleGateway
    let reader: BodyReader
    let clock: @Sendable () -> WallTime
    let audit: any AuditSink

    /// True for a path behind `/console/operator/` that shows the gateway and needs no store.
    static func looksAtGateway(_ path: String) -> Bool { path == "health" || path == "metrics" }

    /// The longest body of an operator's request, in bytes.
    private static let longestBody = 65_536

    /// Reads the JSON body of an operator's request.
    func body(_ call: OperatorCall) async throws -> JSONValue {
        try await reader.read(
            call.request, call.context, for: .operators, atMost: OperatorAPI.longestBody
        ).root
    }

    /// Makes a change and records it, even after an error: the store may have applied a change that it did not confirm.
    func noting(
        _ call: OperatorCall, _ action: String, tenantID: String? = nil,
        _ change: (inout OperatorNote) async throws -> Reply
    ) async throws -> Reply {
        var note = OperatorNote(tenantID: tenantID)
        do {
            let reply = try await change(&note)
            record(call, action, note, nil)
            return reply
        } catch {
            record(call, action, note, APIError(anyOf: error))
            throw error
        }
    }

    /// - Parameters:
    ///   - path: The path behind `/console/operator/`.
    ///   - name: The operator's name.
    func answer(
        _ path: String, by name: String, _ request: Request, _ context: GatewayContext
    ) async throws -> Response {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let call = OperatorCall(name: name, request: request, context: context)
        switch (request.method, parts.first, parts.count) {
        case (.get, "health", 1), (.head, "health", 1): return await health().response
        case (.get, "metrics", 1), (.head, "metrics", 1):
            return await MetricsReply(page: gateway.metrics).response(to: request)
        case (.get, "tenants", 1), (.head, "tenants", 1): return try await list().response
        case (.post, "tenants", 1): return try await create(call).response
        case (.patch, "tenants", 2): return try await change(parts[1], call).response
        case (.post, "tenants", 3) where parts[2] == "rotate-key": return try await rotate(parts[1], call).response
        default:
            throw APIError(
                .notFound, "the route does not exist: \(request.method) /console/operator/\(path.prefix(200))")
        }
    }

    private func health() async -> Reply {
        var reasons = gateway.readiness.reasons
        do {
            try await store.ping()
        } catch {
            reasons.insert(ReadinessReason("store", error.explanation, isBlocking: true), at: 0)
        }
        return .success {
            $0.field("ready", !reasons.contains(where: \.isBlocking))
            $0.reasons("reasons", reasons.filter(\.isBlocking))
            $0.reasons("warnings", reasons.filter { !$0.isBlocking })
            $0.field("version", gateway.version)
            $0.field("commit", gateway.commit)
        }
    }

    private func record(_ call: OperatorCall, _ action: String, _ note: OperatorNote, _ error: APIError?) {
        var record = AuditRecord(
            time: clock(), tenantID: note.tenantID, actor: .operatorNamed(call.name), action: action,
            status: error.map { Int($0.code.status.code) } ?? 200)
        record.object = note.object
        record.code = error?.code.rawValue
        record.address = call.context.clientAddress?.description
        record.requestID = call.context.requestID
        audit.record(record)
    }
}

/// The fields of an audit record that a change fills in.
struct OperatorNote {
    var tenantID: String?
    var object: String?
}

/// An operator's request.
struct OperatorCall: Sendable {
    let name: String
    let request: Request
    let context: GatewayContext
}
