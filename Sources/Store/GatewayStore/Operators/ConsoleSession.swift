import Secrets
public import TimeCore

/// A session of a user of the console.
public struct ConsoleSession: Equatable, Sendable {
    /// The signed-in user.
    public enum Identity: Equatable, Sendable {
        /// An operator, by name.
        case operatorNamed(String)
        /// The holder of a tenant's API key, by the tenant's id.
        case tenant(String)
    }

    /// The signed-in user.
    public let identity: Identity
    /// The SHA-256 of the key used to sign in, in hexadecimal. The session is valid only as long as that key.
    public let keyHash: String
    /// The SHA-256 of the token that the page sends with each request, in hexadecimal.
    public let tokenHash: String
    /// The latest end of the session.
    public let endsAt: WallTime

    public init(identity: Identity, keyHash: String, tokenHash: String, endsAt: WallTime) {
        self.identity = identity
        self.keyHash = keyHash
        self.tokenHash = tokenHash
        self.endsAt = endsAt
    }

    /// True if the token is the one that this session's page received.
    public func isToken(_ token: String) -> Bool {
        Digest.constantTimeEqual(Array(Secret.hexHash(token).utf8), Array(tokenHash.utf8))
    }

    /// The stored form: kind, hashes of key and token, end in epoch milliseconds, and user, separated by blanks.
    var kept: String {
        let (kind, name) =
            switch identity {
            case .operatorNamed(let name): ("operator", name)
            case .tenant(let id): ("tenant", id)
            }
        return "\(kind) \(keyHash) \(tokenHash) \(endsAt.milliseconds) \(name)"
    }

    init?(kept: [UInt8]) {
        let parts = String(decoding: kept, as: UTF8.self).split(separator: " ", maxSplits: 4).map(String.init)
        guard parts.count == 5, let end = Int64(parts[3]) else { return nil }
        switch parts[0] {
        case "operator": identity = .operatorNamed(parts[4])
        case "tenant": identity = .tenant(parts[4])
        default: return nil
        }
        keyHash = parts[1]
        tokenHash = parts[2]
        endsAt = WallTime(milliseconds: end)
    }
}
