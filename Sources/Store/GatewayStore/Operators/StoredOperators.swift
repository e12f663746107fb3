import RedisClient
import Secrets
public import TimeCore

/// The operators of the console, with hashes of their keys. Operators manage all tenants.
public final class StoredOperators: StoreFeature {
    let context: StoreContext

    init(_ context: StoreContext) {
        self.context = context
    }

    /// An operator of the console.
    public struct Operator: Equatable, Sendable {
        /// The unique name, which the audit log uses.
        public let name: String
        /// The SHA-256 of the key in hexadecimal.
        public let keyHash: String
        /// The time at which the key was made.
        public let createdAt: WallTime
    }

    /// True if a text can be an operator's name: 1 to 64 ASCII letters, digits, dots, hyphens, underscores and at
    /// signs.
    public static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
                    || "._-@".unicodeScalars.contains($0)
            }
    }

    /// Creates an operator. Returns the new key, which is shown only here, or nil if the name is taken.
    public func create(_ name: String) async throws(StoreError) -> String? {
        let key = Secret.generate(.operatorKey)
        let kept = "\(Secret.hexHash(key)) \(wallClock().milliseconds)"
        return try await value(RedisCommand("HSETNX", Keys.operators, name, kept)).int == 1 ? key : nil
    }

    /// All operators by name.
    public func all() async throws(StoreError) -> [Operator] {
        try await value(RedisCommand("HGETALL", Keys.operators)).fields
            .compactMap { Operator(String(decoding: $0.0, as: UTF8.self), kept: $0.1) }
            .sorted { $0.name < $1.name }
    }

    /// The operator of a name; nil if there is none.
    public func named(_ name: String) async throws(StoreError) -> Operator? {
        guard let kept = try await value(RedisCommand("HGET", Keys.operators, name)).bytes else { return nil }
        return Operator(name, kept: kept)
    }

    /// The operator with a key; nil if there is none. Compares each hash in constant time.
    public func owner(ofKey key: String) async throws(StoreError) -> Operator? {
        let hash = Secret.hexHash(key)
        var owner: Operator?
        for other in try await all() where Digest.constantTimeEqual(Array(other.keyHash.utf8), Array(hash.utf8)) {
            owner = other
        }
        return owner
    }

    /// Deletes an operator. The key and its sessions end at once. Returns false if the name is not known.
    public func remove(_ name: String) async throws(StoreError) -> Bool {
        try await value(RedisCommand("HDEL", Keys.operators, name)).int == 1
    }
}

extension StoredOperators.Operator {
    init?(_ name: String, kept: [UInt8]) {
        let parts = String(decoding: kept, as: UTF8.self).split(separator: " ")
        guard parts.count == 2, let time = Int64(parts[1]) else { return nil }
        self.init(name: name, keyHash: String(parts[0]), createdAt: WallTime(milliseconds: time))
    }
}
