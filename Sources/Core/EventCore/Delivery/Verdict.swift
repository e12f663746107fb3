public import TimeCore

/// What a receiver's answer, or that there was none, means for a delivery.
public enum Verdict: Equatable, Sendable {
    /// Any 2xx.
    case delivered
    /// To be tried again.
    case failed(AttemptFailure, retryAfter: TimeInterval?)
    /// 410: the receiver wants nothing more.
    case gone

    /// - Parameters:
    ///   - retryAfter: the header field of that name, which counts with 429 and 503.
    ///   - sentAt: the header field `Date`.
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
