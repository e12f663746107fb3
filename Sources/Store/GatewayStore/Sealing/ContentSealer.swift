import Encodings
import LiveActivity
public import Secrets

/// Seals waiting content, so that neither Redis nor its append-only file contains it in clear. Each app has its own
/// key, which only gateways with its signing key can derive. Keys of former signing keys only open, so that signing
/// keys can be rotated gateway by gateway.
public struct ContentSealer: Sendable {
    private struct Keys {
        let present: SealingKey
        let former: [SealingKey]

        /// Returns these keys with those of `other` added as former keys, without duplicates.
        func opening(_ other: Keys) -> Keys {
            var former = former
            for key in [other.present] + other.former where key != present && !former.contains(key) {
                former.append(key)
            }
            return Keys(present: present, former: former)
        }
    }

    private var standard: Keys
    private var byTenant: [String: Keys] = [:]

    /// The label for the derivation of the apps' keys.
    public static let label = "fanfare waiting content v1"

    /// - Parameters:
    ///   - standard: The default app's key.
    ///   - former: The default app's former keys.
    public init(standard: SealingKey, former: [SealingKey] = []) {
        self.standard = Keys(present: standard, former: former)
    }

    /// Sets another app's key and its former keys for the app's tenants.
    public mutating func use(_ key: SealingKey, former: [SealingKey] = [], for tenantIDs: [String]) {
        for id in tenantIDs { byTenant[id] = Keys(present: key, former: former) }
    }

    /// Adds another sealer's keys as former keys, so that this one opens what the other seals.
    public mutating func open(whatIsSealedBy other: ContentSealer) {
        for (id, keys) in byTenant { byTenant[id] = keys.opening(other.keys(id)) }
        for id in other.byTenant.keys where byTenant[id] == nil { byTenant[id] = standard.opening(other.keys(id)) }
        standard = standard.opening(other.standard)
    }

    /// The first byte of a sealed payload. A payload in clear begins with a brace.
    private static let mark: UInt8 = 1

    static func isSealed(_ bytes: [UInt8]) -> Bool { bytes.first == mark }

    /// Seals a payload. Returns nil if OpenSSL fails.
    /// - Parameter id: The payload's broadcast or schedule. The payload opens only with the same id.
    func seal(_ payload: Payload, of id: UniqueID, tenantID: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: payload.beforeTimestamp.count, bytes: 4)
        bytes += payload.beforeTimestamp + payload.afterTimestamp
        return keys(tenantID).present.seal(bytes, context: context(id, tenantID))
    }

    /// Opens a payload. Returns nil if none of the app's keys sealed it, or if the id differs.
    func open(_ sealed: [UInt8], of id: UniqueID, tenantID: String) -> Payload? {
        let keys = keys(tenantID)
        let context = context(id, tenantID)
        let opened = keys.present.open(sealed, context: context)
        guard let bytes = opened ?? keys.former.lazy.compactMap({ $0.open(sealed, context: context) }).first else {
            return nil
        }
        var reader = ByteReader(bytes)
        guard let count = reader.integer(UInt32.self), let before = reader.take(Int(count)) else { return nil }
        return Payload(beforeTimestamp: Array(before), afterTimestamp: Array(bytes.dropFirst(4 + Int(count))))
    }

    /// Returns a keyed digest of 32 bytes. Without the key it can be neither made nor verified.
    func digest(of message: [UInt8], tenantID: String) -> [UInt8] { keys(tenantID).present.digest(of: message) }

    private func keys(_ tenantID: String) -> Keys { byTenant[tenantID] ?? standard }

    private func context(_ id: UniqueID, _ tenantID: String) -> [UInt8] { Array("\(tenantID)\n\(id)".utf8) }
}

extension StoreFeature {
    /// Returns the stored halves of a payload: sealed in the first half, or in clear without a key.
    func kept(_ payload: Payload, of id: UniqueID, tenantID: String) throws(StoreError) -> (
        before: [UInt8], after: [UInt8]
    ) {
        guard let sealer = context.sealer else { return (payload.beforeTimestamp, payload.afterTimestamp) }
        guard let sealed = sealer.seal(payload, of: id, tenantID: tenantID) else {
            throw .unavailable("the content cannot be sealed")
        }
        return (sealed, [])
    }

    /// Opens a stored payload. Returns nil if it does not open.
    func opened(_ kept: [UInt8], of id: UniqueID, tenantID: String) -> Payload? {
        context.sealer?.open(kept, of: id, tenantID: tenantID)
    }
}
