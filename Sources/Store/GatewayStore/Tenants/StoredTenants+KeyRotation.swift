import LiveActivity
import RedisClient
import Secrets
public import TimeCore

/// The result of a rotation.
public enum KeyRotation: Equatable, Sendable {
    /// - Parameters:
    ///   - secret: The new secret, which is shown only here.
    ///   - until: The end of the former secret's validity; nil if it is no longer valid.
    case rotated(secret: String, until: WallTime?)
    case noSuchTenant
    /// A concurrent rotation was first. Its secret is in force, and nothing else has changed.
    case rotatedMeanwhile
    /// The limit of replaced secrets in force is reached.
    case tooManyReplaced
    /// The gateway has no key to seal identity secrets.
    case noSealingKey
    /// The present identity secret does not open with the sealing key, so it cannot stay valid.
    case unreadable
}

extension StoredTenants {
    /// The limit of replaced secrets of a kind that are in force.
    public static let mostReplacedSecrets = 8

    /// Replaces a tenant's secret of a kind. The former secret stays valid for `overlap`, and earlier ones no longer
    /// than that. With an overlap of zero they are revoked when this returns.
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
        let call = Scripts.rotateSecret(
            tenant: Keys.tenant(tenantID), kind: kind.rawValue, seen: seen, fresh: kept,
            overlap: Int(overlap.nanoseconds / 1_000_000), most: StoredTenants.mostReplacedSecrets)
        switch try await run(call) {
        case .unknown: return .noSuchTenant
        case .raced: return .rotatedMeanwhile
        case .tooMany: return .tooManyReplaced
        case .rotated(let time, let tenant):
            guard let record = TenantRecord(tenantID, tenant) else { throw .damaged("a tenant") }
            let now = WallTime(milliseconds: Int64(time))
            try await carry(record, now: now)
            let until = record.secrets[kind]?.replaced.first { $0.kept == seen }?.until
            return .rotated(secret: secret, until: until.flatMap { $0 > now ? $0 : nil })
        }
    }
}
