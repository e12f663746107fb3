// Written by scripts/store_scripts.py from the heads of the Lua files.
import RedisClient

extension Scripts {
    struct FindNewestUpdateReply {
        let id: String
        let order: Int
        let hasEnded: Bool

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 3,
                let id = ScriptReply.text(parts[0]),
                let order = ScriptReply.int(parts[1]),
                let hasEnded = ScriptReply.flag(parts[2])
            else { return nil }
            return Self(id: id, order: order, hasEnded: hasEnded)
        }
    }

    static let findNewestUpdateScript = ScriptLibrary.embedded["find-newest-update"]
    /// The update whose content is kept.
    static func findNewestUpdate(
        activity: String, prefix: some RedisArgumentConvertible
    ) -> ScriptCall<FindNewestUpdateReply?> {
        ScriptCall(findNewestUpdateScript, [activity], [prefix], read: ScriptReply.optional(FindNewestUpdateReply.read))
    }

    struct FindTokenReply {
        let status: Int
        let held: Int
        let rank: Int

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 3,
                let status = ScriptReply.int(parts[0]),
                let held = ScriptReply.int(parts[1]),
                let rank = ScriptReply.int(parts[2])
            else { return nil }
            return Self(status: status, held: held, rank: rank)
        }
    }

    static let findTokenScript = ScriptLibrary.embedded["find-token"]
    /// Compares a token with those that a slot has, and had.
    static func findToken(
        updatePage: String, statusPage: String, counters: String, index: some RedisArgumentConvertible,
        slot: some RedisArgumentConvertible, token: some RedisArgumentConvertible
    ) -> ScriptCall<FindTokenReply> {
        ScriptCall(
            findTokenScript, [updatePage, statusPage, counters], [index, slot, token], read: FindTokenReply.read)
    }

    static let hasMetScript = ScriptLibrary.embedded["has-met"]
    /// Returns 1 if the fan-out of an update has read, or will read, the page with the slot's present token.
    static func hasMet(
        reading: String, order: some RedisArgumentConvertible, index: some RedisArgumentConvertible,
        isOver: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(hasMetScript, [reading], [order, index, isOver], read: ScriptReply.flag)
    }

    static let keepFormerTokensScript = ScriptLibrary.embedded["keep-former-tokens"]
    /// Has a slot know the tokens of the slot that its device had before.
    static func keepFormerTokens(
        counters: String, slot: some RedisArgumentConvertible, digests: some RedisArgumentConvertible,
        expiresAt: some RedisArgumentConvertible, areOver: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(keepFormerTokensScript, [counters], [slot, digests, expiresAt, areOver], read: ScriptReply.flag)
    }

    static let nameLiveActivityScript = ScriptLibrary.embedded["name-live-activity"]
    /// Records the name that iOS gave to a Live Activity, with the time of its first report.
    static func nameLiveActivity(
        user: String, field: some RedisArgumentConvertible, value: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(nameLiveActivityScript, [user], [field, value], read: ScriptReply.flag)
    }

    static let noteMetScript = ScriptLibrary.embedded["note-met"]
    /// Records that an update is sent to a single slot.
    static func noteMet(
        reading: String, order: some RedisArgumentConvertible, index: some RedisArgumentConvertible,
        expiresAt: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(noteMetScript, [reading], [order, index, expiresAt], read: ScriptReply.flag)
    }

    struct NoteTapReply {
        let schedule: String
        let name: String

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 2,
                let schedule = ScriptReply.text(parts[0]),
                let name = ScriptReply.text(parts[1])
            else { return nil }
            return Self(schedule: schedule, name: name)
        }
    }

    static let noteTapScript = ScriptLibrary.embedded["note-tap"]
    /// Counts a tap unless it was counted before, and returns the last driver of the activity.
    static func noteTap(
        activity: String, taps: String? = nil, insiderID: some RedisArgumentConvertible,
        tap: some RedisArgumentConvertible, now: some RedisArgumentConvertible,
        remembered: some RedisArgumentConvertible, capacity: some RedisArgumentConvertible
    ) -> ScriptCall<NoteTapReply?> {
        ScriptCall(
            noteTapScript, [activity] + [taps].compactMap(\.self), [insiderID, tap, now, remembered, capacity],
            read: ScriptReply.optional(NoteTapReply.read))
    }

    struct PutUpdateCellReply {
        let outcome: Int
        let pendingEnd: String
        let start: [Int]

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 2,
                let outcome = ScriptReply.int(parts[0]),
                let pendingEnd = ScriptReply.text(parts[1]),
                let start = ScriptReply.array(ScriptReply.int)(.array(Array(parts[2...])))
            else { return nil }
            return Self(outcome: outcome, pendingEnd: pendingEnd, start: start)
        }
    }

    static let putUpdateCellScript = ScriptLibrary.embedded["put-update-cell"]
    /// Records the update token that a device reports, or that its Live Activity is there without one, which
    /// keeps a former token.
    static func putUpdateCell(
        updatePage: String, statusPage: String, counters: String, pendingEnds: String, startPage: String,
        doubts: String, startCounts: String, reading: String? = nil, index: some RedisArgumentConvertible,
        cell: some RedisArgumentConvertible, expiresAt: some RedisArgumentConvertible,
        slot: some RedisArgumentConvertible, now: some RedisArgumentConvertible,
        elsewhere: some RedisArgumentConvertible
    ) -> ScriptCall<PutUpdateCellReply> {
        ScriptCall(
            putUpdateCellScript,
            [updatePage, statusPage, counters, pendingEnds, startPage, doubts, startCounts]
                + [reading].compactMap(\.self), [index, cell, expiresAt, slot, now, elsewhere],
            read: PutUpdateCellReply.read)
    }

    static let readFormerTokensScript = ScriptLibrary.embedded["read-former-tokens"]
    /// Reads the digests of the update tokens that a slot has and had.
    static func readFormerTokens(
        updatePage: String, statusPage: String, counters: String, index: some RedisArgumentConvertible,
        slot: some RedisArgumentConvertible
    ) -> ScriptCall<[UInt8]> {
        ScriptCall(readFormerTokensScript, [updatePage, statusPage, counters], [index, slot], read: ScriptReply.bytes)
    }

    static let showAgainScript = ScriptLibrary.embedded["show-again"]
    /// Takes back that a device's Live Activity has ended, because it is there and has to be ended again.
    static func showAgain(
        updatePage: String, statusPage: String, counters: String, pendingEnds: String,
        index: some RedisArgumentConvertible, endedCell: some RedisArgumentConvertible,
        slot: some RedisArgumentConvertible, now: some RedisArgumentConvertible,
        expiresAt: some RedisArgumentConvertible
    ) -> ScriptCall<Int> {
        ScriptCall(
            showAgainScript, [updatePage, statusPage, counters, pendingEnds], [index, endedCell, slot, now, expiresAt],
            read: ScriptReply.int)
    }
}
