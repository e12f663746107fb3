public import LiveActivity
import RedisClient
import TimeCore

extension StoredFollowers {
    /// Ends a user's following of the activity's topic, because the user has dismissed the Live Activity. Does nothing
    /// for an activity without a topic.
    public func unfollow(_ insiderID: String, topicOf activity: UniqueID) async throws(StoreError) {
        let found = try await value(RedisCommand("HMGET", Keys.activity(activity), "tenant", "topic")).array ?? []
        guard found.count == 2, let tenantID = found[0].string, let name = found[1].string else { return }
        _ = try await setWish(
            false, of: insiderID, TopicID(tenantID: tenantID, name: name), reportedAt: wallClock(), nil)
    }
}
