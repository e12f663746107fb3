import APNsCore
public import Delivery
public import HTTP2Core
public import PushClient

/// The requests and answers of APNs over HTTP/2 (Apple: "Sending notification requests to APNs", "Handling notification
/// responses from APNs").
public struct APNsDialect: PushDialect {
    /// The constant fields, and the names of other fields.
    private static let method = HTTP2RequestTemplate.Field.constant(name: ":method", value: Array("POST".utf8))
    private static let scheme = HTTP2RequestTemplate.Field.constant(name: ":scheme", value: Array("https".utf8))
    private static let device = HTTP2RequestTemplate.Field.path(prefix: Array("/3/device/".utf8))
    private static let authority: HTTP2RequestTemplate.FieldName = ":authority"
    private static let authorization: HTTP2RequestTemplate.FieldName = "authorization"
    private static let identifier: HTTP2RequestTemplate.FieldName = "apns-id"
    private static let requestIdentifier: HTTP2RequestTemplate.FieldName = "apns-request-id"
    /// The names by raw value of `PushTemplate.Name`.
    private static let names = PushTemplate.Name.allCases.map { HTTP2RequestTemplate.FieldName($0.text) }

    public init() {}

    /// The reasons that Apple documents, in Apple's spelling.
    public var reasons: [String] { RejectionReason.known.map(\.name) }

    /// Apple documents no maximum. Longer tokens are neither accepted from devices nor stored.
    public var longestToken: Int { 200 }

    /// A POST to `/3/device/TOKEN` with the token in hex, or to `/4/broadcasts/apps/BUNDLE` with the channel in a
    /// field. Nil if `push` is not a `PushTemplate`, or destination and channel do not match. Also nil if its fields
    /// exceed `HTTP2RequestTemplate.fieldBytesLimit`.
    public func request(
        _ push: any RenderedPush, authorization: AuthorizationValue, authority: String
    ) -> HTTP2RequestTemplate? {
        guard let push = push as? PushTemplate else { return nil }
        let isDevice = push.destination.isDevice
        guard isDevice == (push.headers.channel == nil) else { return nil }
        // The topic of a channel's push is only the bundle identifier.
        let path =
            isDevice ? APNsDialect.device : .path(prefix: Array("/4/broadcasts/apps/\(push.headers.topic)".utf8))
        var fields: [HTTP2RequestTemplate.Field] = []
        fields.reserveCapacity(push.fields.count + 6)
        fields += [
            APNsDialect.method, APNsDialect.scheme,
            .constant(name: APNsDialect.authority, value: Array(authority.utf8)), path,
            .secret(name: APNsDialect.authorization, value: Array(authorization.bytes)),
        ]
        for field in push.fields {
            fields.append(.constant(name: APNsDialect.names[field.name.rawValue], value: Array(field.value)))
        }
        fields.append(
            .numbered(
                name: isDevice ? APNsDialect.identifier : APNsDialect.requestIdentifier,
                prefix: Array(push.identifierPrefix)))
        return try? HTTP2RequestTemplate(
            fields: fields, hole: isDevice ? .path(.hexadecimal) : .none, body: HTTP2RequestBody(push.body))
    }

    /// Interprets an answer's status and JSON body. An unreadable body counts as one without a reason. Credential
    /// errors and `Shutdown` require a reaction besides the push's outcome; see `AnswerReaction`.
    public func rejection(status: UInt16, _ details: HTTP2AnswerDetails) -> (Rejection, AnswerReaction) {
        let body = RejectionBody(details.body)
        let reason = body.reason.map(RejectionReason.init(name:)) ?? .missing
        let rejection = Rejection(
            status: status, reason: reason, unregisteredSince: body.timestamp, retryAfter: details.retryAfter)
        return (rejection, reaction(reason, status))
    }

    private func reaction(_ reason: RejectionReason, _ status: UInt16) -> AnswerReaction {
        switch reason.disposition(status: status) {
        case .renewProviderToken: .renewAuthorization
        case .keepProviderTokenAndWait: .keepAuthorization
        case .newConnectionAndRetry: .leaveConnection
        default: reason == .shutdown ? .leaveConnection : []
        }
    }
}
