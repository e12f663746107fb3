// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
import RedisClient

extension Scripts {
    static let findLostScript = RedisScript(
        name: "find-lost", source: String(cString: store_script_find_lost()),
        arity: RedisScriptArity(keys: .init(required: 2, group: 3), arguments: .init(required: 5, group: 1)))

    /// Finds the slots of a partition's pages whose device is to be started again, by `SlotStep.next` for
    /// `search` or `follower`.
    static func findLost(
        startCounts: String, pendingEnds: String, pages: [String], evidence: some RedisArgumentConvertible,
        doubtful: some RedisArgumentConvertible, lost: some RedisArgumentConvertible,
        startedAt: some RedisArgumentConvertible, most: some RedisArgumentConvertible,
        firstSlots: [any RedisArgumentConvertible]
    ) -> ScriptCall<[Int]> {
        ScriptCall(
            findLostScript, [startCounts, pendingEnds] + pages,
            [evidence, doubtful, lost, startedAt, most] + firstSlots, read: ScriptReply.array(ScriptReply.int))
    }

    static let postponeHealingScript = RedisScript(
        name: "postpone-healing", source: String(cString: store_script_postpone_healing()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 3)))

    /// Schedules the next search of an activity that heals.
    static func postponeHealing(
        healing: String, due: String, item: some RedisArgumentConvertible, dueAt: some RedisArgumentConvertible,
        page: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(postponeHealingScript, [healing, due], [item, dueAt, page], read: ScriptReply.flag)
    }

    static let prepareRestartScript = RedisScript(
        name: "prepare-restart", source: String(cString: store_script_prepare_restart()),
        arity: RedisScriptArity(keys: .init(required: 6), arguments: .init(required: 5, group: 4)))

    /// Prepares slots of a page for another start, except those that have changed since they were read.
    static func prepareRestart(
        startPage: String, statusPage: String, updatePage: String, counters: String, pendingEnds: String,
        startCounts: String, expiresAt: some RedisArgumentConvertible, broadcast: some RedisArgumentConvertible,
        firstSlot: some RedisArgumentConvertible, pastEnds: some RedisArgumentConvertible,
        leftCell: some RedisArgumentConvertible, slots: [any RedisArgumentConvertible]
    ) -> ScriptCall<[UInt8]> {
        ScriptCall(
            prepareRestartScript, [startPage, statusPage, updatePage, counters, pendingEnds, startCounts],
            [expiresAt, broadcast, firstSlot, pastEnds, leftCell] + slots, read: ScriptReply.bytes)
    }
}
