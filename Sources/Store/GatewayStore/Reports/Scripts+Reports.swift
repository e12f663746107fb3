// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
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

    static let findNewestUpdateScript = RedisScript(
        name: "find-newest-update", source: String(cString: store_script_find_newest_update()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 1)))

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

    static let findTokenScript = RedisScript(
        name: "find-token", source: String(cString: store_script_find_token()),
        arity: RedisScriptArity(keys: .init(required: 3), arguments: .init(required: 3)))

    /// Compares a token with those that a slot has, and had.
    static func findToken(
        updatePage: String, statusPage: String, counters: String, index: some RedisArgumentConvertible,
        slot: some RedisArgumentConvertible, token: some RedisArgumentConvertible
    ) -> ScriptCall<FindTokenReply> {
        ScriptCall(
            findTokenScript, [updatePage, statusPage, counters], [index, slot, token], read: FindTokenReply.read)
    }

    static let hasMetScript = RedisScript(
        name: "has-met", source: String(cString: store_script_has_met()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 3)))

    /// Returns 1 if the fan-out of an update has read, or will read, the page with the slot's present token.
    static func hasMet(
        reading: String, order: some RedisArgumentConvertible, index: some RedisArgumentConvertible,
        isOver: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(hasMetScript, [reading], [order, index, isOver], read: ScriptReply.flag)
    }

    static let keepFormerTokensScript = RedisScript(
        name: "keep-former-tokens", source: String(cString: store_script_keep_former_tokens()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 4)))

    /// Has a slot know the tokens of the slot that its device had before.
    static func keepFormerTokens(
        counters: String, slot: some RedisArgumentConvertible, digests: some RedisArgumentConvertible,
        expiresAt: some RedisArgumentConvertible, areOver: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(keepFormerTokensScript, [counters], [slot, digests, expiresAt, areOver], read: ScriptReply.flag)
    }

    static let nameLiveActivityScript = RedisScript(
        name: "name-live-activity", source: String(cString: store_script_name_live_activity()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 2)))

    /// Records the name that iOS gave to a Live Activity, with the time of its first report.
    static func nameLiveActivity(
        user: String, field: some RedisArgumentConvertible, value: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(nameLiveActivityScript, [user], [field, value], read: ScriptReply.flag)
    }

    static let noteMetScript = RedisScript(
        name: "note-met", source: String(cString: store_script_note_met()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 3)))

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

    static let noteTapScript = RedisScript(
        name: "note-tap", source: String(cString: store_script_note_tap()),
        arity: RedisScriptArity(keys: .init(required: 1, optional: 1), arguments: .init(required: 5)))

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
        let reached: Bool?
        let sinceStart: Int?

        static func read(_ reply: RedisReplyView) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 2,
                let outcome = ScriptReply.int(parts[0]),
                let pendingEnd = ScriptReply.text(parts[1]),
                let reached = ScriptReply.last(parts, 2, ScriptReply.flag),
                let sinceStart = ScriptReply.last(parts, 3, ScriptReply.int)
            else { return nil }
            return Self(outcome: outcome, pendingEnd: pendingEnd, reached: reached, sinceStart: sinceStart)
        }
    }

    static let putUpdateCellScript = RedisScript(
        name: "put-update-cell", source: String(cString: store_script_put_update_cell()),
        arity: RedisScriptArity(keys: .init(required: 7, optional: 1), arguments: .init(required: 6)))

    /// Records the update token that a device reports, or that its Live Activity is there without one, which
    /// keeps a former token.
    struct PutUpdateCell {
        private let head: RedisScriptCall

        init(
            updatePage: String, statusPage: String, counters: String, pendingEnds: String, startPage: String,
            doubts: String, startCounts: String, reading: String? = nil
        ) {
            var hint = 64
            hint += updatePage.redisByteCountHint
            hint += statusPage.redisByteCountHint
            hint += counters.redisByteCountHint
            hint += pendingEnds.redisByteCountHint
            hint += startPage.redisByteCountHint
            hint += doubts.redisByteCountHint
            hint += startCounts.redisByteCountHint
            hint += reading?.redisByteCountHint ?? 0
            let count = 7 + (reading == nil ? 0 : 1)
            var call = RedisScriptCall(putUpdateCellScript, keyCount: count, byteCountHint: hint)
            call.append(updatePage)
            call.append(statusPage)
            call.append(counters)
            call.append(pendingEnds)
            call.append(startPage)
            call.append(doubts)
            call.append(startCounts)
            if let reading { call.append(reading) }
            head = call
        }

        func command(
            index: some RedisArgumentConvertible, cell: some RedisArgumentConvertible,
            expiresAt: some RedisArgumentConvertible, slot: some RedisArgumentConvertible,
            now: some RedisArgumentConvertible, elsewhere: some RedisArgumentConvertible
        ) -> RedisCommand {
            var hint = 48
            hint += index.redisByteCountHint
            hint += cell.redisByteCountHint
            hint += expiresAt.redisByteCountHint
            hint += slot.redisByteCountHint
            hint += now.redisByteCountHint
            hint += elsewhere.redisByteCountHint
            var call = RedisScriptCall(copying: head, byteCountHint: hint)
            call.append(index)
            call.append(cell)
            call.append(expiresAt)
            call.append(slot)
            call.append(now)
            call.append(elsewhere)
            return (consume call).finish()
        }
    }

    static let readFormerTokensScript = RedisScript(
        name: "read-former-tokens", source: String(cString: store_script_read_former_tokens()),
        arity: RedisScriptArity(keys: .init(required: 3), arguments: .init(required: 2)))

    /// Reads the digests of the update tokens that a slot has and had.
    static func readFormerTokens(
        updatePage: String, statusPage: String, counters: String, index: some RedisArgumentConvertible,
        slot: some RedisArgumentConvertible
    ) -> ScriptCall<[UInt8]> {
        ScriptCall(readFormerTokensScript, [updatePage, statusPage, counters], [index, slot], read: ScriptReply.bytes)
    }

    static let showAgainScript = RedisScript(
        name: "show-again", source: String(cString: store_script_show_again()),
        arity: RedisScriptArity(keys: .init(required: 4), arguments: .init(required: 5)))

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
