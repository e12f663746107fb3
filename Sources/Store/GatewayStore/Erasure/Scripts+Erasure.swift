// Written by scripts/store_scripts.py from the heads of the Lua files.
import RedisClient

extension Scripts {
    static let concludeErasureScript = ScriptLibrary.embedded["conclude-erasure"]
    /// Deletes the set-aside data, and closes the erasure.
    static func concludeErasure(
        aside: String, open: String, kept: some RedisArgumentConvertible, item: some RedisArgumentConvertible,
        fields: [any RedisArgumentConvertible]
    ) -> ScriptCall<Bool> {
        ScriptCall(concludeErasureScript, [aside, open], [kept, item] + fields, read: ScriptReply.flag)
    }

    static let noteLeavingScript = ScriptLibrary.embedded["note-leaving"]
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

    static let noteMembersScript = ScriptLibrary.embedded["note-members"]
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

    static let setAsideScript = ScriptLibrary.embedded["set-aside"]
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
