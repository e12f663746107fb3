import APNs
import Delivery
import FCM
import HTTP2Core
import PushClient
import Testing
import TimeCore

@testable import BroadcastCore

/// The reaction to every reason of every provider, by event and destination.
@Suite("Fault matrix")
struct FaultMatrixTests {
    /// The reaction of a broadcast to an answer, or to a missing one.
    private enum Reaction: String {
        /// The address is dropped, unless it was reported after the provider's time.
        case drop
        /// The address is set aside until it is reported anew.
        case setAside = "set aside"
        /// Final. A share of these answers stops the broadcast.
        case refuse
        /// Sent again after the pause that the provider asks for.
        case later
        /// Sent again once the provider accepts the credential.
        case credential
        /// Sent again once the provider accepts the topic.
        case topic
        /// Sent again at once.
        case again
        /// Counted and not sent again, because it may have been delivered.
        case unknown
        /// Other gateways send it.
        case handOver = "hand over"
        /// Its content is stale.
        case expire
        /// Nothing can carry it.
        case unsendable

        init(_ outcome: PushOutcome, _ event: PushEvent) {
            switch OutcomeDecision.of(outcome, event: event) {
            case .accepted, .failed(_, isRejection: true): self = .refuse
            case .failed: self = .unsendable
            case .tokenRejected: self = .setAside
            case .tokenDead: self = .drop
            case .unknown: self = .unknown
            case .handOver: self = .handOver
            case .expired: self = .expire
            case .again:
                guard case .rejected(let rejection) = outcome else {
                    self = .again
                    return
                }
                switch (rejection.classification.verdict, rejection.classification.trouble) {
                case (.again, .credential): self = .credential
                case (.again, .topic): self = .topic
                case (.again, _): self = .again
                default: self = .later
                }
            }
        }
    }

    /// Reason, status, and the reaction to a push to a device. A channel reacts alike to these reasons.
    private static let apns: [(reason: String, status: UInt16, Reaction)] = [
        ("BadCollapseId", 400, .refuse), ("BadDeviceToken", 400, .setAside), ("BadExpirationDate", 400, .refuse),
        ("BadMessageId", 400, .refuse), ("BadPriority", 400, .refuse), ("BadTopic", 400, .topic),
        ("DeviceTokenNotForTopic", 400, .setAside), ("DuplicateHeaders", 400, .refuse), ("IdleTimeout", 400, .again),
        ("InvalidPushType", 400, .refuse), ("MissingDeviceToken", 400, .refuse), ("MissingTopic", 400, .refuse),
        ("PayloadEmpty", 400, .refuse), ("TopicDisallowed", 400, .topic), ("BadCertificate", 403, .credential),
        ("BadCertificateEnvironment", 403, .credential), ("ExpiredProviderToken", 403, .credential),
        ("Forbidden", 403, .credential), ("InvalidProviderToken", 403, .credential),
        ("MissingProviderToken", 403, .credential), ("UnrelatedKeyIdInToken", 403, .again),
        ("BadEnvironmentKeyIdInToken", 403, .credential), ("BadPath", 404, .refuse), ("MethodNotAllowed", 405, .refuse),
        ("ExpiredToken", 410, .drop), ("Unregistered", 410, .drop), ("PayloadTooLarge", 413, .refuse),
        ("TooManyProviderTokenUpdates", 429, .later), ("TooManyRequests", 429, .later),
        ("InternalServerError", 500, .later), ("ServiceUnavailable", 503, .later), ("Shutdown", 503, .later),
        ("FeatureNotEnabled", 400, .refuse), ("MissingChannelId", 400, .refuse), ("BadChannelId", 400, .refuse),
        ("ChannelNotRegistered", 404, .refuse), ("CannotCreateChannelConfig", 400, .refuse),
        ("TopicMismatch", 400, .refuse),
        // The status decides on unknown reasons.
        ("NewReason", 400, .refuse), ("NewReason", 403, .credential), ("NewReason", 404, .refuse),
        ("NewReason", 410, .drop), ("NewReason", 413, .refuse), ("NewReason", 429, .later), ("NewReason", 500, .later),
        ("NewReason", 503, .later), ("", 400, .refuse), ("", 500, .later),
    ]

    private static let fcm: [(reason: String, status: UInt16, Reaction)] = [
        ("UNREGISTERED", 404, .drop), ("SENDER_ID_MISMATCH", 403, .setAside), ("INVALID_REGISTRATION", 400, .setAside),
        ("INVALID_ARGUMENT", 400, .refuse), ("THIRD_PARTY_AUTH_ERROR", 401, .refuse), ("QUOTA_EXCEEDED", 429, .later),
        ("UNAVAILABLE", 503, .later), ("INTERNAL", 500, .later), ("PERMISSION_DENIED", 403, .credential),
        ("UNAUTHENTICATED", 401, .credential), ("NOT_FOUND", 404, .refuse), ("", 400, .refuse), ("", 401, .credential),
        ("", 403, .credential), ("", 404, .refuse), ("", 429, .later), ("", 500, .later), ("", 502, .later),
        ("", 503, .later),
    ]

    /// No answer: whether the provider may have seen the push, and the reactions for a start and for other events.
    private static let none: [(cause: UnsentCause, mayHaveBeenDelivered: Bool, start: Reaction, other: Reaction)] = [
        (.timedOut, true, .unknown, .again), (.connectionLost("x"), true, .unknown, .again),
        (.streamReset(8), true, .unknown, .again), (.connectionLost("x"), false, .again, .again),
        (.noConnection("x"), false, .again, .again), (.noCapacity, false, .again, .again),
        (.refusedTooOften, false, .again, .again), (.shutDown, false, .handOver, .handOver),
        (.shutDown, true, .unknown, .handOver), (.expired, false, .expire, .expire),
        (.unsendable, false, .unsendable, .unsendable),
    ]

    private func answer(_ reason: String) -> HTTP2AnswerDetails {
        var details = HTTP2AnswerDetails()
        if !reason.isEmpty { details.body = Array(#"{"reason":"\#(reason)","timestamp":1700000000000}"#.utf8) }
        return details
    }

    private func googleAnswer(_ reason: String) -> HTTP2AnswerDetails {
        var details = HTTP2AnswerDetails()
        let type = "type.googleapis.com/google."
        let rest =
            switch reason {
            case "": ""
            case "INVALID_REGISTRATION":
                #""details":[{"@type":"\#(type)rpc.BadRequest","fieldViolations":[{"field":"message.token"}]}],"#
                    + #""status":"INVALID_ARGUMENT""#
            default:
                #""status":"ABORTED","details":[{"@type":"\#(type)firebase.fcm.v1.FcmError","errorCode":"\#(reason)"}]"#
            }
        details.body = reason.isEmpty ? [] : Array(#"{"error":{"code":1,"message":"m",\#(rest)}}"#.utf8)
        return details
    }

    @Test("Every reason of APNs has its reaction, whatever the push does, and whether it goes to a device or a channel")
    func reasonsOfAPNs() {
        let dialect = APNsDialect()
        #expect(Set(dialect.reasons).subtracting(Self.apns.map(\.reason)).isEmpty)
        for (reason, status, expected) in Self.apns {
            let (rejection, _) = dialect.rejection(status: status, answer(reason))
            for event in [PushEvent.start, .update, .end] {
                #expect(Reaction(.rejected(rejection), event) == expected, "\(reason) \(status) \(event)")
            }
            #expect((rejection.deadSince == nil) == reason.isEmpty)
        }
    }

    @Test("Every reason of FCM has its reaction, whatever the message does")
    func reasonsOfFCM() {
        let dialect = FCMDialect(projectID: "project-1")
        #expect(Set(dialect.reasons).subtracting(Self.fcm.map(\.reason)).isEmpty)
        for (reason, status, expected) in Self.fcm {
            let (rejection, _) = dialect.rejection(status: status, googleAnswer(reason))
            for event in [PushEvent.start, .update, .end] {
                #expect(Reaction(.rejected(rejection), event) == expected, "\(reason) \(status) \(event)")
            }
        }
    }

    @Test("Without an answer a start that may have come is not sent again; an update or end is")
    func noAnswer() {
        for (cause, mayHaveBeenDelivered, start, other) in Self.none {
            let outcome = PushOutcome.unsent(cause, mayHaveBeenDelivered: mayHaveBeenDelivered)
            #expect(Reaction(outcome, .start) == start, "\(cause)")
            for event in [PushEvent.update, .end] { #expect(Reaction(outcome, event) == other, "\(cause) \(event)") }
        }
    }
}
