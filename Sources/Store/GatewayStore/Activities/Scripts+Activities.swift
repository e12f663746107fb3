// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
import RedisClient

extension Scripts {
    enum ClaimExternalActivityReply {
        case unknown
        case proposed(activity: String)
        case claimed(activity: String, createdAt: Int, endsAt: Int)

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 0: return .unknown
            case 1:
                guard parts.count >= 2,
                    let activity = ScriptReply.text(parts[1])
                else { return nil }
                return .proposed(activity: activity)
            case 2:
                guard parts.count >= 4,
                    let activity = ScriptReply.text(parts[1]),
                    let createdAt = ScriptReply.int(parts[2]),
                    let endsAt = ScriptReply.int(parts[3])
                else { return nil }
                return .claimed(activity: activity, createdAt: createdAt, endsAt: endsAt)
            default: return nil
            }
        }
    }

    static let claimExternalActivityScript = RedisScript(
        name: "claim-external-activity", source: String(cString: store_script_claim_external_activity()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 6)))

    /// Finds the activity of an external id, or gives the id to a new one if none exists or its time is up.
    static func claimExternalActivity(
        external: String, id: some RedisArgumentConvertible, claims: some RedisArgumentConvertible,
        now: some RedisArgumentConvertible, endsAt: some RedisArgumentConvertible,
        expiresAt: some RedisArgumentConvertible, patience: some RedisArgumentConvertible
    ) -> ScriptCall<ClaimExternalActivityReply> {
        ScriptCall(
            claimExternalActivityScript, [external], [id, claims, now, endsAt, expiresAt, patience],
            read: ClaimExternalActivityReply.read)
    }

    static let confirmRemovalScript = RedisScript(
        name: "confirm-removal", source: String(cString: store_script_confirm_removal()),
        arity: RedisScriptArity(keys: .init(required: 3), arguments: .init(required: 4, group: 2)))

    /// Removes users from the counts of a segment, and records them as leaving, in place of those recorded
    /// before.
    static func confirmRemoval(
        activity: String, rosterLock: String, leaving: String, devices: some RedisArgumentConvertible,
        users: some RedisArgumentConvertible, token: some RedisArgumentConvertible,
        keptUntil: some RedisArgumentConvertible, members: [any RedisArgumentConvertible]
    ) -> ScriptCall<Bool> {
        ScriptCall(
            confirmRemovalScript, [activity, rosterLock, leaving], [devices, users, token, keptUntil] + members,
            read: ScriptReply.flag)
    }

    static let confirmSlotsScript = RedisScript(
        name: "confirm-slots", source: String(cString: store_script_confirm_slots()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 3, group: 2)))

    /// Adds filled slots to the segment, unless a start has come in between.
    static func confirmSlots(
        activity: String, rosterLock: String, devices: some RedisArgumentConvertible,
        users: some RedisArgumentConvertible, token: some RedisArgumentConvertible,
        ranges: [any RedisArgumentConvertible]
    ) -> ScriptCall<Bool> {
        ScriptCall(
            confirmSlotsScript, [activity, rosterLock], [devices, users, token] + ranges, read: ScriptReply.flag)
    }

    static let listActivityScript = RedisScript(
        name: "list-activity", source: String(cString: store_script_list_activity()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 2)))

    /// Adds an activity to the index of its hour.
    static func listActivity(
        index: String, parts: String, entry: some RedisArgumentConvertible, expiresAt: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(listActivityScript, [index, parts], [entry, expiresAt], read: ScriptReply.flag)
    }

    static let makeActivityScript = RedisScript(
        name: "make-activity", source: String(cString: store_script_make_activity()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 3, group: 2)))

    /// Makes an activity visible, unless it is visible already, and adds its end to the due queue.
    static func makeActivity(
        activity: String, due: String, expiresAt: some RedisArgumentConvertible, item: some RedisArgumentConvertible,
        dueAt: some RedisArgumentConvertible, fields: [any RedisArgumentConvertible]
    ) -> ScriptCall<Bool> {
        ScriptCall(makeActivityScript, [activity, due], [expiresAt, item, dueAt] + fields, read: ScriptReply.flag)
    }

    static let reserveSlotsScript = RedisScript(
        name: "reserve-slots", source: String(cString: store_script_reserve_slots()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 1, group: 2)))

    /// Reserves slots for devices that are about to join a registered activity.
    static func reserveSlots(
        activity: String, most: some RedisArgumentConvertible, bands: [any RedisArgumentConvertible]
    ) -> ScriptCall<[Int]?> {
        ScriptCall(
            reserveSlotsScript, [activity], [most] + bands,
            read: ScriptReply.optional(ScriptReply.array(ScriptReply.int)))
    }

    static let unlistActivitiesScript = RedisScript(
        name: "unlist-activities", source: String(cString: store_script_unlist_activities()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 0, group: 1)))

    /// Removes entries from the index of their hour, and empty parts from the list of parts.
    static func unlistActivities(
        index: String, parts: String, entries: [any RedisArgumentConvertible]
    ) -> ScriptCall<Bool> {
        ScriptCall(unlistActivitiesScript, [index, parts], entries, read: ScriptReply.flag)
    }
}
