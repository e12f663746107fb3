// Written by scripts/store_scripts.py from the heads of the Lua files.
import RedisClient

extension Scripts {
    struct LeaseFeedReply {
        let isOwn: Bool
        let feed: [RedisField]

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 2,
                let isOwn = ScriptReply.flag(parts[0]),
                let feed = ScriptReply.fields(parts[1])
            else { return nil }
            return Self(isOwn: isOwn, feed: feed)
        }
    }

    static let leaseFeedScript = ScriptLibrary.embedded["lease-feed"]
    /// Acquires, renews or releases the lease on polling a feed, and reads the feed's state.
    static func leaseFeed(
        lease: String, feed: String, holder: some RedisArgumentConvertible, lifetime: some RedisArgumentConvertible
    ) -> ScriptCall<LeaseFeedReply> {
        ScriptCall(leaseFeedScript, [lease, feed], [holder, lifetime], read: LeaseFeedReply.read)
    }

    static let notePollScript = ScriptLibrary.embedded["note-poll"]
    /// Records a feed's state after a poll, if the caller still holds the lease.
    static func notePoll(
        lease: String, feed: String, holder: some RedisArgumentConvertible, strays: some RedisArgumentConvertible,
        lifetime: some RedisArgumentConvertible, fields: [any RedisArgumentConvertible]
    ) -> ScriptCall<Bool> {
        ScriptCall(notePollScript, [lease, feed], [holder, strays, lifetime] + fields, read: ScriptReply.flag)
    }
}
