public import TimeCore

/// Answers to the request under way. One to a request that was given up is passed over.
extension AccessTokenPolicy {
    /// The store said which token is shared.
    /// - Parameter random: any number; picks when the token is renewed.
    public mutating func sharedTokenAnswered(
        _ number: UInt32, _ answer: SharedAnswer, now: MonotonicTime, random: UInt64
    ) -> Decision {
        guard close(number, .lookUp) != nil else { return .nothing }
        switch answer {
        case .unavailable:
            notBefore = now + Self.storePause
            return .nothing
        case .nothing:
            shared = nil
            return Decision(usesToken: false, next: begin(.takeLease, now))
        case .token(let term):
            shared = term.issuedAt
            return sharedTokenFound(term, now, random)
        }
    }

    /// One that others keep long enough is used. One that is near its end serves while there is no other, and is
    /// renewed.
    private mutating func sharedTokenFound(_ term: Term, _ now: MonotonicTime, _ random: UInt64) -> Decision {
        let isFit =
            term.left > .zero && term.issuedAt != current?.issuedAt && refused.map { term.issuedAt > $0 } ?? true
        let isLasting = term.left > TimeInterval(nanoseconds: term.lead.nanoseconds + term.jitter.nanoseconds)
        let usesToken = isFit && (isLasting || !isUsable(now: now))
        if usesToken { adopt(term, now, random) }
        let isEnough = isFit && isLasting
        return Decision(usesToken: usesToken, next: isEnough ? nil : begin(.takeLease, now))
    }

    /// The store said who may fetch.
    public mutating func leaseAnswered(_ number: UInt32, _ answer: LeaseAnswer, now: MonotonicTime) -> Request? {
        guard let begunAt = close(number, .takeLease) else { return nil }
        switch answer {
        // What is left of the lease must do for the fetch.
        case .taken where now - begunAt <= Self.leaseTime.less(Self.fetchLimit): return begin(.fetch, now)
        case .taken, .another: notBefore = now + Self.leasePause
        case .unavailable: notBefore = now + Self.storePause
        }
        return nil
    }

    /// The token endpoint gave a token.
    /// - Parameters:
    ///   - issuedAt: seconds since 1970, by the clock that all gateways share.
    ///   - lifetime: what the endpoint said, counted from when it was asked. One under `shortestLifetime` counts as a
    ///     failure.
    ///   - random: any number; picks when the token is renewed.
    public mutating func fetched(
        _ number: UInt32, issuedAt: UInt64, lifetime: TimeInterval, now: MonotonicTime, random: UInt64
    ) -> Decision {
        guard let begunAt = open?.begunAt, open?.request.number == number else { return .nothing }
        let term = Term(issuedAt: issuedAt, lifetime: lifetime, age: now - begunAt)
        guard lifetime >= Self.shortestLifetime else {
            fetchFailed(number, isRefused: false, now: now, random: random)
            return .nothing
        }
        guard close(number, .fetch) != nil else { return .nothing }
        adopt(term, now, random)
        guard sharesTokens else { return Decision(usesToken: true, next: nil) }
        let usableFor = max(1, term.left.less(term.lead).nanoseconds / 1_000_000_000)
        let offer = Offer(issuedAt: issuedAt, replacing: shared, usableFor: usableFor)
        return Decision(usesToken: true, next: begin(.offer(offer), now))
    }

    /// The token endpoint gave none, or could not be reached.
    /// - Parameters:
    ///   - isRefused: whether it does not take the service account's signature: `invalid_grant`, or status 401 or 403.
    ///   - retryAfter: what it asks to wait; of more than a minute a minute counts.
    ///   - random: any number; cuts the pause.
    public mutating func fetchFailed(
        _ number: UInt32, isRefused: Bool, retryAfter: TimeInterval = .zero, now: MonotonicTime, random: UInt64
    ) {
        guard close(number, .fetch) != nil else { return }
        failures += 1
        isCredentialRefused = isRefused
        let pause = Self.backoff.pause(after: failures).cut(random: random)
        notBefore = now + max(pause, min(retryAfter, Self.backoff.longest))
    }

    /// Whatever became of the offer: any of the two tokens is good.
    public mutating func offerEnded(_ number: UInt32) {
        guard let open, open.request.number == number, case .offer = open.request.kind else { return }
        self.open = nil
    }

    /// When the request was made, if it is the one under way, which has ended now.
    private mutating func close(_ number: UInt32, _ kind: Request.Kind) -> MonotonicTime? {
        guard let open, open.request.number == number, open.request.kind == kind else { return nil }
        self.open = nil
        return open.begunAt
    }

    private mutating func adopt(_ term: Term, _ now: MonotonicTime, _ random: UInt64) {
        let jitter = TimeInterval(nanoseconds: random % (term.jitter.nanoseconds + 1))
        current = Current(
            issuedAt: term.issuedAt, matureAt: now + Self.leastAge.less(term.age),
            renewalDue: now + term.left.less(term.lead).less(jitter), expiresAt: now + term.left)
        epoch &+= 1
        failures = 0
        isCredentialRefused = false
    }
}
