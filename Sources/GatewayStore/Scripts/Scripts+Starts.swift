import RedisClient

// A start must not reach a device twice, and must not leave one out. So the devices that are about to be handed to a
// connection are noted first, run by run, in a list that belongs to one hold of the job: whoever takes the job over reads
// it, and takes it away in the same step. A note that comes too late finds no list (RPUSHX), and so does its sender learn
// that he has lost the job. What became of a device is a fact whoever tells it, and however late.
//
// An element of the list is '+' (noted) or '-' (released: nothing can have been delivered), the page in four bytes, and
// ranges of indexes: first and count in two bytes each, all little-endian.
extension Scripts {
    /// What the last push to a slot came to is known; for use within other scripts, behind `outcomes`.
    private static let noted = """
        -- Gives a function that tells whether a slot of the page has an outcome.
        local function outcomes_of(key)
            local slots
            return function(index)
                if not slots then
                    local page = redis.call('GET', key) or '\\0'
                    local _, position = kinds_of(page, 2, string.byte(page, 1) or 0)
                    slots = string.sub(page, position)
                end
                return (string.byte(slots, index + 1) or 0) ~= 0
            end
        end

        """

    /// Makes a hold the one who works on a start in a partition. Whoever the hold before has noted, and has told no outcome
    /// of, may have been sent the start: nobody knows.
    ///
    /// KEYS: progress, list of this hold. ARGV: owner, expiry in epoch ms, what the lists' keys begin with, what the keys of
    /// fate pages begin with, and of outcome pages, kind of outcome for those in doubt ('': they are sent the start again),
    /// what the keys of sets begin with that hold whom a hold has left in doubt.
    /// Reply: {states of the pages, 1 if somebody worked on it before}.
    static let openStart = RedisScript(
        name: "open-start",
        source: outcomes + noted + """
            local before = redis.call('HGET', KEYS[1], 'owner')
            redis.call('HSET', KEYS[1], 'owner', ARGV[1])
            redis.call('PEXPIREAT', KEYS[1], ARGV[2])
            local function put_in_doubt(page, is_noted)
                local fate_key, outcome_key = ARGV[4] .. page, ARGV[5] .. page
                local fates = redis.call('GET', fate_key) or ''
                local has_outcome = outcomes_of(outcome_key)
                local doubted = ARGV[7] .. before .. ':' .. page
                local changed, codes, count = {}, {}, 0
                for index = 0, #fates - 1 do
                    local fate = string.byte(fates, index + 1)
                    local is_unknown = is_noted[index]
                        and (fate == 1 or (fate == 2 or fate >= 16) and not has_outcome(index))
                    changed[index + 1] = string.char(is_unknown and fate == 1 and 5 or fate)
                    codes[index + 1] = is_unknown and '\\1' or '\\0'
                    if is_unknown then count = count + 1 end
                    if is_unknown and fate == 1 then redis.call('SADD', doubted, index) end
                end
                redis.call('PEXPIREAT', doubted, ARGV[2])
                if count == 0 then return end
                redis.call('SETRANGE', fate_key, 0, table.concat(changed))
                put_outcomes(outcome_key, fate_key, 0, table.concat(codes), ARGV[6], ARGV[2])
                redis.call('HINCRBY', KEYS[1], 'f:unknown', count)
            end
            -- The call is repeated when its answer was lost.
            if before and before ~= ARGV[1] then
                local list = ARGV[3] .. before
                local pages = {}
                for _, run in ipairs(ARGV[6] ~= '' and redis.call('LRANGE', list, 0, -1) or {}) do
                    if #run > 5 then
                        local page = string.format('%.0f', (struct.unpack('<I4', run, 2)))
                        pages[page] = pages[page] or {}
                        local is_noted = string.byte(run) == 43
                        for position = 6, #run - 3, 4 do
                            local first, count = struct.unpack('<I2I2', run, position)
                            for index = first, first + count - 1 do pages[page][index] = is_noted end
                        end
                    end
                end
                for page, is_noted in pairs(pages) do put_in_doubt(page, is_noted) end
                redis.call('DEL', list)
            end
            if redis.call('EXISTS', KEYS[2]) == 0 then
                redis.call('RPUSH', KEYS[2], '')
                redis.call('PEXPIREAT', KEYS[2], ARGV[2])
            end
            return { redis.call('HGET', KEYS[1], 'pages') or '', before and 1 or 0 }
            """)

    /// Writes what became of devices of a page of a start. May be repeated, and come from whoever has worked on it: a device
    /// is counted once, and what happened takes the place of `unknown`: a card whoever left the device in doubt, and that
    /// there is none if it was this hold. Whoever came behind may have sent it one.
    ///
    /// KEYS: progress, fate page, outcome page, whom this hold has left in doubt, and untold pages if anything is to be told.
    /// ARGV: owner, index of the page in its partition, '2' when the page is finished, expiry in epoch ms, first index that
    /// has an outcome, fates, codes and kinds of outcomes (see `outcomes`), how many kinds and the count that belongs to
    /// each, then counts and by how much they grow when the page is finished, or `e:` with what is to be told of the page and
    /// what that is.
    /// Reply: {1}; {-1} when somebody else works on it; {-2, count, growth ...} when the broadcast has ended, and its record
    /// is to be amended.
    static let recordOutcomes = RedisScript(
        name: "record-outcomes",
        source: outcomes + noted + progress + """
            local owner = redis.call('HGET', KEYS[1], 'owner')
            local is_mine = owner == ARGV[1]
            local kinds = tonumber(ARGV[9])
            local growth = {}
            local function grow(name, number)
                if number ~= 0 then growth[name] = (growth[name] or 0) + number end
            end
            local function count(codes)
                if kinds == 1 then return grow(ARGV[10], #codes) end
                for code = 1, kinds do
                    local _, number = string.gsub(codes, string.char(code), '')
                    grow(ARGV[9 + code], number)
                end
            end
            local first, fates, codes = tonumber(ARGV[5]), ARGV[6], ARGV[7]
            if codes ~= '' then
                local has_outcome = outcomes_of(KEYS[3])
                local old = redis.call('GETRANGE', KEYS[2], first, first + #codes - 1)
                local new, kept = {}, {}
                local position = 1
                while true do
                    local from, to = string.find(codes, '[^%z]+', position)
                    new[#new + 1] = string.sub(old, position, (from or #codes + 1) - 1)
                    kept[#kept + 1] = string.sub(codes, position, (from or #codes + 1) - 1)
                    if not from then break end
                    local was = string.sub(old, from, to)
                    -- As it nearly always is.
                    if #was == to - from + 1 and not string.find(was, '[^\\1]') then
                        new[#new + 1] = string.sub(fates, from, to)
                        kept[#kept + 1] = string.sub(codes, from, to)
                        count(kept[#kept])
                    else
                        for at = from, to do
                            local is, becomes = string.byte(old, at) or 0, string.byte(fates, at)
                            local was_mine = is == 5 and becomes < 5
                                and redis.call('SREM', KEYS[4], first + at - 1) == 1
                            local is_news = is == 1 or was_mine or is == 5 and becomes == 3
                                or (is == 2 or is >= 16) and not has_outcome(first + at - 1)
                            if is == 5 and is_news then grow('f:unknown', -1) end
                            if #old >= at then
                                new[#new + 1] = string.char((is == 1 or is == 5 and is_news) and becomes or is)
                            end
                            kept[#kept + 1] = is_news and string.sub(codes, at, at) or '\\0'
                            if is_news then count(kept[#kept]) end
                        end
                    end
                    position = to + 1
                end
                redis.call('SETRANGE', KEYS[2], first, table.concat(new))
                kept = table.concat(kept)
                if string.find(kept, '[^%z]') then
                    put_outcomes(KEYS[3], KEYS[2], first, kept, ARGV[8], ARGV[4])
                end
            end
            if not owner then
                local reply = { -2 }
                for name, number in pairs(growth) do
                    reply[#reply + 1] = name
                    reply[#reply + 1] = tostring(number)
                end
                return reply
            end
            local is_finished = false
            if is_mine and ARGV[3] == '2' then
                local state, pages = state_of(KEYS[1], ARGV[2])
                -- The call is repeated when its answer was lost.
                if state ~= '2' then
                    set_state(KEYS[1], pages, ARGV[2], '2')
                    is_finished = true
                end
            end
            for at = 10 + kinds, #ARGV, 2 do
                if string.sub(ARGV[at], 1, 2) == 'e:' then
                    redis.call('HSET', KEYS[5], ARGV[at], ARGV[at + 1])
                    redis.call('PEXPIREAT', KEYS[5], ARGV[4])
                elseif is_finished then
                    grow(ARGV[at], tonumber(ARGV[at + 1]))
                end
            end
            for name, number in pairs(growth) do redis.call('HINCRBY', KEYS[1], name, number) end
            return { is_mine and 1 or -1 }
            """)

    /// Devices that a hold has noted, and that whoever took over has put in doubt, have not been sent anything: they are
    /// sent the start after all, or are counted as never reached when it has ended. Each leaves the doubt once, however
    /// often this is repeated: from then on they are the next one's, who may have sent them the start.
    ///
    /// KEYS: progress, fate page, whom the hold has left in doubt. ARGV: index of the page in its partition, slots (first
    /// and count in two bytes each). Reply: {-1}, or {-2, count, growth ...} when the broadcast has ended, and its record is
    /// to be amended.
    static let releaseDoubted = RedisScript(
        name: "release-doubted",
        source: progress + """
            local is_over = redis.call('EXISTS', KEYS[1]) == 0
            local released = 0
            for at = 1, #ARGV[2] - 3, 4 do
                local from, number = struct.unpack('<I2I2', ARGV[2], at)
                for index = from, from + number - 1 do
                    if redis.call('SREM', KEYS[3], index) == 1
                        and redis.call('GETRANGE', KEYS[2], index, index) == '\\5'
                    then
                        redis.call('SETRANGE', KEYS[2], index, is_over and '\\6' or '\\1')
                        released = released + 1
                    end
                end
            end
            if is_over then
                return released == 0 and { -2 }
                    or { -2, 'f:unknown', tostring(-released), 'f:NoConnection', tostring(released) }
            end
            if released > 0 then
                redis.call('HINCRBY', KEYS[1], 'f:unknown', -released)
                local state, pages = state_of(KEYS[1], ARGV[1])
                if state == '2' then set_state(KEYS[1], pages, ARGV[1], '0') end
            end
            return { -1 }
            """)

    /// Changes the counts of a broadcast that has ended.
    ///
    /// KEYS: broadcast. ARGV: counts as the progress spells them, and by how much they grow. Reply: 1, or 0 when there is no
    /// such broadcast.
    static let amendBroadcast = RedisScript(
        name: "amend-broadcast",
        source: """
            if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
            local failed, names = {}, {}
            local text = redis.call('HGET', KEYS[1], 'failed') or ''
            for name, number in string.gmatch(text, '([^=,]+)=(%d+)') do
                failed[name] = tonumber(number)
                names[#names + 1] = name
            end
            for at = 1, #ARGV, 2 do
                local name, number = ARGV[at], tonumber(ARGV[at + 1])
                if name == 'a' then
                    redis.call('HINCRBY', KEYS[1], 'accepted', number)
                elseif string.sub(name, 1, 2) == 'f:' then
                    name = string.sub(name, 3)
                    if not failed[name] then names[#names + 1] = name end
                    failed[name] = math.max(0, (failed[name] or 0) + number)
                end
            end
            local parts = {}
            for _, name in ipairs(names) do
                if failed[name] > 0 then parts[#parts + 1] = name .. '=' .. string.format('%.0f', failed[name]) end
            end
            redis.call('HSET', KEYS[1], 'failed', table.concat(parts, ','))
            return 1
            """)
}
