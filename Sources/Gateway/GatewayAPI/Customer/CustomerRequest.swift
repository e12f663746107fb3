import GatewayStore
import HTTPTypes
import Hummingbird
import LiveActivity
import TimeCore

/// A customer's request that passed the checks of admission.
struct CustomerRequest: Sendable {
    let tenantID: String
    let http: Request
    let context: GatewayContext
    /// The claimant whose shares of the gateway's resources it uses.
    let claimant: Claimant
    var limits = TenantLimits.standard
    /// The id of the broadcast or other object that the request creates. A repetition with the same `Idempotency-Key`
    /// has the same id.
    var broadcastID = UniqueID.random()
    /// The latest time at which a gateway can have received the request. With an `Idempotency-Key` it is that of the
    /// first request.
    var arrived: WallTime
    /// True if it has an `Idempotency-Key`, and so may be a repetition.
    var isRepetition = false
    /// The key of an upload.
    var givenKey: GivenKey?

    /// The `X-Request-Id`.
    var requestID: String { context.requestID }

    var query: Parameters { http.uri.queryParameters }

    /// Returns an id in the path; nil if the text is not a valid id.
    func id(_ name: String) -> UniqueID? {
        context.pathParameters[name].flatMap { UniqueID($0) }
    }

    /// Returns a name in the path without its escapes; nil if they are invalid.
    func name(_ name: String) -> String? {
        context.pathParameters[name].flatMap { PathParameter.unescaped($0) }
    }

    /// The caller of a broadcast.
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

    /// True if `respond-async` is among the preferences (RFC 7240, section 4.1).
    var prefersAsync: Bool {
        http.headers[values: .prefer].contains { value in
            value.split(separator: ",").contains { preference in
                let name = preference.split(separator: ";").first ?? ""
                return name.filter { $0 != " " && $0 != "\t" }.lowercased() == "respond-async"
            }
        }
    }
}

/// The sender of a broadcast, with the request's properties.
struct BroadcastCaller: Sendable {
    let tenantID: String
    /// The `X-Request-Id`.
    let requestID: String
    /// The id that the broadcast gets.
    let broadcastID: UniqueID
    /// True if it may have been recorded before under that id.
    var isRepetition = false
    /// The time at which a gateway received the request.
    let arrived: WallTime
    /// True once the caller sends no more.
    var isGone: @Sendable () -> Bool = { false }
    /// True if the caller does not wait for its end.
    var prefersAsync = false
}
