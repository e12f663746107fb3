public import TimeCore

/// Answers to the open request. An answer to an abandoned request is ignored.
extension AccessTokenPolicy {
    /// Records the store's answer to `lookUp`.
    /// - Parameter random: Any number. It selects the time of the renewal.
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

    /// Uses a shared token that lasts long enough. A token near its end is used only while no other exists, and is
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

    /// Records the store's answer to `takeLease`.
    public mutating func leaseAnswered(_ number: UInt32, _ answer: LeaseAnswer, now: MonotonicTime) -> Request? {
        guard let begunAt = close(number, .takeLease) else { return nil }
        switch answer {
        // The rest of the lease must cover the fetch.
        case .taken where now - begunAt <= Self.leaseTime.less(Self.fetchLimit): return begin(.fetch, now)
        case .taken, .another: notBefore = now + Self.leasePause
        case .unavailable: notBefore = now + Self.storePause
        }
        return nil
    }

    /// Records a token from the token endpoint.
    /// - Parameters:
    ///   - issuedAt: Seconds since 1970, by the clock that all gateways share.
    ///   - lifetime: The endpoint's value, counted from the request. One under `shortestLifetime` counts as a failure.
    ///   - random: Any number. It selects the time of the renewal.
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

    /// Records that the token endpoint issued no token or was unreachable.
    /// - Parameters:
    ///   - isRefused: True if the account's signature was refused: `invalid_grant`, or status 401 or 403.
    ///   - retryAfter: The requested pause; at most a minute counts.
    ///   - random: Any number. It shortens the pause.
    public mutating func fetchFailed(
        _ number: UInt32, isRefused: Bool, retryAfter: TimeInterval = .zero, now: MonotonicTime, random: UInt64
    ) {
        guard close(number, .fetch) != nil else { return }
        failures += 1
        isCredentialRefused = isRefused
        let pause = Self.backoff.pause(after: failures).cut(random: random)
        notBefore = now + max(pause, min(retryAfter, Self.backoff.longest))
    }

    /// Ends the offer. Its result is irrelevant, because both tokens are valid.
    public mutating func offerEnded(_ number: UInt32) {
        guard let open, open.request.number == number, case .offer = open.request.kind else { return }
        self.open = nil
    }

    /// Closes the open request if it matches. Returns the time when it began.
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
