import Foundation

/// The meaning of an answer for its report and for the waiting ones.
enum Verdict: Equatable, Sendable {
    case delivered(GatewayReply)
    /// This report alone is permanently refused.
    case refused(code: String, message: String)
    /// This report alone may be accepted later. The gateway does not know the activity yet, or the report matches
    /// several.
    case tooEarly(code: String, message: String)
    /// All reports are dropped, because Live Activities are disabled for the customer.
    case switchedOff
    /// All reports are refused, because the SDK key or the identity signature is wrong.
    case unauthorized(message: String)
    /// All reports are refused, because a quota of the customer is exhausted or something on the way forbids them.
    /// - Parameter isGateways: True if the gateway refused. Something on the way may refuse this report alone.
    case forbidden(message: String, isGateways: Bool)
    /// The gateway is unavailable.
    /// - Parameter after: The pause in seconds that the gateway requests; nil if it requests none.
    case unavailable(after: TimeInterval?)
    /// Nothing was sent, because a signature is missing.
    case unsigned
    /// No answer arrived.
    /// - Parameter mayHaveArrived: True if the gateway may have received the request.
    case unanswered(mayHaveArrived: Bool)
}

extension Verdict {
    /// True if the request may have been executed.
    var isDoubtful: Bool {
        switch self {
        case .unavailable, .unanswered(mayHaveArrived: true): true
        default: false
        }
    }

    init(_ answer: GatewayAnswer, to report: Report) {
        switch answer {
        case .notSent: self = .unanswered(mayHaveArrived: false)
        case .unsigned: self = .unsigned
        case .unanswered: self = .unanswered(mayHaveArrived: true)
        case .answered(let status, let retryAfter, let body):
            self.init(status, retryAfter, GatewayReply(reading: body), to: report)
        }
    }

    private init(_ status: Int, _ retryAfter: TimeInterval?, _ reply: GatewayReply, to report: Report) {
        let code = reply.code ?? "HTTP_\(status)"
        let message = reply.error ?? ""
        switch status {
        // An erasure succeeds even if Live Activities are disabled.
        case 202 where report != .erase: self = .switchedOff
        // A network's login page answers every request, so only a body with "success" counts.
        case 200..<300: self = reply.status == "success" ? .delivered(reply) : .unavailable(after: retryAfter)
        case 401, 407: self = .unauthorized(message: message)
        case 403 where report.has(ownLimit: reply): self = .refused(code: code, message: message)
        // Only starting and scheduling activities requires the tier.
        case 402 where reply.code == "TIER_REQUIRED": self = .refused(code: code, message: message)
        case 402, 403: self = .forbidden(message: message, isGateways: reply.code != nil)
        // An absent object needs no report of its end.
        case 404 where report.isSettledByAbsence: self = .delivered(reply)
        // Only the gateway answers NOT_FOUND. Any other 404 comes from something in front of it.
        case 404 where reply.code == nil: self = .unavailable(after: retryAfter)
        case 404 where report.isOfActivity,
            409 where reply.code == "NOT_STARTED" || reply.code == "ACTIVITY_AMBIGUOUS":
            self = .tooEarly(code: code, message: message)
        case 408, 425, 429: self = .unavailable(after: retryAfter)
        case 400..<500: self = .refused(code: code, message: message)
        default: self = .unavailable(after: retryAfter)
        }
    }
}

extension Report {
    /// True if a 403 concerns a limit of this report only, not of all reports.
    fileprivate func has(ownLimit reply: GatewayReply) -> Bool {
        guard reply.code == "QUOTA_EXCEEDED" else { return false }
        return switch self {
        // Before 0.3.0 the limit of topics for a user had no name, unlike those of the tenant.
        case .follow: reply.quota == nil || reply.quota == "topics_per_user"
        case .schedule: reply.quota == "schedules_per_user" || reply.quota?.hasPrefix("app_schedule") ?? false
        case .sync: reply.quota?.hasPrefix("opened_activities") ?? false
        default: false
        }
    }

    fileprivate var isSettledByAbsence: Bool {
        switch self {
        case .dismissed, .cancelSchedules, .unfollow, .erase: true
        default: false
        }
    }

    fileprivate var isOfActivity: Bool {
        switch self {
        case .sync, .schedule, .tap: true
        default: false
        }
    }
}
