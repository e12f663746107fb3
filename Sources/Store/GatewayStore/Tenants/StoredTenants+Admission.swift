import Encodings
import LiveActivity
import RedisClient
import Secrets
public import TimeCore

extension StoredTenants {
    /// What a key opens: the calls of customers, or those of devices.
    public enum KeyKind: String, Sendable {
        case api, sdk
    }

    /// Looks a key up and takes one request from its rate, in one step; nil for a key that opens nothing.
    /// - Parameters:
    ///   - limit: requests in each window; 0 for no limit.
    ///   - now: in place of Redis's own clock, for tests.
    public func admit(
        key: String, kind: KeyKind, limit: Int, window: TimeInterval = .seconds(60), now: WallTime? = nil
    ) async throws(StoreError) -> Admission? {
        let hash = Hexadecimal.encode(Secret.hash(key))
        let reply = try await run(
            Scripts.admit, [Keys.credential(hash), Keys.rateWindow(hash)],
            [kind.rawValue, limit, Int(window.nanoseconds / 1_000_000), now.map { String($0.milliseconds) } ?? ""])
        guard let parts = reply.array, parts.count == 9 else { return nil }
        return Admission(
            tenantID: parts[0].string ?? "", tier: parts[2].string.flatMap(Tenant.Tier.init) ?? .starter,
            isEnabled: parts[1].string == "1", requiresIdentitySignature: parts[4].string == "1",
            identityHashes: (parts[3].bytes ?? []).split(separator: UInt8(ascii: ",")).compactMap {
                Hexadecimal.decode($0)
            },
            rate: Admission.Rate(
                isAllowed: parts[5].int == 1, remaining: Int(parts[6].int ?? 0), resetAt: parts[7].int ?? 0),
            limits: TenantLimits(text: parts[8].string ?? ""))
    }
}

extension Admission {
    /// Whether `signature` (hexadecimal) is the HMAC-SHA256 of the insider_id by one of the tenant's identity secrets
    /// that count. The stored hash serves as the key, see `Secret.generate`. Takes the same time whatever the signature
    /// is, as long as it has its length.
    public func verifies(signature: String, of insiderID: String) -> Bool {
        guard let given = Hexadecimal.decode(signature.utf8) else { return false }
        return identityHashes.reduce(false) { verified, hash in
            let expected = Digest.hmacSHA256(key: hash, Array(insiderID.utf8))
            return Digest.constantTimeEqual(given, expected) || verified
        }
    }
}
