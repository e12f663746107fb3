// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
import RedisClient

extension Scripts {
    enum AddScheduleReply {
        case added
        case known
        case full
        case ended

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 1: return .added
            case 3: return .known
            case 2: return .full
            case 0: return .ended
            default: return nil
            }
        }
    }

    static let addScheduleScript = RedisScript(
        name: "add-schedule", source: String(cString: store_script_add_schedule()),
        arity: RedisScriptArity(keys: .init(required: 4, optional: 1), arguments: .init(required: 5, group: 2)))

    /// Adds a schedule to an activity.
    static func addSchedule(
        activity: String, schedule: String, waiting: String, due: String, own: String? = nil,
        most: some RedisArgumentConvertible, id: some RedisArgumentConvertible, item: some RedisArgumentConvertible,
        dueAt: some RedisArgumentConvertible, expiresAt: some RedisArgumentConvertible,
        fields: [any RedisArgumentConvertible]
    ) -> ScriptCall<AddScheduleReply> {
        ScriptCall(
            addScheduleScript, [activity, schedule, waiting, due] + [own].compactMap(\.self),
            [most, id, item, dueAt, expiresAt] + fields, read: AddScheduleReply.read)
    }

    static let changeScheduleScript = RedisScript(
        name: "change-schedule", source: String(cString: store_script_change_schedule()),
        arity: RedisScriptArity(keys: .init(required: 3, optional: 1), arguments: .init(required: 4)))

    /// Deletes a waiting schedule, or gives it a shorter list of devices.
    static func changeSchedule(
        schedule: String, waiting: String, due: String, own: String? = nil, id: some RedisArgumentConvertible,
        item: some RedisArgumentConvertible, version: some RedisArgumentConvertible,
        devices: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(
            changeScheduleScript, [schedule, waiting, due] + [own].compactMap(\.self), [id, item, version, devices],
            read: ScriptReply.flag)
    }

    static let concludeScheduleScript = RedisScript(
        name: "conclude-schedule", source: String(cString: store_script_conclude_schedule()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 5)))

    /// Ends a waiting schedule without a broadcast.
    static func concludeSchedule(
        activity: String, due: String, activityID: some RedisArgumentConvertible, id: some RedisArgumentConvertible,
        now: some RedisArgumentConvertible, state: some RedisArgumentConvertible, reason: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(
            concludeScheduleScript, [activity, due], [activityID, id, now, state, reason], read: ScriptReply.flag)
    }
}
