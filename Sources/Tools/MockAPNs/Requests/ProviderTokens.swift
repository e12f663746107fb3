import MockKit
import TimeCore

/// The verified provider tokens, and the token that each connection uses.
struct ProviderTokens {
    private let verifier: ProviderTokenVerifier
    /// The verdicts by number of the authorization. Verifying a signature costs far more than the rest of a push.
    private var verdicts: [Int: ProviderTokenVerdict] = [:]
    /// The token in use by connection, with the time of its first use and its key. A connection may not change the key.
    private var uses: [Int: (number: Int, since: MonotonicTime, keyID: String)] = [:]
    private static let capacity = 64

    init(_ verifier: ProviderTokenVerifier) {
        self.verifier = verifier
    }

    /// Returns nil if the token is valid.
    /// - Parameter epochSeconds: The wall clock, in seconds since 1970.
    mutating func rejection(
        _ authorization: KnownAuthorizations.Entry, connection: Int, _ rules: MockScript.ProviderTokens,
        epochSeconds: Int64, now: MonotonicTime
    ) -> Rejection? {
        guard case .issued(let issued, let keyID) = verdict(authorization) else { return .invalidProviderToken }
        let age = epochSeconds - issued
        guard age <= Int64(rules.lifetime.inSeconds), -age <= Int64(rules.allowedSkew.inSeconds) else {
            return .expiredProviderToken
        }
        let use = uses[connection]
        if let use, use.number == authorization.number { return nil }
        if let use, use.keyID != keyID { return .unrelatedKeyIDInToken }
        if let use, let interval = rules.renewalInterval, now - use.since < interval {
            return .tooManyProviderTokenUpdates
        }
        uses[connection] = (authorization.number, now, keyID)
        return nil
    }

    mutating func connectionEnded(_ connection: Int) {
        uses[connection] = nil
    }

    private mutating func verdict(_ authorization: KnownAuthorizations.Entry) -> ProviderTokenVerdict {
        if let known = verdicts[authorization.number] { return known }
        let verdict = verifier.verdict(authorization: authorization.value)
        if verdicts.count == Self.capacity { verdicts = [:] }
        verdicts[authorization.number] = verdict
        return verdict
    }
}
