import PushProtocol

/// Holds the provider token that all connections of a client use, and signs the next one when the policy says so.
/// Lives on the client's reactor.
final class ProviderTokenSource {
    private(set) var current: ProviderToken?
    /// Why the last signing failed; nil when it succeeded.
    private(set) var failure: String?
    private var policy = ProviderTokenPolicy()
    private let key: SigningKey
    private let credential: ProviderCredential
    private let wallClock: @Sendable () -> UInt64

    init(
        _ credential: ProviderCredential, wallClock: @escaping @Sendable () -> UInt64
    ) throws(PushConfigurationError) {
        guard ProviderTokenClaims.isIdentifier(credential.keyIdentifier) else {
            throw .identifier(name: "key identifier")
        }
        guard ProviderTokenClaims.isIdentifier(credential.teamIdentifier) else {
            throw .identifier(name: "team identifier")
        }
        key = try SigningKey(file: credential.keyFile)
        self.credential = credential
        self.wallClock = wallClock
    }

    /// Makes sure that `current` is fit for use. True when it has changed.
    func refresh() -> Bool {
        let now = wallClock()
        guard policy.tokenRequested(now: now) == .sign else { return false }
        return sign(now)
    }

    /// The provider found the token of `epoch` too old. True when `current` has changed.
    func expiryReported(epoch: UInt32) -> Bool {
        let now = wallClock()
        guard policy.expiryReported(epoch: epoch, now: now) == .sign else { return false }
        return sign(now)
    }

    /// The provider found that tokens change too often.
    func tooManyUpdatesReported() {
        policy.tooManyUpdatesReported(now: wallClock())
    }

    private func sign(_ now: UInt64) -> Bool {
        let claims = ProviderTokenClaims(
            keyIdentifier: credential.keyIdentifier, teamIdentifier: credential.teamIdentifier, issuedAt: now)
        guard let claims, let signature = key.sign(claims.signingInput.utf8) else {
            policy.signingFailed()
            failure = "the provider token cannot be signed"
            return false
        }
        policy.tokenSigned(issuedAt: now)
        failure = nil
        current = ProviderToken(
            epoch: policy.epoch, text: "\(claims.signingInput).\(Base64URL.encode(signature))")
        return true
    }
}
