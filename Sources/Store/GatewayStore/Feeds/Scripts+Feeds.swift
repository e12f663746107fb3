// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
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

    static let leaseFeedScript = RedisScript(
        name: "lease-feed", source: String(cString: store_script_lease_feed()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 2)))

    /// Acquires, renews or releases the lease on polling a feed, and reads the feed's state.
    static func leaseFeed(
        lease: String, feed: String, holder: some RedisArgumentConvertible, lifetime: some RedisArgumentConvertible
    ) -> ScriptCall<LeaseFeedReply> {
        ScriptCall(leaseFeedScript, [lease, feed], [holder, lifetime], read: LeaseFeedReply.read)
    }

    static let notePollScript = RedisScript(
        name: "note-poll", source: String(cString: store_script_note_poll()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 3, group: 2)))

    /// Records a feed's state after a poll, if the caller still holds the lease.
    static func notePoll(
        lease: String, feed: String, holder: some RedisArgumentConvertible, strays: some RedisArgumentConvertible,
        lifetime: some RedisArgumentConvertible, fields: [any RedisArgumentConvertible]
    ) -> ScriptCall<Bool> {
        ScriptCall(notePollScript, [lease, feed], [holder, strays, lifetime] + fields, read: ScriptReply.flag)
    }
}
