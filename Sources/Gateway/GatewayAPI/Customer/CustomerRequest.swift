import GatewayStore
import HTTPTypes
import Hummingbird
import LiveActivity
import TimeCore

/// A customer's request that has been let in.
struct CustomerRequest: Sendable {
    let tenantID: String
    let http: Request
    let context: GatewayContext
    /// Whose share of what the gateway has it uses up.
    let claimant: Claimant
    /// How much the tenant may use.
    var limits = TenantLimits.standard
    /// What comes of this request, such as a broadcast, is called so. A repetition with the same `Idempotency-Key` has
    /// the same.
    var broadcastID = UniqueID.random()
    /// The latest time at which a gateway can have received the request, or the first one with the same
    /// `Idempotency-Key`.
    var arrived: WallTime
    /// Whether it has an `Idempotency-Key`, and so may be a repetition.
    var isRepetition = false
    /// Of an upload.
    var givenKey: GivenKey?

    /// The `X-Request-Id`.
    var requestID: String { context.requestID }

    var query: Parameters { http.uri.queryParameters }

    /// An id in the path; nil when what stands there can be none.
    func id(_ name: String) -> UniqueID? {
        context.pathParameters[name].flatMap { UniqueID($0) }
    }

    /// A name in the path, as it was before it was escaped; nil when its escapes are wrong.
    func name(_ name: String) -> String? {
        context.pathParameters[name].flatMap { PathParameter.unescaped($0) }
    }

    /// Who asks, for a broadcast.
    var caller: BroadcastCaller {
        BroadcastCaller(
            tenantID: tenantID, requestID: requestID, broadcastID: broadcastID, isRepetition: isRepetition,
            arrived: arrived, isGone: isCallerGone, prefersAsync: prefersAsync)
    }

    /// True once the caller sends no more: it has closed the connection, or its half of it.
    var isCallerGone: @Sendable () -> Bool {
        { [context] in context.isCallerGone }
    }

    func named(_ broadcastID: UniqueID, arrived: WallTime? = nil) -> CustomerRequest {
        var named = self
        named.broadcastID = broadcastID
        if let arrived { named.arrived = arrived }
        named.isRepetition = true
        return named
    }

    /// Whether `respond-async` is among the preferences (RFC 7240, section 4.1).
    var prefersAsync: Bool {
        http.headers[values: .prefer].contains { value in
            value.split(separator: ",").contains { preference in
                let name = preference.split(separator: ";").first ?? ""
                return name.filter { $0 != " " && $0 != "\t" }.lowercased() == "respond-async"
            }
        }
    }
}

/// Who asks for a broadcast, and how.
struct BroadcastCaller: Sendable {
    let tenantID: String
    /// The `X-Request-Id`.
    let requestID: String
    /// What the broadcast is called.
    let broadcastID: UniqueID
    /// Whether it may have been recorded before under that id.
    var isRepetition = false
    /// The time at which a gateway received the request.
    let arrived: WallTime
    /// True once the caller sends no more.
    var isGone: @Sendable () -> Bool = { false }
    /// Whether the caller does not wait for its end.
    var prefersAsync = false
}
