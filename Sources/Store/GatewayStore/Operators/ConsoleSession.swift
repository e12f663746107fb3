import Secrets
public import TimeCore

/// Somebody who has signed in at the console.
public struct ConsoleSession: Equatable, Sendable {
    /// Who it is.
    public enum Identity: Equatable, Sendable {
        /// An operator, by name.
        case operatorNamed(String)
        /// Who has a tenant's API key, by the tenant's id.
        case tenant(String)
    }

    /// Who it is.
    public let identity: Identity
    /// SHA-256 of the key that was signed in with, in hexadecimal: the session is worth nothing once that key is not.
    public let keyHash: String
    /// SHA-256 of what the page got to send along with each request, in hexadecimal.
    public let tokenHash: String
    /// When it ends, whatever happens until then.
    public let endsAt: WallTime

    public init(identity: Identity, keyHash: String, tokenHash: String, endsAt: WallTime) {
        self.identity = identity
        self.keyHash = keyHash
        self.tokenHash = tokenHash
        self.endsAt = endsAt
    }

    /// Whether it is the page that this session was given to.
    public func isToken(_ token: String) -> Bool {
        Digest.constantTimeEqual(Array(Secret.hexHash(token).utf8), Array(tokenHash.utf8))
    }

    /// As it is kept: kind, hashes of key and token, end in epoch milliseconds, and who it is, with blanks between.
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
