// Written by scripts/store_scripts.py from the heads of the Lua files.
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

    static let addScheduleScript = ScriptLibrary.embedded["add-schedule"]
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

    static let changeScheduleScript = ScriptLibrary.embedded["change-schedule"]
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

    static let concludeScheduleScript = ScriptLibrary.embedded["conclude-schedule"]
    /// Ends a waiting schedule without a broadcast.
    static func concludeSchedule(
        activity: String, due: String, activityID: some RedisArgumentConvertible, id: some RedisArgumentConvertible,
        now: some RedisArgumentConvertible, state: some RedisArgumentConvertible, reason: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(
            concludeScheduleScript, [activity, due], [activityID, id, now, state, reason], read: ScriptReply.flag)
    }
}
