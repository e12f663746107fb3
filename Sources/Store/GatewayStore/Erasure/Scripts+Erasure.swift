// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
import RedisClient

extension Scripts {
    static let concludeErasureScript = RedisScript(
        name: "conclude-erasure", source: String(cString: store_script_conclude_erasure()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 2, group: 2)))

    /// Deletes the set-aside data, and closes the erasure.
    static func concludeErasure(
        aside: String, open: String, kept: some RedisArgumentConvertible, item: some RedisArgumentConvertible,
        fields: [any RedisArgumentConvertible]
    ) -> ScriptCall<Bool> {
        ScriptCall(concludeErasureScript, [aside, open], [kept, item] + fields, read: ScriptReply.flag)
    }

    static let noteLeavingScript = RedisScript(
        name: "note-leaving", source: String(cString: store_script_note_leaving()),
        arity: RedisScriptArity(keys: .init(required: 4), arguments: .init(required: 5)))

    /// Subtracts devices and their user from an activity's counts.
    static func noteLeaving(
        activity: String, driven: String, left: String, leaving: String, erased: some RedisArgumentConvertible,
        user: some RedisArgumentConvertible, devices: some RedisArgumentConvertible,
        users: some RedisArgumentConvertible, kept: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(
            noteLeavingScript, [activity, driven, left, leaving], [erased, user, devices, users, kept],
            read: ScriptReply.flag)
    }

    static let noteMembersScript = RedisScript(
        name: "note-members", source: String(cString: store_script_note_members()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 3)))

    /// Records, in the set-aside data, the number of leaving devices that an activity's segment counts.
    static func noteMembers(
        aside: String, place: some RedisArgumentConvertible, field: some RedisArgumentConvertible,
        members: some RedisArgumentConvertible
    ) -> ScriptCall<Int> {
        ScriptCall(noteMembersScript, [aside], [place, field, members], read: ScriptReply.int)
    }

    struct SetAsideReply {
        let devices: Int
        let users: Int
        let open: [String]

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 2,
                let devices = ScriptReply.int(parts[0]),
                let users = ScriptReply.int(parts[1]),
                let open = ScriptReply.array(ScriptReply.text)(.array(Array(parts[2...])))
            else { return nil }
            return Self(devices: devices, users: users, open: open)
        }
    }

    static let setAsideScript = RedisScript(
        name: "set-aside", source: String(cString: store_script_set_aside()),
        arity: RedisScriptArity(keys: .init(required: 7), arguments: .init(required: 7)))

    /// Removes a user, or one device of a user, from the user's hash in one step.
    static func setAside(
        user: String, aside: String, erased: String, follows: String, waiting: String, opened: String, open: String,
        field: some RedisArgumentConvertible, udid: some RedisArgumentConvertible, meant: some RedisArgumentConvertible,
        now: some RedisArgumentConvertible, kept: some RedisArgumentConvertible,
        remembered: some RedisArgumentConvertible, item: some RedisArgumentConvertible
    ) -> ScriptCall<SetAsideReply> {
        ScriptCall(
            setAsideScript, [user, aside, erased, follows, waiting, opened, open],
            [field, udid, meant, now, kept, remembered, item], read: SetAsideReply.read)
    }
}
