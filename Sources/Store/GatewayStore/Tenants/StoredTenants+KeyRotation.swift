import LiveActivity
import RedisClient
import Secrets
public import TimeCore

/// What became of a rotation.
public enum KeyRotation: Equatable, Sendable {
    /// - Parameters:
    ///   - secret: the fresh one, shown this once.
    ///   - until: when the one before ceases to count; nil when it has already.
    case rotated(secret: String, until: WallTime?)
    case noSuchTenant
    /// Somebody else rotated it at the same time; that one is the secret that counts, and nothing else has changed.
    case rotatedMeanwhile
    /// As many replaced ones still count as there may be.
    case tooManyReplaced
    /// There is no key to seal an identity secret with.
    case noSealingKey
    /// The present identity secret does not open with the sealing key, so it could not go on counting.
    case unreadable
}

extension StoredTenants {
    /// How many replaced secrets of a kind may count at a time.
    public static let mostReplacedSecrets = 8

    /// A fresh secret in place of the tenant's present one of that kind, if it has one, which goes on counting for
    /// `overlap`; from then on only the fresh one does, also when earlier rotations had longer overlaps. With an
    /// overlap of zero it is revoked when this returns.
    public func rotate(
        _ kind: TenantSecretKind, of tenantID: String, overlap: TimeInterval
    ) async throws(StoreError) -> KeyRotation {
        guard let before = try await record(ofTenant: tenantID) else { return .noSuchTenant }
        let seen = before.secrets[kind]?.current ?? ""
        let secret = Secret.generate(kind.secretKind)
        let kept: String
        if kind == .identity {
            guard let identity = context.identity else { return .noSealingKey }
            if overlap > .zero, !seen.isEmpty, !isReadable(seen, tenantID) { return .unreadable }
            kept = try keep(identity, secret, tenantID)
        } else {
            kept = Secret.hexHash(secret)
        }
        let reply = try await run(
            Scripts.rotateSecret, [Keys.tenant(tenantID)],
            [
                kind.rawValue, seen, kept, Int(overlap.nanoseconds / 1_000_000), StoredTenants.mostReplacedSecrets,
            ])
        switch reply.int {
        case 0: return .noSuchTenant
        case 1: return .rotatedMeanwhile
        case 2: return .tooManyReplaced
        default: break
        }
        var now = wallClock()
        guard let record = TenantRecord(tenantID, changed: reply, now: &now) else { throw .damaged("a tenant") }
        try await carry(record, now: now)
        let until = record.secrets[kind]?.replaced.first { $0.kept == seen }?.until
        return .rotated(secret: secret, until: until.flatMap { $0 > now ? $0 : nil })
    }
}
