import RedisClient

// A start must not reach a device twice, and must not leave one out. So the devices that are about to be handed to a
// connection are noted first, run by run, in a list that belongs to one hold of the job: whoever takes the job over reads
// it, and takes it away in the same step. A note that comes too late finds no list (RPUSHX), and so does its sender learn
// that he has lost the job.
//
// An element of the list is '+' (noted) or '-' (released: nothing can have been delivered), its number in four bytes, the
// page in four bytes, and ranges of indexes: first and count in two bytes each, all little-endian. Of a device the element
// with the highest number counts, in whatever order they have come.
//
// Whom a hold leaves in doubt stands in a hash of the partition, with broadcast and hold. What became of a device is a fact
// whoever tells it, and however late; but that there is no card only the hold can tell that has left it in doubt, because
// whoever came behind may have sent one.
extension Scripts {
    /// Slots, and what the last push to them came to; for use within other scripts, behind `outcomes`.
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

        local function slot_of(page, index)
            return string.format('%.0f', page * \(RosterGeometry.slotsPerPage) + index)
        end

        """

    /// Makes a hold the one who works on a start in a partition. Whoever the hold before has noted, and has told no outcome
    /// of, may have been sent the start: nobody knows. The same goes for all of a page that an earlier version had begun.
    ///
    /// KEYS: progress, list of this hold, doubts. ARGV: owner, expiry in epoch ms, what the lists' keys begin with, what the
    /// keys of fate pages begin with, and of outcome pages, kind of outcome for those in doubt ('': they are sent the start
    /// again), broadcast, first page of the partition.
    /// Reply: {states of the pages, 1 if somebody worked on it before}.
    static let openStart = RedisScript(
        name: "open-start",
        source: outcomes + noted + progress + """
            local before = redis.call('HGET', KEYS[1], 'owner')
            redis.call('HSET', KEYS[1], 'owner', ARGV[1])
            redis.call('PEXPIREAT', KEYS[1], ARGV[2])
            local function put_in_doubt(page, is_noted)
                local fate_key, outcome_key = ARGV[4] .. page, ARGV[5] .. page
                local fates = redis.call('GET', fate_key) or ''
                local has_outcome = outcomes_of(outcome_key)
                local changed, codes, count = {}, {}, 0
                for index = 0, #fates - 1 do
                    local fate = string.byte(fates, index + 1)
                    local is_unknown = is_noted(index)
                        and (fate == \(Fate.registered)
                            or (fate == \(Fate.removed) or fate >= 16) and not has_outcome(index))
                    changed[index + 1] = string.char(is_unknown and fate == \(Fate.registered) and \(Fate.startUnknown) or fate)
                    codes[index + 1] = is_unknown and '\\1' or '\\0'
                    if is_unknown then
                        count = count + 1
                        redis.call('HSET', KEYS[3], slot_of(page, index), ARGV[7] .. ' ' .. before)
                    end
                end
                if count == 0 then return end
                redis.call('PEXPIREAT', KEYS[3], ARGV[2])
                redis.call('SETRANGE', fate_key, 0, table.concat(changed))
                put_outcomes(outcome_key, fate_key, 0, table.concat(codes), ARGV[6], ARGV[2])
                redis.call('HINCRBY', KEYS[1], 'f:unknown', count)
            end
            -- The call is repeated when its answer was lost.
            if before and before ~= ARGV[1] then
                local list = ARGV[3] .. before
                local runs = {}
                for _, run in ipairs(ARGV[6] ~= '' and redis.call('LRANGE', list, 0, -1) or {}) do
                    if #run > 9 then runs[#runs + 1] = { (struct.unpack('<I4', run, 2)), run } end
                end
                table.sort(runs, function(one, other) return one[1] < other[1] end)
                local pages = {}
                for _, element in ipairs(runs) do
                    local run = element[2]
                    local page = string.format('%.0f', (struct.unpack('<I4', run, 6)))
                    pages[page] = pages[page] or {}
                    local is_noted = string.byte(run) == \(NotedRun.Kind.noted.rawValue)
                    for position = 10, #run - 3, 4 do
                        local first, count = struct.unpack('<I2I2', run, position)
                        for index = first, first + count - 1 do pages[page][index] = is_noted end
                    end
                end
                for page, noted in pairs(pages) do
                    put_in_doubt(page, function(index) return noted[index] end)
                end
                redis.call('DEL', list)
                local states = redis.call('HGET', KEYS[1], 'pages') or ''
                for place in string.gmatch(ARGV[6] ~= '' and states or '', '()\(PageProgress.formerlyBegun)') do
                    put_in_doubt(string.format('%.0f', ARGV[8] + place - 1), function() return true end)
                    local _, pages = state_of(KEYS[1], place - 1)
                    set_state(KEYS[1], pages, place - 1, '\(PageProgress.open)')
                end
            end
            if redis.call('EXISTS', KEYS[2]) == 0 then
                redis.call('RPUSH', KEYS[2], '')
                redis.call('PEXPIREAT', KEYS[2], ARGV[2])
            end
            return { redis.call('HGET', KEYS[1], 'pages') or '', before and 1 or 0 }
            """)

    /// Writes what became of devices of a page of a start. May be repeated, and come from whoever has worked on it: a device
    /// is counted once. Whoever works on it no longer can only tell of cards, and of those that it has left in doubt.
    ///
    /// KEYS: progress, fate page, outcome page, doubts, and untold pages if anything is to be told. ARGV: owner, page, '2'
    /// when it is finished, expiry in epoch ms, first index that has an outcome, fates, codes and kinds of outcomes (see
    /// `outcomes`), broadcast, how many kinds and the count that belongs to each, then counts and by how much they grow when
    /// the page is finished, or `e:` with what is to be told of the page and what that is.
    /// Reply: {1}; {-1} when somebody else works on it; {-2, count, growth ...} when the partition is closed, and the record
    /// is to be amended once the broadcast has ended.
    static let recordOutcomes = RedisScript(
        name: "record-outcomes",
        source: outcomes + noted + progress + """
            local owner = owner_of(KEYS[1])
            local is_mine = owner == ARGV[1]
            local page_index = ARGV[2] % \(RosterGeometry.pagesPerPartition)
            local doubt = ARGV[9] .. ' ' .. ARGV[1]
            local kinds = tonumber(ARGV[10])
            local growth = {}
            local function grow(name, number)
                if number ~= 0 then growth[name] = (growth[name] or 0) + number end
            end
            local function count(codes)
                if kinds == 1 then return grow(ARGV[11], #codes) end
                for code = 1, kinds do
                    local _, number = string.gsub(codes, string.char(code), '')
                    grow(ARGV[10 + code], number)
                end
            end
            local first, fates, codes = tonumber(ARGV[5]), ARGV[6], ARGV[7]
            local has_outcome = outcomes_of(KEYS[3])
            -- Whether an outcome is news, and which fate the device has from now on.
            local function merged(index, is, becomes)
                local slot = slot_of(ARGV[2], index)
                local has_card = becomes == \(Fate.startAccepted)
                local left = redis.call('HGET', KEYS[4], slot)
                -- A card ends the doubt of all holds of its broadcast, anything else only that of the one who tells it.
                local is_told = left and becomes < \(Fate.startUnknown)
                    and (left == doubt or has_card and string.match(left, '^%S+') == ARGV[9])
                if is_told then
                    redis.call('HDEL', KEYS[4], slot)
                    grow('f:unknown', -1)
                    -- It may be about to be started again: then that start's outcome is its fate.
                    return true, is == \(Fate.startUnknown) and becomes or is
                end
                if is == \(Fate.startUnknown) and has_card then return false, becomes end
                if not owner or not is_mine and not has_card then return false, is end
                if is == \(Fate.registered) then
                    if becomes == \(Fate.startUnknown) then
                        redis.call('HSET', KEYS[4], slot, doubt)
                        redis.call('PEXPIREAT', KEYS[4], ARGV[4])
                    end
                    return true, becomes
                end
                return (is == \(Fate.removed) or is >= 16) and not has_outcome(index), is
            end
            if codes ~= '' then
                local old = redis.call('GETRANGE', KEYS[2], first, first + #codes - 1)
                local new, kept = {}, {}
                local position = 1
                while true do
                    local from, to = string.find(codes, '[^%z]+', position)
                    new[#new + 1] = string.sub(old, position, (from or #codes + 1) - 1)
                    kept[#kept + 1] = string.sub(codes, position, (from or #codes + 1) - 1)
                    if not from then break end
                    local was, becomes = string.sub(old, from, to), string.sub(fates, from, to)
                    -- As it nearly always is.
                    if is_mine and #was == to - from + 1 and not string.find(was, '[^\\\(Fate.registered)]')
                        and not string.find(becomes, '\\\(Fate.startUnknown)')
                    then
                        new[#new + 1] = becomes
                        kept[#kept + 1] = string.sub(codes, from, to)
                        count(kept[#kept])
                    else
                        for at = from, to do
                            local is_news, fate =
                                merged(first + at - 1, string.byte(old, at) or 0, string.byte(fates, at))
                            if #old >= at then new[#new + 1] = string.char(fate) end
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
            local is_finished, was_counted = false, false
            if is_mine and ARGV[3] == '2' then
                local state, pages = state_of(KEYS[1], page_index)
                -- The call is repeated when its answer was lost.
                if state ~= '\(PageProgress.done)' then
                    set_state(KEYS[1], pages, page_index, '\(PageProgress.done)')
                    is_finished, was_counted = true, state == '\(PageProgress.openAgain)'
                end
            end
            for at = 11 + kinds, #ARGV, 2 do
                if string.sub(ARGV[at], 1, 2) == 'e:' then
                    redis.call('HSET', KEYS[5], ARGV[at], ARGV[at + 1])
                    redis.call('PEXPIREAT', KEYS[5], ARGV[4])
                elseif is_finished and (not was_counted or not string.find(ARGV[at], ':')) then
                    grow(ARGV[at], tonumber(ARGV[at + 1]))
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
            for name, number in pairs(growth) do redis.call('HINCRBY', KEYS[1], name, number) end
            return { is_mine and 1 or -1 }
            """)

    /// Devices that a hold has noted, and that whoever took over has put in doubt, have not been sent anything: they are
    /// sent the start after all, or are counted as never reached when nobody works on the partition any more. Each leaves
    /// the doubt once, however often this is repeated.
    ///
    /// KEYS: progress, fate page, doubts. ARGV: owner, page, slots (first and count in two bytes each), broadcast. Reply:
    /// {-1}, or {-2, count, growth ...} when the partition is closed, and the record is to be amended once the broadcast has
    /// ended.
    static let releaseDoubted = RedisScript(
        name: "release-doubted",
        source: outcomes + noted + progress + """
            local is_closed = not owner_of(KEYS[1])
            local doubt = ARGV[4] .. ' ' .. ARGV[1]
            local released = 0
            for at = 1, #ARGV[3] - 3, 4 do
                local from, number = struct.unpack('<I2I2', ARGV[3], at)
                for index = from, from + number - 1 do
                    local slot = slot_of(ARGV[2], index)
                    if redis.call('HGET', KEYS[3], slot) == doubt then
                        redis.call('HDEL', KEYS[3], slot)
                        if redis.call('GETRANGE', KEYS[2], index, index) == '\\\(Fate.startUnknown)' then
                            local fate = is_closed and \(Fate.startUnsent) or \(Fate.registered)
                            redis.call('SETRANGE', KEYS[2], index, string.char(fate))
                            released = released + 1
                            -- The page may have been read, or finished: it is looked at once more before the end.
                            if not is_closed then redis.call('HSET', KEYS[1], 'r' .. slot, 1) end
                        end
                    end
                end
            end
            if is_closed then
                return released == 0 and { -2 }
                    or { -2, 'f:unknown', tostring(-released), 'f:NoConnection', tostring(released) }
            end
            if released > 0 then redis.call('HINCRBY', KEYS[1], 'f:unknown', -released) end
            return { -1 }
            """)

    /// Closes a partition of a start whose pages are all done: what is told from here on amends the broadcast's record. A page
    /// whose devices were released late is open again.
    ///
    /// KEYS: progress. ARGV: owner, indexes of the pages, a byte each, what the keys of fate pages begin with, first page of
    /// the partition. Reply: the states of all pages, '' when it is closed.
    static let closeStart = RedisScript(
        name: "close-start",
        source: progress + """
            for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
                local slot = string.match(field, '^r(%d+)$')
                if slot then
                    local page = math.floor(slot / \(RosterGeometry.slotsPerPage))
                    local index = slot % \(RosterGeometry.slotsPerPage)
                    local fate_key = ARGV[3] .. string.format('%.0f', page)
                    if redis.call('GETRANGE', fate_key, index, index) == '\\\(Fate.registered)' then
                        local state, pages = state_of(KEYS[1], page - ARGV[4])
                        if state == '\(PageProgress.done)' then
                            set_state(KEYS[1], pages, page - ARGV[4], '\(PageProgress.openAgain)')
                        end
                    end
                    redis.call('HDEL', KEYS[1], field)
                end
            end
            local states = redis.call('HGET', KEYS[1], 'pages') or '\(PageProgress.open)'
            for place = 1, #ARGV[2] do
                local page = string.byte(ARGV[2], place) + 1
                if string.sub(states, page, page) ~= '\(PageProgress.done)' then return states end
            end
            if redis.call('HGET', KEYS[1], 'owner') == ARGV[1] then redis.call('HSET', KEYS[1], 'closed', 1) end
            return ''
            """)

    /// Changes the counts of a broadcast that has ended.
    ///
    /// KEYS: broadcast. ARGV: counts as the progress spells them, and by how much they grow. Reply: 1; 0 when there is no
    /// such broadcast, -1 when it has not ended yet.
    static let amendBroadcast = RedisScript(
        name: "amend-broadcast",
        source: """
            local state = redis.call('HGET', KEYS[1], 'state')
            if not state then return 0 end
            if state == 'queued' or state == 'running' then return -1 end
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
