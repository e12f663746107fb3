// Written by scripts/store_scripts.py from the heads of the Lua files.
import RedisClient

extension Scripts {
    static let addStartCellsScript = ScriptLibrary.embedded["add-start-cells"]
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

    static let clearUpdateCellScript = ScriptLibrary.embedded["clear-update-cell"]
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

    static let joinUserScript = ScriptLibrary.embedded["join-user"]
    /// Writes a user's membership if it equals the expected one.
    static func joinUser(
        user: String, field: some RedisArgumentConvertible, expected: some RedisArgumentConvertible,
        value: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(joinUserScript, [user], [field, expected, value], read: ScriptReply.flag)
    }

    static let leaveUserScript = ScriptLibrary.embedded["leave-user"]
    /// Deletes a user's membership if it equals the expected one.
    static func leaveUser(
        user: String, field: some RedisArgumentConvertible, expected: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(leaveUserScript, [user], [field, expected], read: ScriptReply.flag)
    }

    static let placeDeviceScript = ScriptLibrary.embedded["place-device"]
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

    static let putStartCellScript = ScriptLibrary.embedded["put-start-cell"]
    /// Changes a push-to-start token of a registered activity.
    static func putStartCell(
        startPage: String, statusPage: String, counters: String, index: some RedisArgumentConvertible,
        cell: some RedisArgumentConvertible, newStatus: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(
            putStartCellScript, [startPage, statusPage, counters], [index, cell, newStatus], read: ScriptReply.flag)
    }

    static let readCellsScript = ScriptLibrary.embedded["read-cells"]
    /// Reads cells of a token page together with the delivery statuses of their slots.
    static func readCells(
        tokenPage: String, statusPage: String, indexes: [any RedisArgumentConvertible]
    ) -> ScriptCall<[[UInt8]]> {
        ScriptCall(readCellsScript, [tokenPage, statusPage], indexes, read: ScriptReply.array(ScriptReply.bytes))
    }

    static let readPagesScript = ScriptLibrary.embedded["read-pages"]
    /// Reads pages of one partition, from fields or keys.
    static func readPages(
        pages: [String]
    ) -> ScriptCall<[[UInt8]]> {
        ScriptCall(readPagesScript, pages, [], read: ScriptReply.array(ScriptReply.bytes))
    }

    static let replaceIdentitiesScript = ScriptLibrary.embedded["replace-identities"]
    /// Replaces a run of identities if it equals the expected one.
    static func replaceIdentities(
        identities: String, first: some RedisArgumentConvertible, expected: some RedisArgumentConvertible,
        run: some RedisArgumentConvertible, expiresAt: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(replaceIdentitiesScript, [identities], [first, expected, run, expiresAt], read: ScriptReply.flag)
    }

    static let replaceUpdateTokenScript = ScriptLibrary.embedded["replace-update-token"]
    /// Replaces the token that reaches a device's Live Activity.
    static func replaceUpdateToken(
        updatePage: String, statusPage: String, counters: String, reading: String, index: some RedisArgumentConvertible,
        cell: some RedisArgumentConvertible, expiresAt: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(
            replaceUpdateTokenScript, [updatePage, statusPage, counters, reading], [index, cell, expiresAt],
            read: ScriptReply.flag)
    }

    static let takeSlotScript = ScriptLibrary.embedded["take-slot"]
    /// Assigns the next slot of a band to a device that opens its activity by itself, or changes its band.
    static func takeSlot(
        activity: String, most: some RedisArgumentConvertible, field: some RedisArgumentConvertible,
        first: some RedisArgumentConvertible
    ) -> ScriptCall<Int?> {
        ScriptCall(takeSlotScript, [activity], [most, field, first], read: ScriptReply.optional(ScriptReply.int))
    }
}
