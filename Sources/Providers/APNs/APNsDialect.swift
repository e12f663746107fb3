import APNsCore
public import Delivery
public import HTTP2Core
public import PushClient

/// How APNs is spoken to over HTTP/2, and what it answers (Apple: "Sending notification requests to APNs", "Handling
/// notification responses from APNs").
public struct APNsDialect: PushDialect {
    /// The fields that all pushes have, and the names of those that some have.
    private static let method = HTTP2RequestTemplate.Field.constant(name: ":method", value: Array("POST".utf8))
    private static let scheme = HTTP2RequestTemplate.Field.constant(name: ":scheme", value: Array("https".utf8))
    private static let device = HTTP2RequestTemplate.Field.path(prefix: Array("/3/device/".utf8))
    private static let authority: HTTP2RequestTemplate.FieldName = ":authority"
    private static let authorization: HTTP2RequestTemplate.FieldName = "authorization"
    private static let identifier: HTTP2RequestTemplate.FieldName = "apns-id"
    private static let requestIdentifier: HTTP2RequestTemplate.FieldName = "apns-request-id"
    /// By the raw value of the field's name.
    private static let names = PushTemplate.Name.allCases.map { HTTP2RequestTemplate.FieldName($0.text) }

    public init() {}

    /// The reasons that Apple documents, in Apple's spelling.
    public var reasons: [String] { RejectionReason.known.map(\.name) }

    /// Apple gives no length; no longer token is taken from a device or kept.
    public var longestToken: Int { 200 }

    /// A POST to `/3/device/TOKEN`, with the token in hex, or to `/4/broadcasts/apps/BUNDLE` with the channel in a
    /// field of its own. Nil when `push` is no `PushTemplate`, when it goes to a channel and names none, or when its
    /// fields exceed `HTTP2RequestTemplate.fieldBytesLimit`.
    public func request(
        _ push: any RenderedPush, authorization: AuthorizationValue, authority: String
    ) -> HTTP2RequestTemplate? {
        guard let push = push as? PushTemplate else { return nil }
        let isDevice = push.destination.isDevice
        guard isDevice == (push.headers.channel == nil) else { return nil }
        // Of a channel's push the topic is the bundle identifier alone.
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

    /// What the JSON body of an answer means together with its status. A body that cannot be read counts as one without
    /// a reason. Credential trouble and `Shutdown` ask for something beyond the push; see `AnswerReaction`.
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
