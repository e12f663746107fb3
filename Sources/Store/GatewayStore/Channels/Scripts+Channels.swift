// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
import RedisClient

extension Scripts {
    static let beginChannelScript = RedisScript(
        name: "begin-channel", source: String(cString: store_script_begin_channel()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 4)))

    /// Records that a broadcast channel is about to be created, unless too many creations are under way.
    static func beginChannel(
        intents: String, listing: String, intent: some RedisArgumentConvertible, now: some RedisArgumentConvertible,
        since: some RedisArgumentConvertible, limit: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(beginChannelScript, [intents, listing], [intent, now, since, limit], read: ScriptReply.flag)
    }

    static let doomChannelScript = RedisScript(
        name: "doom-channel", source: String(cString: store_script_doom_channel()),
        arity: RedisScriptArity(keys: .init(required: 3), arguments: .init(required: 4)))

    /// Takes a broadcast channel from its activity, to be deleted at a time, unless it was taken anew
    /// meanwhile.
    static func doomChannel(
        used: String, takers: String, doomed: String, channel: some RedisArgumentConvertible,
        taker: some RedisArgumentConvertible, takenAt: some RedisArgumentConvertible, at: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(doomChannelScript, [used, takers, doomed], [channel, taker, takenAt, at], read: ScriptReply.flag)
    }

    static let dropChannelScript = RedisScript(
        name: "drop-channel", source: String(cString: store_script_drop_channel()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 1)))

    /// Removes a broadcast channel from its activity, so that later starts ask for update tokens.
    static func dropChannel(
        activity: String, channel: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(dropChannelScript, [activity], [channel], read: ScriptReply.flag)
    }

    static let forgetChannelsScript = RedisScript(
        name: "forget-channels", source: String(cString: store_script_forget_channels()),
        arity: RedisScriptArity(keys: .init(required: 5), arguments: .init(required: 0, group: 1)))

    /// Deletes the records of broadcast channels that the provider no longer has.
    static func forgetChannels(
        pool: String, used: String, takers: String, doomed: String, strangers: String,
        channels: [any RedisArgumentConvertible]
    ) -> ScriptCall<Int> {
        ScriptCall(forgetChannelsScript, [pool, used, takers, doomed, strangers], channels, read: ScriptReply.int)
    }

    static let noteStrangersScript = RedisScript(
        name: "note-strangers", source: String(cString: store_script_note_strangers()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 2, group: 1)))

    /// Records the broadcast channels that only the provider knows, and the number of all its channels.
    static func noteStrangers(
        strangers: String, listing: String, now: some RedisArgumentConvertible, count: some RedisArgumentConvertible,
        channels: [any RedisArgumentConvertible]
    ) -> ScriptCall<Bool> {
        ScriptCall(noteStrangersScript, [strangers, listing], [now, count] + channels, read: ScriptReply.flag)
    }

    static let putChannelScript = RedisScript(
        name: "put-channel", source: String(cString: store_script_put_channel()),
        arity: RedisScriptArity(keys: .init(required: 6), arguments: .init(required: 5)))

    /// Records a new broadcast channel for an activity or for the pool.
    static func putChannel(
        pool: String, used: String, takers: String, doomed: String, intents: String, strangers: String,
        channel: some RedisArgumentConvertible, intent: some RedisArgumentConvertible,
        taker: some RedisArgumentConvertible, keeps: some RedisArgumentConvertible, now: some RedisArgumentConvertible
    ) -> ScriptCall<String> {
        ScriptCall(
            putChannelScript, [pool, used, takers, doomed, intents, strangers], [channel, intent, taker, keeps, now],
            read: ScriptReply.text)
    }

    static let takeChannelScript = RedisScript(
        name: "take-channel", source: String(cString: store_script_take_channel()),
        arity: RedisScriptArity(keys: .init(required: 3), arguments: .init(required: 3)))

    /// Assigns a ready broadcast channel to an activity.
    static func takeChannel(
        pool: String, used: String, takers: String, taker: some RedisArgumentConvertible,
        keeps: some RedisArgumentConvertible, now: some RedisArgumentConvertible
    ) -> ScriptCall<String?> {
        ScriptCall(
            takeChannelScript, [pool, used, takers], [taker, keeps, now], read: ScriptReply.optional(ScriptReply.text))
    }
}
