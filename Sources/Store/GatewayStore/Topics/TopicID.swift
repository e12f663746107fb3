import Encodings
public import LiveActivity
import Secrets

/// The tenant and the name of a topic.
public struct TopicID: Hashable, Sendable, CustomStringConvertible {
    /// The tenant of the topic.
    public let tenantID: String
    /// Unique among the tenant's topics, see `TopicName`.
    public let name: String

    public init(tenantID: String, name: String) {
        self.tenantID = tenantID
        self.name = name
    }

    /// The topic's item in the due queue. No tenant's id has a colon.
    public var description: String { "y:\(tenantID):\(name)" }

    /// The digest that selects the shard and the id for sealing.
    private var digest: [UInt8] { Digest.sha256(Array(description.utf8)) }

    /// The shard of the topic and of its activities, so that one step may change both.
    var shard: Int { Int(UInt64(digest[0]) % Keys.shards) }

    /// The id to which the topic's sealed contents are bound.
    var sealingID: UniqueID { UniqueID(bytes: digest.prefix(16)) ?? UniqueID(high: 0, low: 0) }

    /// The id of a new activity of the topic.
    public func newActivityID() -> UniqueID {
        let id = UniqueID.random()
        return UniqueID(high: id.high, low: id.low - id.low % Keys.shards + UInt64(shard))
    }
}
