import LiveActivity
import RedisClient

extension Scripts {
    /// Reads cells of a token page together with the fates of their slots.
    ///
    /// KEYS: token page, fate page. ARGV: indexes. Reply: for each index {fate, content}, or {fate .. reason, ''} when the
    /// cell has none; fate and reason are one byte each.
    static let readCells = RedisScript(
        name: "read-cells",
        source: cells + """
            local reply = {}
            local width = width_of(KEYS[1]) or 0
            -- Of many cells the page is taken whole; it is the calls that cost.
            local page = #ARGV > 16 and redis.call('GET', KEYS[1])
            local fates = #ARGV > 16 and redis.call('GET', KEYS[2])
            for position, index in ipairs(ARGV) do
                index = tonumber(index)
                local start = 1 + index * width
                local cell, fate = '', ''
                if page then
                    cell = string.sub(page, start + 1, start + width)
                elseif width > 0 then
                    cell = redis.call('GETRANGE', KEYS[1], start, start + width - 1)
                end
                if fates then
                    fate = string.sub(fates, index + 1, index + 1)
                else
                    fate = redis.call('GETRANGE', KEYS[2], index, index)
                end
                if fate == '' then fate = '\\0' end
                local length = string.byte(cell, 1) or 0
                if length > 0 then
                    reply[position * 2 - 1] = fate
                    reply[position * 2] = string.sub(cell, 2, 1 + length)
                else
                    reply[position * 2 - 1] = fate .. string.char(string.byte(cell, 2) or 0)
                    reply[position * 2] = ''
                end
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
            local old, _, width = read_cell(KEYS[1], index)
            if not old then return 0 end
            write_cell(KEYS[1], index, ARGV[2], KEYS[2], 0, width)
            local before, after = old ~= '' and 1 or 0, string.byte(ARGV[2], 1) > 0 and 1 or 0
            if before ~= after then redis.call('HINCRBY', KEYS[3], 'startable', after - before) end
            if ARGV[3] ~= '' then redis.call('SETRANGE', KEYS[2], index, ARGV[3]) end
            return 1
            """)

    /// Fills consecutive slots of a page with the push-to-start tokens of devices that join a registered activity. Page
    /// and fates are written whole, so that they take no more memory than they need.
    ///
    /// KEYS: start page, fate page, counters. ARGV: first index, width of a cell, cells, fate of each slot, expiry in
    /// epoch ms. Reply: how many cells were written.
    static let addStartCells = RedisScript(
        name: "add-start-cells",
        source: cells + """
            local first, width, cells, expires_at = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[5]
            local count = #cells / width
            local page = redis.call('GET', KEYS[1]) or string.char(width)
            local is = string.byte(page, 1)
            if is < width then
                page = string.char(width) .. widened(string.sub(page, 2), is, width)
            elseif is > width then
                cells = widened(cells, width, is)
                width = is
            end
            local start = 1 + first * width
            page = page .. string.rep('\\0', start - #page)
            local before, after = 0, 0
            for offset = 1, #cells, width do
                if string.byte(cells, offset) > 0 then after = after + 1 end
                if (string.byte(page, start + offset) or 0) > 0 then before = before + 1 end
            end
            page = string.sub(page, 1, start) .. cells .. string.sub(page, start + #cells + 1)
            redis.call('SET', KEYS[1], page, 'PXAT', expires_at)
            local fates = redis.call('GET', KEYS[2]) or ''
            fates = fates .. string.rep('\\0', first - #fates)
            fates = string.sub(fates, 1, first) .. string.rep(ARGV[4], count) .. string.sub(fates, first + count + 1)
            redis.call('SET', KEYS[2], fates, 'PXAT', expires_at)
            redis.call('HINCRBY', KEYS[3], 'startable', after - before)
            redis.call('PEXPIREAT', KEYS[3], expires_at)
            return count
            """)

    /// The cell of a card that its user has dismissed has a digest of its token behind the reason: so a late or repeated
    /// report of that token is told from one of another card, which came of a start that had been on its way. For use
    /// within other scripts, behind `cells`.
    private static let dismissals = """
        local function digest_of(token)
            return string.sub(redis.sha1hex(token), 1, 8)
        end

        local function is_dismissed(key, index, token)
            local width = width_of(key) or 0
            local start = 3 + index * width
            return width >= 10 and redis.call('GETRANGE', key, start, start + 7) == digest_of(token)
        end

        """

    /// Notes the update token that a device reports, or that its card is there without one, which takes no token away.
    /// Either shows that a start of which nobody knew came through; such starts are counted in the partition's counters,
    /// for the broadcast that left the device in doubt (`proven:`). A card that has been prepared to be started again, and shows itself, is not.
    ///
    /// KEYS: update page, fate page, counters, pending ends, start page, doubts, and with catch_up the note of the page's reading.
    /// ARGV: index, cell, expiry of the page in epoch ms, slot.
    /// Reply: {outcome, broadcast that ends this device or ''}; outcome -1: not a member, 0: the same token as before,
    /// 1: written, 2: the card has ended already, 3: written, and to be ended: the device has dismissed a card before, and
    /// this is another one.
    static let putUpdateCell = RedisScript(
        name: "put-update-cell",
        source: cells + dismissals + """
            local index = tonumber(ARGV[1])
            local fate = string.byte(redis.call('GETRANGE', KEYS[2], index, index)) or 0
            if fate == 0 or fate == 2 then return { -1, '' } end
            if fate >= 16 then
                if fate ~= \(Fate.ended(.userDismissed)) or string.byte(ARGV[2]) == 0
                    or is_dismissed(KEYS[1], index, string.sub(ARGV[2], 6)) then return { 2, '' } end
                redis.call('SETRANGE', KEYS[2], index, '\\\(Fate.startAccepted)')
            end
            if fate == \(Fate.startUnknown) then
                redis.call('SETRANGE', KEYS[2], index, '\\\(Fate.startAccepted)')
                local broadcast = string.match(redis.call('HGET', KEYS[6], ARGV[4]) or '', '^%S+')
                if broadcast then
                    redis.call('HDEL', KEYS[6], ARGV[4])
                    redis.call('HINCRBY', KEYS[3], 'proven:' .. broadcast, 1)
                    redis.call('PEXPIREAT', KEYS[3], ARGV[3])
                end
            elseif fate == \(Fate.registered) and redis.call('HEXISTS', KEYS[3], 'restart') == 1
                and (read_cell(KEYS[5], index) or '') ~= ''
            then
                write_cell(KEYS[5], index, '\\0\\\(SkipReason.active.rawValue)', KEYS[2], ARGV[3])
            end
            local pending = redis.call('HGET', KEYS[4], ARGV[4]) or ''
            local old, reason, width = read_cell(KEYS[1], index)
            if string.byte(ARGV[2]) == 0 then
                if old and (old ~= '' or reason == string.byte(ARGV[2], 2)) then return { 0, pending } end
                write_cell(KEYS[1], index, ARGV[2], KEYS[2], ARGV[3], width)
                return { 1, pending }
            end
            if old and old ~= '' and string.sub(old, 5) == string.sub(ARGV[2], 6) then return { 0, pending } end
            write_cell(KEYS[1], index, ARGV[2], KEYS[2], ARGV[3], width)
            if KEYS[7] and redis.call('EXISTS', KEYS[7]) == 1 then redis.call('SETBIT', KEYS[7], 32 + index, 0) end
            if not old or old == '' then
                redis.call('HINCRBY', KEYS[3], 'synced', 1)
                redis.call('PEXPIREAT', KEYS[3], ARGV[3])
            end
            return { fate >= 16 and 3 or 1, pending }
            """)

    /// Takes a device's update token away: its card has ended, or the token is dead.
    ///
    /// KEYS: update page, fate page, counters, pending ends. ARGV: index, cell that says why, fate to set ('' for
    /// unchanged), latest report time for which the token is taken away, in ms after the activity was made ('' for any),
    /// expiry of the page in epoch ms, slot, the token that is meant ('' for any).
    /// Reply: 1 when it was taken away or noted, else 0.
    static let clearUpdateCell = RedisScript(
        name: "clear-update-cell",
        source: cells + dismissals + """
            local index = tonumber(ARGV[1])
            local old, _, width = read_cell(KEYS[1], index)
            if ARGV[4] ~= '' then
                if not old or old == '' then return 0 end
                if struct.unpack('<I4', old) > tonumber(ARGV[4]) then return 0 end
                if ARGV[7] ~= '' and string.sub(old, 5) ~= ARGV[7] then return 0 end
            end
            local cell = ARGV[2]
            if ARGV[3] ~= '' and old and old ~= '' then cell = cell .. digest_of(string.sub(old, 5)) end
            write_cell(KEYS[1], index, cell, KEYS[2], ARGV[5], width)
            if old and old ~= '' then redis.call('HINCRBY', KEYS[3], 'synced', -1) end
            if ARGV[3] ~= '' then
                -- A card that is taken away after its end ended for the first reason.
                local fate = string.byte(redis.call('GETRANGE', KEYS[2], index, index)) or 0
                if fate < 16 then redis.call('SETRANGE', KEYS[2], index, ARGV[3]) end
                redis.call('HDEL', KEYS[4], ARGV[6])
            end
            return 1
            """)

    /// Writes what became of a run of slots; for use within other scripts. What is newer stands: the fate of a start goes
    /// only to slots that have none yet, an end to all that have not ended.
    static let fates = """
        local function put_fates(key, first, new)
            local old = redis.call('GETRANGE', key, first, first + #new - 1)
            -- As it nearly always is: a start to devices that have no fate yet, an end to cards that are all there.
            local plain
            if #old == #new and not string.find(old, '[^\\1]') then
                plain = string.gsub(new, '%z', '\\1')
            elseif #old == #new and not string.find(old, '[^\\1\\3-\\6]')
                and not string.find(new, '[%z\\1-\\15]') then
                plain = new
            end
            if plain then
                redis.call('SETRANGE', key, first, plain)
                return
            end
            local merged = {}
            for index = 1, #old do
                local is, becomes = string.byte(old, index), string.byte(new, index)
                local changes = becomes ~= 0 and is ~= 0 and is ~= 2 and is < 16 and (is == 1 or becomes >= 16)
                merged[index] = string.char(changes and becomes or is)
            end
            redis.call('SETRANGE', key, first, table.concat(merged))
        end

        """
}
