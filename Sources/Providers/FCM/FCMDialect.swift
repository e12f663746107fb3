public import Delivery
import FCMCore
public import HTTP2Core
public import PushClient

/// The requests and answers of FCM over HTTP/2 (Google: "REST resource: projects.messages", "REST error codes for the
/// HTTP v1 API"). An address is a registration token in its JSON form: escaped, without quotes.
public struct FCMDialect: PushDialect {
    private let path: [UInt8]

    /// - Parameter projectID: The Firebase project, valid as in `ServiceAccount`.
    public init(projectID: String) {
        path = Array("/v1/projects/\(projectID)/messages:send".utf8)
    }

    /// FCM's error codes, and `INVALID_REGISTRATION`, for which FCM has no code of its own.
    public var reasons: [String] { FCMReason.known.map(\.name) }

    /// Google documents no maximum; observed tokens have about 150 bytes.
    public var longestToken: Int { HTTP2RequestTemplate.tokenLimit }

    /// Google's errors have details, of which a reason may be the last.
    public var answerLimits: HTTP2Limits { HTTP2Limits(keptBody: 8_192, body: 32_768) }

    /// A POST to the project's path with the token in its body. Nil if `push` is not an `FCMPush`.
    public func request(
        _ push: any RenderedPush, authorization: AuthorizationValue, authority: String
    ) -> HTTP2RequestTemplate? {
        guard let message = (push as? FCMPush)?.message else { return nil }
        return try? HTTP2RequestTemplate(
            fields: [
                .constant(name: ":method", value: Array("POST".utf8)),
                .constant(name: ":scheme", value: Array("https".utf8)),
                .constant(name: ":authority", value: Array(authority.utf8)),
                .path(prefix: path),
                .secret(name: "authorization", value: Array(authorization.bytes)),
                .constant(name: "content-type", value: Array("application/json".utf8)),
            ],
            hole: .body(at: message.tokenOffset, .verbatim), body: HTTP2RequestBody(message.body))
    }

    /// Interprets an answer's status and body. An unreadable body counts as empty.
    public func rejection(status: UInt16, _ details: HTTP2AnswerDetails) -> (Rejection, AnswerReaction) {
        let answer = FCMAnswer(status: status, body: FCMErrorBody(details.body), retryAfter: details.retryAfter)
        var reaction: AnswerReaction = []
        if answer.wantsNewAccessToken { reaction.insert(.renewAuthorization) }
        if answer.endsConnection { reaction.insert(.leaveConnection) }
        return (answer.rejection, reaction)
    }
}
