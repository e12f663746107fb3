// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
import RedisClient

extension Scripts {
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
