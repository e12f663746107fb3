/// How a token is shared: one inquiry at a time, which offers a token and learns which one is shared.
extension ProviderTokenPolicy {
    /// One inquiry about the shared token.
    public struct Inquiry: Hashable, Sendable {
        /// What becomes the shared token when there is none, or when the shared one is the refused one.
        public enum Offer: Hashable, Sendable {
            /// A token that is to be signed now, with `issuedAt`.
            case fresh
            /// The current one.
            case current
            case nothing
        }

        /// Counts the inquiries from 1 on. Give it back with `answered` and `patienceEnded`.
        public let number: UInt32
        /// Which token to offer, and whether to sign it first.
        public let offer: Offer
        /// When the offered token is issued; 0 when nothing is offered.
        public let issuedAt: UInt64
        /// When the token was issued that the provider has called expired; nil when it has called none so.
        public let refused: UInt64?
        /// Whether no token is fit for use until the answer is there.
        public let holdsPushes: Bool

        /// For how many seconds others may begin to use what is offered.
        public func usableFor(now: UInt64) -> UInt64 {
            let age = now > issuedAt ? now - issuedAt : 0
            return max(1, ProviderTokenPolicy.renewalAge - min(age, ProviderTokenPolicy.renewalAge))
        }
    }

    /// What an inquiry came to.
    public enum Answer: Hashable, Sendable {
        /// The offered token is the shared one.
        case taken
        /// The shared one is the current one.
        case unchanged
        /// Another one is shared.
        case other(issuedAt: UInt64)
        /// None is shared, and none was offered.
        case nothing
        /// What is shared was not sealed with this key, or is damaged.
        case unusable
        /// The store of shared tokens does not say.
        case unavailable
    }

    /// Which token is used from now on.
    public enum Verdict: Hashable, Sendable {
        case keepCurrent
        /// The token that was signed for the inquiry is current from now on.
        case useOffer
        /// The other one is.
        case useShared
    }

    struct OpenInquiry: Sendable {
        let inquiry: Inquiry
        let begunAt: UInt64
        /// Whether its fresh token is current already, because pushes could not wait any longer.
        var isOfferUsed = false
    }

    /// How long after an inquiry the next one of its kind may be made, and how long one may take.
    static let inquiryPause: UInt64 = 60
    static let inquiryLimit: UInt64 = 10

    /// Whether an inquiry is under way.
    public var isInquiring: Bool { inquiry != nil }

    /// Pushes have waited for the inquiry as long as they may. Its answer is still to come.
    public mutating func patienceEnded(_ number: UInt32, now: UInt64) -> Verdict {
        guard let open = inquiry, open.inquiry.number == number, !isUsable(now) else { return .keepCurrent }
        current?.isRefused = false
        guard open.inquiry.offer == .fresh else { return .keepCurrent }
        inquiry?.isOfferUsed = true
        adopt(open.inquiry.issuedAt, isShared: false)
        return .useOffer
    }

    /// An inquiry has come to something. An answer to one that was given up is passed over.
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

    /// Another token is shared. Whoever has begun to use one of its own keeps it for as long as the provider wants.
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

    /// - Parameter mayWait: whether the shared token may be there when it is asked for again.
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

    /// An inquiry that nobody answers is given up, so that it cannot keep the next one back for ever.
    mutating func dropOverdueInquiry(_ now: UInt64) {
        guard let open = inquiry else { return }
        guard now < open.begunAt || now - open.begunAt >= ProviderTokenPolicy.inquiryLimit else { return }
        inquiry = nil
        current?.isRefused = false
        comparisonDue = now &+ ProviderTokenPolicy.inquiryPause
    }

    /// A token of an age that a shared one can have, by this clock.
    private func isPlausible(_ issuedAt: UInt64, _ now: UInt64) -> Bool {
        !isFromFuture(issuedAt, now) && age(now, issuedAt) < ProviderTokenPolicy.lonelyRenewalAge
    }

    func isLongAgo(_ time: UInt64?, _ now: UInt64) -> Bool {
        guard let time, now >= time else { return true }
        return now - time >= ProviderTokenPolicy.inquiryPause
    }

    /// Whether the time has come; one that is further away than it was ever set is from before the clock was set back.
    func isOver(_ time: UInt64, _ now: UInt64) -> Bool {
        now >= time || time - now > ProviderTokenPolicy.minimumInterval + ProviderTokenPolicy.clockTolerance
    }
}
