import LiveActivity
import Secrets
import TimeCore

@testable import GatewayAPI
@testable import GatewayStore

/// Keys and their admissions, without a store.
struct KnownKeys: AdmissionStore {
    private let admissions: [String: Admission]
    /// The error of every call while the store is unavailable.
    var error: StoreError?

    /// - Parameter admissions: Keyed by kind and key, as in `api:good`.
    init(_ admissions: [String: Admission] = KnownKeys.standard) {
        self.admissions = admissions
    }

    func admit(
        key: String, kind: StoredTenants.KeyKind, limit: Int, window: TimeInterval
    ) async throws(StoreError) -> Admission? {
        if let error { throw error }
        return admissions["\(kind.rawValue):\(key)"]
    }

    func admit(
        hash: String, kind: StoredTenants.KeyKind, limit: Int, window: TimeInterval
    ) async throws(StoreError) -> Admission? {
        if let error { throw error }
        return admissions.first {
            $0.key.hasPrefix("\(kind.rawValue):") && Secret.hexHash(String($0.key.dropFirst(4))) == hash
        }?.value
    }

    /// Each key breaks one more rule than the next one.
    static let standard: [String: Admission] = [
        "api:off": .of(.starter, isEnabled: false, isAllowed: false),
        "api:low": .of(.starter, isAllowed: false),
        "api:spent": .of(.growth, isAllowed: false),
        "api:good": .of(.growth),
        "sdk:off": .of(.growth, isEnabled: false),
        "sdk:strict": .of(.growth, signatures: .any),
        "sdk:good": .of(.growth),
    ]
}

extension Admission {
    static func of(
        _ tier: Tenant.Tier, isEnabled: Bool = true, isAllowed: Bool = true, signatures: SignatureDemand = .none,
        identityHashes: [[UInt8]] = [], tenantID: String = "tenant"
    ) -> Admission {
        Admission(
            tenantID: tenantID, tier: tier, isEnabled: isEnabled, signatures: signatures,
            identityHashes: identityHashes, hasUnreadableIdentity: false,
            rate: Admission.Rate(isAllowed: isAllowed, remaining: 7, resetAt: 1_000_500))
    }
}
