import LiveActivity

extension Keys {
    /// A topic's hash: its contents and its progress. The keys of its followers' preferences append a slash, which no
    /// name contains.
    static func topic(_ id: TopicID) -> String { "fanfare:{\(id.shard)}:\(id)" }

    /// The topic's queue: followers to process, by due time.
    static func topicQueue(_ id: TopicID) -> String { "\(topic(id))/q" }

    /// The names of a tenant's topics.
    static func topicNames(_ tenantID: String) -> String { "fanfare:{y:\(tenantID)}" }

    /// The topics that a user has followed by an app.
    static func follows(_ tenantID: String, _ insiderID: String) -> String { "\(user(tenantID, insiderID)):y" }

    /// The topics that a user follows without a device that can be started. A report of a device queues the user for
    /// them.
    static func waiting(_ tenantID: String, _ insiderID: String) -> String { "\(user(tenantID, insiderID)):z" }

    /// The pages of a partition in which a device may have lost its Live Activity, with the number of records of each.
    static func looks(_ activity: UniqueID, _ partition: Int) -> String { "\(Keys.partition(activity, partition)):l" }
}
