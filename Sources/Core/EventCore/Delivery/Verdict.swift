public import TimeCore

/// The result of a delivery from the receiver's answer, or from its absence.
public enum Verdict: Equatable, Sendable {
    /// Any status 2xx.
    case delivered
    /// The delivery must be retried.
    case failed(AttemptFailure, retryAfter: TimeInterval?)
    /// Status 410: the receiver wants no more events.
    case gone

    /// - Parameters:
    ///   - retryAfter: The header field of that name, which counts for 429 and 503.
    ///   - sentAt: The header field `Date`.
    public init(status: Int, retryAfter: String?, sentAt: String? = nil, now: WallTime) {
        switch status {
        case 200...299: self = .delivered
        case 410: self = .gone
        case 300...399:
            self = .failed(
                AttemptFailure(.answered3xx, "answered \(status); redirects are not followed"), retryAfter: nil)
        case 429, 503:
            let wait = retryAfter.flatMap { RetryAfter.parse($0, sentAt: sentAt, now: now) }
            self = .failed(AttemptFailure(answered: status), retryAfter: wait)
        default: self = .failed(AttemptFailure(answered: status), retryAfter: nil)
        }
    }
}

extension AttemptFailure {
    fileprivate init(answered status: Int) {
        self.init(status < 500 ? .answered4xx : .answered5xx, "answered \(status)")
    }
}
