import RedisClient

// Starts for those whom a start has left out. The start pages are gone by then, so they are made anew, for those alone;
// which broadcast they are for is noted beside them, so that an older one that is cleared away late leaves them alone.
extension Scripts {
    /// Makes slots of a page ready to be started on again, each unless it has moved on since it was read.
    ///
    /// KEYS: start page, fate page, update page, counters, pending ends, numbers of starts. ARGV: expiry of what is written
    /// in epoch ms, broadcast, first slot of the page, '1' when a card that is to be ended is no hindrance, update cell to be left, then for each
    /// slot its index in ascending order, its fate and the mark in its update cell as they were read, start cell, starts to be noted (see `StartNote`; '' for none).
    /// Reply: a letter for each slot; 1: ready, a: its card is there, e: its card is to be ended, 0: moved on.
    static let prepareRestart = RedisScript(
        name: "prepare-restart",
        source: cells + """
            local expires_at, byte, sub = ARGV[1], string.byte, string.sub
            local fates, tokens = redis.call('GET', KEYS[2]) or '', redis.call('GET', KEYS[3]) or ''
            local width = byte(tokens, 1) or 0
            local has_pending = redis.call('EXISTS', KEYS[5]) == 1
            local reply, ready, widest, count = {}, {}, 2, 0
            for position = 6, #ARGV, 4 do
                local index, cell = tonumber(ARGV[position]), ARGV[position + 2]
                local slot = string.format('%.0f', ARGV[3] + index)
                local length, mark = 0, 0
                if width > 1 then
                    length = byte(tokens, 2 + index * width) or 0
                    mark = byte(tokens, 3 + index * width) or 0
                end
                local letter = '1'
                if sub(fates, index + 1, index + 1) ~= sub(ARGV[position + 1], 1, 1) then
                    letter = '0'
                elseif length > 0 then
                    letter = 'a'
                elseif mark ~= byte(ARGV[position + 1], 2) then
                    letter = '0'
                elseif has_pending and ARGV[4] ~= '1' and redis.call('HEXISTS', KEYS[5], slot) == 1 then
                    letter = 'e'
                else
                    ready[index + 1] = cell
                    widest, count = math.max(widest, #cell), count + 1
                    if mark ~= byte(ARGV[5], 2) then write_cell(KEYS[3], index, ARGV[5], KEYS[2], expires_at) end
                    if has_pending then redis.call('HDEL', KEYS[5], slot) end
                    if ARGV[position + 3] ~= '' then redis.call('HSET', KEYS[6], slot, ARGV[position + 3]) end
                end
                reply[#reply + 1] = letter
            end
            if count > 0 then
                local page = redis.call('GET', KEYS[1])
                local is = page and byte(page, 1) or widest
                if page and is < widest then
                    page = string.char(widest) .. widened(sub(page, 2), is, widest)
                    is = widest
                end
                local parts, becomes = { string.char(is) }, {}
                for place = 1, #fates do
                    local cell = ready[place] or page and sub(page, 2 + (place - 1) * is, 1 + place * is) or ''
                    parts[#parts + 1] = cell .. string.rep('\\0', is - #cell)
                    becomes[place] = ready[place] and '\\1' or sub(fates, place, place)
                end
                redis.call('SET', KEYS[1], table.concat(parts), 'PXAT', expires_at)
                redis.call('SETRANGE', KEYS[2], 0, table.concat(becomes))
                redis.call('HSET', KEYS[4], 'restart', ARGV[2])
                redis.call('PEXPIREAT', KEYS[4], expires_at)
                redis.call('PEXPIREAT', KEYS[6], expires_at)
            end
            return table.concat(reply)
            """)

    /// Drops start pages of a partition that a broadcast has done with, unless they are a later one's.
    ///
    /// KEYS: counters, start pages. ARGV: broadcast. Reply: how many were dropped.
    static let dropStartPages = RedisScript(
        name: "drop-start-pages",
        source: """
            local restart = redis.call('HGET', KEYS[1], 'restart')
            if restart and restart ~= ARGV[1] then return 0 end
            return redis.call('UNLINK', unpack(KEYS, 2))
            """)

    /// Keeps a lock for longer, if it is still the caller's.
    ///
    /// KEYS: lock. ARGV: the caller's token, for how long in ms. Reply: 1 or 0.
    static let renewLock = RedisScript(
        name: "renew-lock",
        source: """
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            return redis.call('PEXPIRE', KEYS[1], ARGV[2])
            """)
}
