import Delivery
import FCM
import HTTP2Core
import PushClient
import Testing
import TimeCore

@Suite("FCM's dialect") struct FCMDialectTests {
    private let dialect = FCMDialect(projectID: "example.com:my-project")

    private func details(_ body: String, retryAfter: UInt32? = nil) -> HTTP2AnswerDetails {
        var details = HTTP2AnswerDetails()
        details.body = Array(body.utf8)
        details.retryAfter = retryAfter
        return details
    }

    private static func error(_ status: String, code: String? = nil) -> String {
        let details = code.map { #","details":[{"@type":"t","errorCode":"\#($0)"}]"# } ?? ""
        return #"{"error":{"code":1,"status":"\#(status)"\#(details)}}"#
    }

    @Test(
        "An answer is a verdict, a wait, and what the client has to do",
        arguments: [
            (404, error("NOT_FOUND", code: "UNREGISTERED"), "UNREGISTERED", .addressDead, nil, []),
            (404, error("NOT_FOUND"), "NOT_FOUND", .requestRefused, nil, []),
            (
                403, error("PERMISSION_DENIED", code: "SENDER_ID_MISMATCH"), "SENDER_ID_MISMATCH", .addressRefused, nil,
                []
            ),
            (403, error("PERMISSION_DENIED"), "PERMISSION_DENIED", .again, nil, []),
            (401, error("UNAUTHENTICATED"), "UNAUTHENTICATED", .again, nil, .renewAuthorization),
            (
                401, error("UNAUTHENTICATED", code: "THIRD_PARTY_AUTH_ERROR"), "THIRD_PARTY_AUTH_ERROR",
                .requestRefused, nil, []
            ),
            (429, error("RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED"), "QUOTA_EXCEEDED", .later, 60, []),
            (500, error("INTERNAL"), "INTERNAL", .later, 10, []),
            (502, "<html>bad gateway</html>", "UNAVAILABLE", .later, 10, []),
            (421, "", "", .again, nil, .leaveConnection),
        ] as [(UInt16, String, String, Classification.Verdict, UInt32?, AnswerReaction)])
    func rows(
        status: UInt16, body: String, reason: String, verdict: Classification.Verdict, wait: UInt32?,
        reaction: AnswerReaction
    ) {
        let (rejection, found) = dialect.rejection(status: status, details(body))
        #expect(rejection.reason == reason && rejection.status == status)
        #expect(rejection.classification.verdict == verdict && rejection.retryAfter == wait)
        #expect(found == reaction)
    }

    @Test(
        "What FCM asks to wait is waited, and a reason far behind is found: more of a body is kept than a thousand bytes"
    )
    func far() {
        let (rejection, _) = dialect.rejection(status: 503, details("", retryAfter: 120))
        #expect(rejection.retryAfter == 120)
        #expect(dialect.answerLimits.keptBody >= 8_192)
    }

    @Test("Each reason once, and those about addresses among them")
    func reasons() {
        #expect(Set(dialect.reasons).count == dialect.reasons.count)
    }

    @Test("It takes what is its own alone")
    func foreign() {
        final class Other: RenderedPush, @unchecked Sendable {
            let event = PushEvent.update
            var notAfter: MonotonicTime?
        }
        let authorization = AuthorizationValue(epoch: 1, "Bearer x")
        #expect(dialect.request(Other(), authorization: authorization, authority: "a") == nil)
        #expect(dialect.request(ProbePush.fcm.push, authorization: authorization, authority: "a") != nil)
    }
}
