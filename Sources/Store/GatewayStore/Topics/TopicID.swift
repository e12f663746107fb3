import Encodings
public import LiveActivity
import Secrets

/// Which topic it is: of whom, and what it is called.
public struct TopicID: Hashable, Sendable, CustomStringConvertible {
    /// Whose it is.
    public let tenantID: String
    /// Unique among the tenant's topics, see `TopicName`.
    public let name: String

    public init(tenantID: String, name: String) {
        self.tenantID = tenantID
        self.name = name
    }

    /// As the due queue spells it. No tenant's id has a colon.
    public var description: String { "y:\(tenantID):\(name)" }

    /// The digest by which it is spread over shards, and its contents are sealed.
    private var digest: [UInt8] { Digest.sha256(Array(description.utf8)) }

    /// Its activities lie in the same shard, so that a step may change both.
    var shard: Int { Int(UInt64(digest[0]) % Keys.shards) }

    /// What its contents are sealed for.
    var sealingID: UniqueID { UniqueID(bytes: digest.prefix(16)) ?? UniqueID(high: 0, low: 0) }

    /// The id of a new activity of the topic.
    public func newActivityID() -> UniqueID {
        let id = UniqueID.random()
        return UniqueID(high: id.high, low: id.low - id.low % Keys.shards + UInt64(shard))
    }
}
