import Encodings
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
}

extension StoredTenants {
    /// How many replaced secrets of a kind may count at a time.
    public static let mostReplacedSecrets = 8

    /// A fresh secret in place of the tenant's present one of that kind, which goes on counting for `overlap`; from then
    /// on only the fresh one does, also when earlier rotations had longer overlaps. With an overlap of zero it is
    /// revoked when this returns.
    public func rotate(
        _ kind: TenantSecretKind, of tenantID: String, overlap: TimeInterval
    ) async throws(StoreError) -> KeyRotation {
        guard let seen = try await record(ofTenant: tenantID)?.secrets[kind] else { return .noSuchTenant }
        let secret = Secret.generate(kind.secretKind)
        let reply = try await run(
            Scripts.rotateSecret, [Keys.tenant(tenantID)],
            [
                kind.rawValue, seen.current, Hexadecimal.encode(Secret.hash(secret)),
                Int(overlap.nanoseconds / 1_000_000), StoredTenants.mostReplacedSecrets,
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
        let until = record.secrets[kind]?.replaced.first { $0.hash == seen.current }?.until
        return .rotated(secret: secret, until: until.flatMap { $0 > now ? $0 : nil })
    }
}
