import Foundation

/// What an answer means for the report, and for what waits behind it.
enum Verdict: Equatable, Sendable {
    case delivered(GatewayReply)
    /// This report alone will never be taken.
    case refused(code: String, message: String)
    /// This report alone may be taken later: the gateway does not know of the activity yet, or the report may be for
    /// several.
    case tooEarly(code: String, message: String)
    /// Nothing is taken: live activities are switched off for the customer.
    case switchedOff
    /// Nothing is taken: the SDK key or the identity signature is wrong.
    case unauthorized(message: String)
    /// Nothing is taken: a quota of the customer is used up, or somebody on the way forbids it.
    /// - Parameter isGateways: whether it is the gateway that says so; somebody on the way may mean this report alone.
    case forbidden(message: String, isGateways: Bool)
    /// Nothing is taken now.
    /// - Parameter after: how many seconds the gateway wants to be left alone; nil: it does not say.
    case unavailable(after: TimeInterval?)
    /// Nothing was sent, for want of a signature.
    case unsigned
    /// No answer.
    /// - Parameter mayHaveArrived: whether the gateway may have got it all the same.
    case unanswered(mayHaveArrived: Bool)
}

extension Verdict {
    /// Whether the request may have been carried out all the same.
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
        // A device is forgotten also where live activities are switched off.
        case 202 where report != .erase: self = .switchedOff
        // A network that wants its user to sign in answers everything with a page of its own.
        case 200..<300: self = reply.status == "success" ? .delivered(reply) : .unavailable(after: retryAfter)
        case 401, 407: self = .unauthorized(message: message)
        case 403 where report.has(ownLimit: reply): self = .refused(code: code, message: message)
        // Only what opens or schedules needs the tier.
        case 402 where reply.code == "TIER_REQUIRED": self = .refused(code: code, message: message)
        case 402, 403: self = .forbidden(message: message, isGateways: reply.code != nil)
        // What is gone needs no report of its end.
        case 404 where report.isSettledByAbsence: self = .delivered(reply)
        // Only the gateway says NOT_FOUND; any other 404 comes from what stands in front of it.
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
    /// Whether a 403 is about this report's own limit, not about all that the device may say.
    fileprivate func has(ownLimit reply: GatewayReply) -> Bool {
        guard reply.code == "QUOTA_EXCEEDED" else { return false }
        return switch self {
        // Before 0.3.0 the limit of topics for a user had no name; those of the tenant have one.
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
