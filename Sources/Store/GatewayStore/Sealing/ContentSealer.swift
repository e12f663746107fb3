import Encodings
import LiveActivity
public import Secrets

/// Seals the content that waits in Redis, so that neither Redis nor its append-only file holds any of it in clear. Each
/// app has a key of its own, which only gateways with its signing key can derive. While a signing key is replaced, one
/// gateway after the other, the keys of former ones open what was sealed before, and never seal.
public struct ContentSealer: Sendable {
    private struct Keys {
        let present: SealingKey
        let former: [SealingKey]

        /// Those that are known already are not taken again.
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

    /// What the apps' keys are derived for.
    public static let label = "fanfare waiting content v1"

    /// - Parameters:
    ///   - standard: the default app's key.
    ///   - former: keys that it had before.
    public init(standard: SealingKey, former: [SealingKey] = []) {
        self.standard = Keys(present: standard, former: former)
    }

    /// Takes another app's key, and those that it had before, for its tenants.
    public mutating func use(_ key: SealingKey, former: [SealingKey] = [], for tenantIDs: [String]) {
        for id in tenantIDs { byTenant[id] = Keys(present: key, former: former) }
    }

    /// Lets it also open what another one seals.
    public mutating func open(whatIsSealedBy other: ContentSealer) {
        for (id, keys) in byTenant { byTenant[id] = keys.opening(other.keys(id)) }
        for id in other.byTenant.keys where byTenant[id] == nil { byTenant[id] = standard.opening(other.keys(id)) }
        standard = standard.opening(other.standard)
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
        return keys(tenantID).present.seal(bytes, context: context(id, tenantID))
    }

    /// Nil when it was sealed with a key that is none of the app's, or for something else.
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

    /// A keyed digest of 32 bytes: who has Redis alone can neither make it nor check it.
    func digest(of message: [UInt8], tenantID: String) -> [UInt8] { keys(tenantID).present.digest(of: message) }

    private func keys(_ tenantID: String) -> Keys { byTenant[tenantID] ?? standard }

    private func context(_ id: UniqueID, _ tenantID: String) -> [UInt8] { Array("\(tenantID)\n\(id)".utf8) }
}

extension StoreFeature {
    /// The halves of a payload as they are kept: sealed, which is all in the first, or in clear where there is no key.
    func kept(_ payload: Payload, of id: UniqueID, tenantID: String) throws(StoreError) -> (
        before: [UInt8], after: [UInt8]
    ) {
        guard let sealer = context.sealer else { return (payload.beforeTimestamp, payload.afterTimestamp) }
        guard let sealed = sealer.seal(payload, of: id, tenantID: tenantID) else {
            throw .unavailable("the content cannot be sealed")
        }
        return (sealed, [])
    }

    /// A payload that was kept; nil when it does not open.
    func opened(_ kept: [UInt8], of id: UniqueID, tenantID: String) -> Payload? {
        context.sealer?.open(kept, of: id, tenantID: tenantID)
    }
}
