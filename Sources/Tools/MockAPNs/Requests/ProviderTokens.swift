import MockKit
import TimeCore

/// The provider tokens that have been seen, and which one each connection uses.
struct ProviderTokens {
    private let verifier: ProviderTokenVerifier
    /// By the number of the authorization: verifying a signature costs many times what the rest of a push does.
    private var verdicts: [Int: ProviderTokenVerdict] = [:]
    /// By connection: the token in use, since when, and the key that it is signed with, which is the connection's.
    private var uses: [Int: (number: Int, since: MonotonicTime, keyID: String)] = [:]
    private static let capacity = 64

    init(_ verifier: ProviderTokenVerifier) {
        self.verifier = verifier
    }

    /// Nil when the token is good.
    /// - Parameter epochSeconds: the wall clock.
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
