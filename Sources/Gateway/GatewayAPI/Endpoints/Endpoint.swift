import HTTPTypes
import Hummingbird
import LiveActivity

/// A row of the table of endpoints.
///
/// The credential, the body and similar properties are derived from the handler, so they cannot disagree with it.
public struct Endpoint: Sendable {
    /// The kind of key that an endpoint requires.
    public enum Credential: Sendable {
        /// `X-Api-Key` or a bearer token, for marketing systems. Their requests are counted, and limited by
        /// `rate_limit.requests_per_minute`.
        case apiKey
        /// `X-Sdk-Key` or a bearer token, for apps. Their requests are limited for each device and user, see
        /// `TenantLimits`.
        case sdkKey
        /// No key.
        case none
    }

    /// The body that an endpoint reads.
    public enum Body: Sendable {
        /// A JSON object of at most `http.max_body_bytes`, within `http.body_timeout`.
        case json
        /// A list of any length. It may take any time while the client keeps sending.
        case upload
        /// No body.
        case none
    }

    /// The method in upper case. HEAD also matches GET.
    public let method: HTTPRequest.Method
    /// The path, with parameters in braces: `/api/v1/live-activity/broadcasts/{broadcast_id}`. A parameter whose name
    /// ends in `_id` is a UUID, except `insider_id`.
    public let path: String
    let handler: Handler
    /// True if one answer reads much. The number of these in progress is limited, and tenants share it.
    public let isListing: Bool
    /// True if it changes many users. The number of these in progress is limited, and tenants share it.
    public let isBulkChange: Bool
    /// True if a request with a short body is so little work that it may run on the event loop.
    let isBrief: Bool
    /// True if a device's request is refused below the tier that includes Live Activities. All customers' requests are.
    public let needsTier: Bool
    /// The fields of a customer's request in its body, `options` and query.
    public let fields: KnownFields
    /// Returns the refusal that precedes all faults of a command's body; nil if there is none.
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

    /// True if the endpoint changes data. It is then refused while the gateway stops.
    public var isChange: Bool {
        switch handler {
        case .action, .command, .upload, .device, .report: true
        case .query, .stream, .deviceQuery, .open: false
        }
    }

    /// True if a repetition with the same `Idempotency-Key` gets the first request's answer.
    public var isRepeatable: Bool {
        switch handler {
        case .command(_, .some), .action(_, .some), .upload(_, isRepeatable: true), .device(_, isRepeatable: true): true
        default: false
        }
    }

    /// The scope of an `Idempotency-Key`, besides the tenant. It is part of names in the store, so it must not change
    /// between versions. Paths of Live Activities lose their common prefix: `/register`, `ies/restart`.
    var idempotencyScope: String {
        let prefix = "/api/v1/live-activity"
        return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
    }
}

extension Endpoint {
    /// The kind of answer of an endpoint.
    enum Handler: Sendable {
        /// A customer's read.
        case query(@Sendable (CustomerRequest) async throws -> Reply)
        /// A customer's change that needs no body. `joining`: see `command`.
        case action(
            @Sendable (CustomerRequest) async throws -> Reply,
            joining: (@Sendable (CustomerRequest) async throws -> Reply?)? = nil)
        /// A customer's change with a JSON object.
        ///
        /// `joining` finds the work that the first request with the same `Idempotency-Key` began, by their common id,
        /// and answers with it. Pass `nothing` if the handler itself continues that work. Nil: the key is ignored.
        case command(
            @Sendable (CustomerRequest, JSONValue) async throws -> Reply,
            joining: (@Sendable (CustomerRequest) async throws -> Reply?)? = nil)
        /// A customer's change with a list, which the handler reads. The handler evaluates the key if it
        /// `isRepeatable`.
        case upload(@Sendable (CustomerRequest) async throws -> Reply, isRepeatable: Bool = false)
        /// A customer's read whose answer is a stream.
        case stream(@Sendable (CustomerRequest) async throws -> Response)
        /// An occasional report of a device. `isRepeatable`: see `upload`.
        case device(@Sendable (DeviceRequest) async throws -> Reply, isRepeatable: Bool = false)
        /// A device's read, with its parameters in the query.
        case deviceQuery(@Sendable (DeviceQuery) async throws -> Reply)
        /// A report that all devices send at about the same time. The reader parses the body; `ReportHandler` answers.
        case report(ReportReader)
        /// A request without a key.
        case open(@Sendable (Request) async throws -> Response)

        /// The `joining` of a handler that continues earlier work by itself.
        static let nothing: @Sendable (CustomerRequest) async throws -> Reply? = { _ in nil }
    }
}
