// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
import RedisClient

extension Scripts {
    static let addStartCellsScript = RedisScript(
        name: "add-start-cells", source: String(cString: store_script_add_start_cells()),
        arity: RedisScriptArity(keys: .init(required: 4), arguments: .init(required: 6)))

    /// Fills consecutive slots of a page with the push-to-start tokens of devices that join a registered
    /// activity, and writes their identities.
    static func addStartCells(
        startPage: String, statusPage: String, identities: String, counters: String,
        first: some RedisArgumentConvertible, width: some RedisArgumentConvertible,
        cells: some RedisArgumentConvertible, status: some RedisArgumentConvertible, run: some RedisArgumentConvertible,
        expiresAt: some RedisArgumentConvertible
    ) -> ScriptCall<Int> {
        ScriptCall(
            addStartCellsScript, [startPage, statusPage, identities, counters],
            [first, width, cells, status, run, expiresAt], read: ScriptReply.int)
    }

    enum ClearUpdateCellReply {
        case unchanged
        case cleared
        case anotherToken

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 0: return .unchanged
            case 1: return .cleared
            case 2: return .anotherToken
            default: return nil
            }
        }
    }

    static let clearUpdateCellScript = RedisScript(
        name: "clear-update-cell", source: String(cString: store_script_clear_update_cell()),
        arity: RedisScriptArity(keys: .init(required: 4, optional: 1), arguments: .init(required: 10)))

    /// Takes a device's update token away: its Live Activity has ended, or the token is dead.
    static func clearUpdateCell(
        updatePage: String, statusPage: String, counters: String, pendingEnds: String, startCounts: String? = nil,
        index: some RedisArgumentConvertible, cell: some RedisArgumentConvertible,
        newStatus: some RedisArgumentConvertible, latest: some RedisArgumentConvertible,
        expiresAt: some RedisArgumentConvertible, slot: some RedisArgumentConvertible,
        token: some RedisArgumentConvertible, dismissal: some RedisArgumentConvertible,
        endedBy: some RedisArgumentConvertible, order: some RedisArgumentConvertible
    ) -> ScriptCall<ClearUpdateCellReply> {
        ScriptCall(
            clearUpdateCellScript, [updatePage, statusPage, counters, pendingEnds] + [startCounts].compactMap(\.self),
            [index, cell, newStatus, latest, expiresAt, slot, token, dismissal, endedBy, order],
            read: ClearUpdateCellReply.read)
    }

    static let joinUserScript = RedisScript(
        name: "join-user", source: String(cString: store_script_join_user()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 3)))

    /// Writes a user's membership if it equals the expected one.
    static func joinUser(
        user: String, field: some RedisArgumentConvertible, expected: some RedisArgumentConvertible,
        value: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(joinUserScript, [user], [field, expected, value], read: ScriptReply.flag)
    }

    static let leaveUserScript = RedisScript(
        name: "leave-user", source: String(cString: store_script_leave_user()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 2)))

    /// Deletes a user's membership if it equals the expected one.
    static func leaveUser(
        user: String, field: some RedisArgumentConvertible, expected: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(leaveUserScript, [user], [field, expected], read: ScriptReply.flag)
    }

    static let placeDeviceScript = RedisScript(
        name: "place-device", source: String(cString: store_script_place_device()),
        arity: RedisScriptArity(keys: .init(required: 3), arguments: .init(required: 4)))

    /// Fills a slot with a device that shows its Live Activity already.
    static func placeDevice(
        statusPage: String, updatePage: String, identities: String, index: some RedisArgumentConvertible,
        expiresAt: some RedisArgumentConvertible, status: some RedisArgumentConvertible,
        identity: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(
            placeDeviceScript, [statusPage, updatePage, identities], [index, expiresAt, status, identity],
            read: ScriptReply.flag)
    }

    static let putStartCellScript = RedisScript(
        name: "put-start-cell", source: String(cString: store_script_put_start_cell()),
        arity: RedisScriptArity(keys: .init(required: 3), arguments: .init(required: 3)))

    /// Changes a push-to-start token of a registered activity.
    static func putStartCell(
        startPage: String, statusPage: String, counters: String, index: some RedisArgumentConvertible,
        cell: some RedisArgumentConvertible, newStatus: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(
            putStartCellScript, [startPage, statusPage, counters], [index, cell, newStatus], read: ScriptReply.flag)
    }

    static let readCellsScript = RedisScript(
        name: "read-cells", source: String(cString: store_script_read_cells()),
        arity: RedisScriptArity(keys: .init(required: 2), arguments: .init(required: 0, group: 1)))

    /// Reads cells of a token page together with the delivery statuses of their slots.
    static func readCells(
        tokenPage: String, statusPage: String, indexes: [any RedisArgumentConvertible]
    ) -> ScriptCall<[[UInt8]]> {
        ScriptCall(readCellsScript, [tokenPage, statusPage], indexes, read: ScriptReply.array(ScriptReply.bytes))
    }

    static let readPagesScript = RedisScript(
        name: "read-pages", source: String(cString: store_script_read_pages()),
        arity: RedisScriptArity(keys: .init(required: 0, group: 1), arguments: .init(required: 0)))

    /// Reads pages of one partition, from fields or keys.
    static func readPages(
        pages: [String]
    ) -> ScriptCall<[[UInt8]]> {
        ScriptCall(readPagesScript, pages, [], read: ScriptReply.array(ScriptReply.bytes))
    }

    static let replaceIdentitiesScript = RedisScript(
        name: "replace-identities", source: String(cString: store_script_replace_identities()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 4)))

    /// Replaces a run of identities if it equals the expected one.
    static func replaceIdentities(
        identities: String, first: some RedisArgumentConvertible, expected: some RedisArgumentConvertible,
        run: some RedisArgumentConvertible, expiresAt: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(replaceIdentitiesScript, [identities], [first, expected, run, expiresAt], read: ScriptReply.flag)
    }

    static let replaceUpdateTokenScript = RedisScript(
        name: "replace-update-token", source: String(cString: store_script_replace_update_token()),
        arity: RedisScriptArity(keys: .init(required: 4), arguments: .init(required: 3)))

    /// Replaces the token that reaches a device's Live Activity.
    static func replaceUpdateToken(
        updatePage: String, statusPage: String, counters: String, reading: String, index: some RedisArgumentConvertible,
        cell: some RedisArgumentConvertible, expiresAt: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(
            replaceUpdateTokenScript, [updatePage, statusPage, counters, reading], [index, cell, expiresAt],
            read: ScriptReply.flag)
    }

    static let takeSlotScript = RedisScript(
        name: "take-slot", source: String(cString: store_script_take_slot()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 3)))

    /// Assigns the next slot of a band to a device that opens its activity by itself, or changes its band.
    static func takeSlot(
        activity: String, most: some RedisArgumentConvertible, field: some RedisArgumentConvertible,
        first: some RedisArgumentConvertible
    ) -> ScriptCall<Int?> {
        ScriptCall(takeSlotScript, [activity], [most, field, first], read: ScriptReply.optional(ScriptReply.int))
    }
}
