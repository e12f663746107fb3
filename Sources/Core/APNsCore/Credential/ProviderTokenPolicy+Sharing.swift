/// Token sharing: one inquiry at a time offers a token and receives the shared one.
extension ProviderTokenPolicy {
    /// One inquiry about the shared token.
    public struct Inquiry: Hashable, Sendable {
        /// The token to store if none is shared, or if the provider refused the shared one.
        public enum Offer: Hashable, Sendable {
            /// A token to sign now, with `issuedAt`.
            case fresh
            /// The current one.
            case current
            case nothing
        }

        /// The sequence number of the inquiry, from 1. Pass it to `answered` and `patienceEnded`.
        public let number: UInt32
        /// The token to offer; `fresh` is signed first.
        public let offer: Offer
        /// The issue time of the offered token; 0 if no token is offered.
        public let issuedAt: UInt64
        /// The issue time of the token that the provider called expired; nil if the inquiry has another cause.
        public let refused: UInt64?
        /// True if no token is usable until the answer arrives.
        public let holdsPushes: Bool

        /// The number of seconds for which other gateways may start to use the offered token.
        public func usableFor(now: UInt64) -> UInt64 {
            let age = now > issuedAt ? now - issuedAt : 0
            return max(1, ProviderTokenPolicy.renewalAge - min(age, ProviderTokenPolicy.renewalAge))
        }
    }

    /// The result of an inquiry.
    public enum Answer: Hashable, Sendable {
        /// The offered token is the shared one.
        case taken
        /// The shared one is the current one.
        case unchanged
        /// Another token is shared.
        case other(issuedAt: UInt64)
        /// No token is shared, and none was offered.
        case nothing
        /// The shared token was sealed with another key or is damaged.
        case unusable
        /// The store of shared tokens is unavailable.
        case unavailable
    }

    /// The token to use from now on.
    public enum Verdict: Hashable, Sendable {
        case keepCurrent
        /// The token that was signed for the inquiry is now current.
        case useOffer
        /// The shared token is now current.
        case useShared
    }

    struct OpenInquiry: Sendable {
        let inquiry: Inquiry
        let begunAt: UInt64
        /// True if its fresh token is already current because the pushes' wait ended.
        var isOfferUsed = false
    }

    /// The minimum pause between inquiries of a kind, and the maximum duration of one, in seconds.
    static let inquiryPause: UInt64 = 60
    static let inquiryLimit: UInt64 = 10

    /// True if an inquiry is in progress.
    public var isInquiring: Bool { inquiry != nil }

    /// Records that the maximum wait of pushes has ended. The inquiry's answer is still outstanding.
    public mutating func patienceEnded(_ number: UInt32, now: UInt64) -> Verdict {
        guard let open = inquiry, open.inquiry.number == number, !isUsable(now) else { return .keepCurrent }
        current?.isRefused = false
        guard open.inquiry.offer == .fresh else { return .keepCurrent }
        inquiry?.isOfferUsed = true
        adopt(open.inquiry.issuedAt, isShared: false)
        return .useOffer
    }

    /// Records the answer of an inquiry. An answer to an abandoned inquiry is ignored.
    public mutating func answered(_ number: UInt32, _ answer: Answer, now: UInt64) -> Verdict {
        guard let open = inquiry, open.inquiry.number == number else { return .keepCurrent }
        inquiry = nil
        current?.isRefused = false
        switch answer {
        case .taken:
            guard open.inquiry.offer == .fresh, !open.isOfferUsed else {
                current?.isShared = true
                return .keepCurrent
            }
            adopt(open.inquiry.issuedAt, isShared: true)
            return .useOffer
        case .unchanged:
            current?.isShared = true
            return .keepCurrent
        case .other(let issuedAt):
            guard isPlausible(issuedAt, now) else { return goAlone(open, now, mayWait: false) }
            return offered(issuedAt, open, now)
        case .unusable:
            return goAlone(open, now, mayWait: false)
        case .nothing, .unavailable:
            return goAlone(open, now, mayWait: true)
        }
    }

    /// Handles another shared token. A self-signed token stays current until `minimumInterval` has passed.
    private mutating func offered(_ issuedAt: UInt64, _ open: OpenInquiry, _ now: UInt64) -> Verdict {
        if let current {
            if issuedAt == open.inquiry.refused { return .keepCurrent }
            let isDue =
                current.isShared || current.issuedAt == open.inquiry.refused || isFromFuture(current.issuedAt, now)
                || age(now, current.issuedAt) >= ProviderTokenPolicy.minimumInterval
            guard isDue else {
                comparisonDue = current.issuedAt &+ ProviderTokenPolicy.minimumInterval
                return .keepCurrent
            }
        }
        adopt(issuedAt, isShared: true)
        return .useShared
    }

    /// - Parameter mayWait: True if a later inquiry may return a shared token.
    private mutating func goAlone(_ open: OpenInquiry, _ now: UInt64, mayWait: Bool) -> Verdict {
        if !mayWait { unusableTokens += 1 }
        comparisonDue = now &+ (mayWait ? ProviderTokenPolicy.inquiryPause : ProviderTokenPolicy.minimumInterval)
        guard open.inquiry.offer == .fresh, !open.isOfferUsed else { return .keepCurrent }
        if mayWait, open.inquiry.refused == nil, let current, !isFromFuture(current.issuedAt, now),
            age(now, current.issuedAt) < ProviderTokenPolicy.lonelyRenewalAge
        {
            return .keepCurrent
        }
        adopt(open.inquiry.issuedAt, isShared: false)
        return .useOffer
    }

    mutating func inquire(_ offer: Inquiry.Offer, refused: UInt64? = nil, _ now: UInt64) -> Decision {
        inquiries &+= 1
        let issuedAt =
            switch offer {
            case .fresh: now
            case .current: current?.issuedAt ?? 0
            case .nothing: UInt64(0)
            }
        let next = Inquiry(
            number: inquiries, offer: offer, issuedAt: issuedAt, refused: refused, holdsPushes: !isUsable(now))
        inquiry = OpenInquiry(inquiry: next, begunAt: now)
        return .inquire(next)
    }

    /// Abandons an inquiry without an answer, so that it cannot block the next one forever.
    mutating func dropOverdueInquiry(_ now: UInt64) {
        guard let open = inquiry else { return }
        guard now < open.begunAt || now - open.begunAt >= ProviderTokenPolicy.inquiryLimit else { return }
        inquiry = nil
        current?.isRefused = false
        comparisonDue = now &+ ProviderTokenPolicy.inquiryPause
    }

    /// True if a shared token can have this issue time by the local clock.
    private func isPlausible(_ issuedAt: UInt64, _ now: UInt64) -> Bool {
        !isFromFuture(issuedAt, now) && age(now, issuedAt) < ProviderTokenPolicy.lonelyRenewalAge
    }

    func isLongAgo(_ time: UInt64?, _ now: UInt64) -> Bool {
        guard let time, now >= time else { return true }
        return now - time >= ProviderTokenPolicy.inquiryPause
    }

    /// True if the time has passed. A time further ahead than any that is set dates from before the clock was set back.
    func isOver(_ time: UInt64, _ now: UInt64) -> Bool {
        now >= time || time - now > ProviderTokenPolicy.minimumInterval + ProviderTokenPolicy.clockTolerance
    }
}
