import LiveActivity

extension Keys {
    /// A topic: what its owner says, and how far its activity is. Keys of its followers' wishes begin with it, and go
    /// on with a slash, which no name has in it.
    static func topic(_ id: TopicID) -> String { "fanfare:{\(id.shard)}:\(id)" }

    /// Followers that are to be looked at, by when.
    static func topicQueue(_ id: TopicID) -> String { "\(topic(id))/q" }

    /// The names of a tenant's topics.
    static func topicNames(_ tenantID: String) -> String { "fanfare:{y:\(tenantID)}" }

    /// Which topics a user has said to follow.
    static func follows(_ tenantID: String, _ insiderID: String) -> String { "\(user(tenantID, insiderID)):y" }

    /// Which topics want to be told when a device of a user reports, for it follows them and cannot be started.
    static func waiting(_ tenantID: String, _ insiderID: String) -> String { "\(user(tenantID, insiderID)):z" }

    /// Pages of a partition in which a device may have lost its Live Activity, with how often that was noted.
    static func looks(_ activity: UniqueID, _ partition: Int) -> String { "\(Keys.partition(activity, partition)):l" }
}
