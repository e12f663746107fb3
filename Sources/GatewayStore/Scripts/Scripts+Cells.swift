import RedisClient

extension Scripts {
    /// Reads cells of a token page together with the fates of their slots.
    ///
    /// KEYS: token page, fate page. ARGV: indexes. Reply: for each index the fate (one byte), then the content, or a
    /// zero byte and the reason. An array of pairs {fate .. reason, content}.
    static let readCells = RedisScript(
        name: "read-cells",
        source: cells + """
            local reply = {}
            for position, index in ipairs(ARGV) do
                index = tonumber(index)
                local content, reason = read_cell(KEYS[1], index)
                local fate = redis.call('GETRANGE', KEYS[2], index, index)
                if fate == '' then fate = '\\0' end
                reply[position * 2 - 1] = fate .. string.char(reason)
                reply[position * 2] = content or ''
            end
            return reply
            """)

    /// Changes a push-to-start token of a registered activity. Passed over when the page is gone, as it is once the
    /// start has ended.
    ///
    /// KEYS: start page, fate page, counters. ARGV: index, cell, fate to set ('' for unchanged).
    /// Reply: 1 when the cell was written, else 0.
    static let putStartCell = RedisScript(
        name: "put-start-cell",
        source: cells + """
            local index = tonumber(ARGV[1])
            local old = read_cell(KEYS[1], index)
            if not old then return 0 end
            write_cell(KEYS[1], index, ARGV[2], 0)
            local before, after = old ~= '' and 1 or 0, string.byte(ARGV[2], 1) > 0 and 1 or 0
            if before ~= after then redis.call('HINCRBY', KEYS[3], 'startable', after - before) end
            if ARGV[3] ~= '' then redis.call('SETRANGE', KEYS[2], index, ARGV[3]) end
            return 1
            """)

    /// Notes the update token that a device reports.
    ///
    /// KEYS: update page, fate page, counters, pending ends. ARGV: index, cell, expiry of the page in epoch ms, slot.
    /// Reply: {outcome, broadcast that ends this device or ''}; outcome -1: not a member, 0: the same token as before,
    /// 1: written, 2: the card has ended already.
    static let putUpdateCell = RedisScript(
        name: "put-update-cell",
        source: cells + """
            local index = tonumber(ARGV[1])
            local fate = string.byte(redis.call('GETRANGE', KEYS[2], index, index)) or 0
            if fate == 0 or fate == 2 then return { -1, '' } end
            if fate >= 16 then return { 2, '' } end
            local pending = redis.call('HGET', KEYS[4], ARGV[4]) or ''
            local old = read_cell(KEYS[1], index)
            if old and old ~= '' and string.sub(old, 5) == string.sub(ARGV[2], 6) then return { 0, pending } end
            write_cell(KEYS[1], index, ARGV[2], ARGV[3])
            if not old or old == '' then
                redis.call('HINCRBY', KEYS[3], 'synced', 1)
                redis.call('PEXPIREAT', KEYS[3], ARGV[3])
            end
            return { 1, pending }
            """)

    /// Takes a device's update token away: its card has ended, or the token is dead.
    ///
    /// KEYS: update page, fate page, counters, pending ends. ARGV: index, cell that says why, fate to set ('' for
    /// unchanged), latest report time for which the token is taken away, in ms after the activity was made ('' for any),
    /// expiry of the page in epoch ms, slot, the token that is meant ('' for any).
    /// Reply: 1 when it was taken away or noted, else 0.
    static let clearUpdateCell = RedisScript(
        name: "clear-update-cell",
        source: cells + """
            local index = tonumber(ARGV[1])
            local old = read_cell(KEYS[1], index)
            if ARGV[4] ~= '' then
                if not old or old == '' then return 0 end
                if struct.unpack('<I4', old) > tonumber(ARGV[4]) then return 0 end
                if ARGV[7] ~= '' and string.sub(old, 5) ~= ARGV[7] then return 0 end
            end
            write_cell(KEYS[1], index, ARGV[2], ARGV[5])
            if old and old ~= '' then redis.call('HINCRBY', KEYS[3], 'synced', -1) end
            if ARGV[3] ~= '' then
                redis.call('SETRANGE', KEYS[2], index, ARGV[3])
                redis.call('HDEL', KEYS[4], ARGV[6])
            end
            return 1
            """)

    /// Writes what became of a run of slots. What is newer stands: the fate of a start goes only to slots that have none
    /// yet, an end to all that have not ended.
    ///
    /// KEYS: fate page. ARGV: first index, fates (0: unchanged).
    static let putFates = RedisScript(
        name: "put-fates",
        source: """
            local first, new = tonumber(ARGV[1]), ARGV[2]
            local old = redis.call('GETRANGE', KEYS[1], first, first + #new - 1)
            local merged = {}
            for index = 1, #old do
                local is, becomes = string.byte(old, index), string.byte(new, index)
                local changes = becomes ~= 0 and is ~= 0 and is ~= 2 and is < 16 and (is == 1 or becomes >= 16)
                merged[index] = string.char(changes and becomes or is)
            end
            redis.call('SETRANGE', KEYS[1], first, table.concat(merged))
            return #old
            """)
}
