import LiveActivity
public import Secrets

/// Seals the content that waits in Redis, so that neither Redis nor its append-only file holds any of it in clear. Each app
/// has a key of its own, which only gateways with its signing key can derive.
public struct ContentSealer: Sendable {
    private let standard: SealingKey
    private var byTenant: [String: SealingKey] = [:]

    /// What the apps' keys are derived for.
    public static let label = "fanfare waiting content v1"

    /// - Parameter standard: the default app's key.
    public init(standard: SealingKey) {
        self.standard = standard
    }

    /// Takes another app's key for its tenants.
    public mutating func use(_ key: SealingKey, for tenantIDs: [String]) {
        for id in tenantIDs { byTenant[id] = key }
    }

    /// A sealed payload begins with this byte, one in clear with a brace.
    private static let mark: UInt8 = 1

    static func isSealed(_ bytes: [UInt8]) -> Bool { bytes.first == mark }

    /// Nil when OpenSSL fails.
    /// - Parameter id: the broadcast or schedule that it belongs to; with another one it does not open.
    func seal(_ payload: Payload, of id: UniqueID, tenantID: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: payload.beforeTimestamp.count, bytes: 4)
        bytes += payload.beforeTimestamp + payload.afterTimestamp
        return key(tenantID).seal(bytes, context: context(id, tenantID))
    }

    /// Nil when it was sealed with another key, or for something else.
    func open(_ sealed: [UInt8], of id: UniqueID, tenantID: String) -> Payload? {
        guard let bytes = key(tenantID).open(sealed, context: context(id, tenantID)) else { return nil }
        var reader = ByteReader(bytes)
        guard let count = reader.integer(UInt32.self), let before = reader.take(Int(count)) else { return nil }
        return Payload(beforeTimestamp: Array(before), afterTimestamp: Array(bytes.dropFirst(4 + Int(count))))
    }

    private func key(_ tenantID: String) -> SealingKey { byTenant[tenantID] ?? standard }

    private func context(_ id: UniqueID, _ tenantID: String) -> [UInt8] { Array("\(tenantID)\n\(id)".utf8) }
}

extension GatewayStore {
    /// The halves of a payload as they are kept: sealed, which is all in the first, or in clear where there is no key.
    func kept(_ payload: Payload, of id: UniqueID, tenantID: String) throws(StoreError) -> (
        before: [UInt8], after: [UInt8]
    ) {
        guard let sealer else { return (payload.beforeTimestamp, payload.afterTimestamp) }
        guard let sealed = sealer.seal(payload, of: id, tenantID: tenantID) else {
            throw .unavailable("the content cannot be sealed")
        }
        return (sealed, [])
    }

    /// A payload that was kept; nil when it does not open.
    func opened(_ kept: [UInt8], of id: UniqueID, tenantID: String) -> Payload? {
        sealer?.open(kept, of: id, tenantID: tenantID)
    }
}
