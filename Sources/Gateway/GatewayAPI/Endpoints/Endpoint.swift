import HTTPTypes
import Hummingbird
import LiveActivity

/// One thing that a gateway can be asked for: a row of the table of endpoints.
///
/// What a row says of itself follows from its handler, so the two cannot disagree.
public struct Endpoint: Sendable {
    /// Whose key opens an endpoint.
    public enum Credential: Sendable {
        /// `X-Api-Key`, or a bearer's: marketing systems. Their requests are counted, and limited by
        /// `rate_limit.requests_per_minute`.
        case apiKey
        /// `X-Sdk-Key`, or a bearer's: apps. Their requests are limited for each device and user, see `TenantLimits`.
        case sdkKey
        /// Anyone may ask.
        case none
    }

    /// What body an endpoint reads.
    public enum Body: Sendable {
        /// A JSON object of at most `http.max_body_bytes`, within `http.body_timeout`.
        case json
        /// A list of any length that may take any time, as long as the client goes on sending.
        case upload
        /// None.
        case none
    }

    /// In upper case. A GET can be asked as HEAD as well.
    public let method: HTTPRequest.Method
    /// With parameters in braces: `/api/v1/live-activity/broadcasts/{broadcast_id}`. A parameter whose name ends in
    /// `_id` is a UUID, but for `insider_id`.
    public let path: String
    let handler: Handler
    /// Whether it reads much for one answer. A gateway reads so many of these at once, and its tenants share them.
    public let isListing: Bool
    /// Whether it changes what is known of many users. A gateway carries so many of these out at once, and its tenants
    /// share them.
    public let isBulkChange: Bool
    /// Whether a request with a short body takes so little work that it keeps nobody waiting who shares its event loop.
    let isBrief: Bool
    /// Whether a device's request is refused below the tier that live activities are part of. Customers' requests all
    /// are.
    public let needsTier: Bool
    /// What a customer's request may have in its body, `options` and query.
    public let fields: KnownFields
    /// The refusal that stands above all faults of a command's body; it returns nil where there is none.
    let foremost: (@Sendable (CustomerRequest, JSONValue) async throws -> APIError?)?

    init(
        _ method: HTTPRequest.Method, _ path: String, _ handler: Handler, _ fields: KnownFields = KnownFields(),
        isListing: Bool = false, isBulkChange: Bool = false, isBrief: Bool = false,
        needsTier: Bool = false,
        foremost: (@Sendable (CustomerRequest, JSONValue) async throws -> APIError?)? = nil
    ) {
        self.foremost = foremost
        self.needsTier = needsTier
        self.fields = fields
        self.method = method
        self.path = path
        self.handler = handler
        self.isListing = isListing
        self.isBulkChange = isBulkChange
        self.isBrief = isBrief
    }

    /// The key that a request needs.
    public var credential: Credential {
        switch handler {
        case .query, .action, .command, .upload, .stream: .apiKey
        case .device, .deviceQuery, .report: .sdkKey
        case .open: .none
        }
    }

    /// The body that a request brings.
    public var body: Body {
        switch handler {
        case .command, .device, .report: .json
        case .upload: .upload
        case .query, .action, .stream, .deviceQuery, .open: .none
        }
    }

    /// Whether the endpoint changes something, and so is refused while the gateway stops.
    public var isChange: Bool {
        switch handler {
        case .action, .command, .upload, .device, .report: true
        case .query, .stream, .deviceQuery, .open: false
        }
    }

    /// Whether a repetition with the same `Idempotency-Key` gets the first request's answer.
    public var isRepeatable: Bool {
        switch handler {
        case .command(_, .some), .action(_, .some), .upload(_, isRepeatable: true), .device(_, isRepeatable: true): true
        default: false
        }
    }

    /// What uses of an `Idempotency-Key` are told apart by, besides tenant and key. It is part of names in the store,
    /// which outlive a version of the gateway: paths of live activities are cut to what differs.
    var idempotencyScope: String {
        let prefix = "/api/v1/live-activity"
        return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
    }
}

extension Endpoint {
    /// How an endpoint is answered.
    enum Handler: Sendable {
        /// A customer's question.
        case query(@Sendable (CustomerRequest) async throws -> Reply)
        /// A customer's change that needs no body. `joining`: see `command`.
        case action(
            @Sendable (CustomerRequest) async throws -> Reply,
            joining: (@Sendable (CustomerRequest) async throws -> Reply?)? = nil)
        /// A customer's change with a JSON object.
        ///
        /// `joining` finds what the first request with the same `Idempotency-Key` has begun, by the id that both have,
        /// and answers with it; `nothing` where the handler itself goes on with what it finds. Nil: the key is not
        /// looked at.
        case command(
            @Sendable (CustomerRequest, JSONValue) async throws -> Reply,
            joining: (@Sendable (CustomerRequest) async throws -> Reply?)? = nil)
        /// A customer's change with a list, which the handler reads. Where it `isRepeatable` the handler looks at the
        /// key.
        case upload(@Sendable (CustomerRequest) async throws -> Reply, isRepeatable: Bool = false)
        /// A customer's question whose answer goes on for a while.
        case stream(@Sendable (CustomerRequest) async throws -> Response)
        /// What a device says now and then. `isRepeatable`: see `upload`.
        case device(@Sendable (DeviceRequest) async throws -> Reply, isRepeatable: Bool = false)
        /// What a device asks now and then, in the query of its request.
        case deviceQuery(@Sendable (DeviceQuery) async throws -> Reply)
        /// What all devices report at about the same time. The handler reads what the body reports; `ReportHandler`
        /// answers.
        case report(ReportReader)
        /// What anyone may ask.
        case open(@Sendable (Request) async throws -> Response)

        /// What joins nothing.
        static let nothing: @Sendable (CustomerRequest) async throws -> Reply? = { _ in nil }
    }
}
