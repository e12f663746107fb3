-- record-outcomes (writes)
--
-- Writes the outcomes of devices of a start's page. May be repeated, and run by any former or present owner, because
-- each device is counted once. A former owner can report only Live Activities, and devices that it has left in doubt.
--
-- KEYS
--   progress
--   status_page
--   outcome_page
--   doubts
--   counters
--   untold?: pages with events to publish, if there are events
-- ARGV
--   owner
--   page
--   state: of the page, '' if it is not finished
--   expires_at: epoch ms
--   first: index of the first outcome
--   statuses
--   codes: outcomes
--   kinds: of outcomes
--   broadcast
--   kind_count
--   now: epoch ms
--   rest...: the count of each kind, then names of counts and their growth when the page is finished, or `e:` fields
--     and the events of the page
-- Reply: one of
--   recorded = 1
--   lost = -1: another gateway owns the partition
--   closed = -2 {growth: text...}: names of counts, each with its growth, to amend the record once it has ended
-- Includes: outcomes, known-outcomes, doubts, progress, untold, followers, looks, write-rights

require_writes(progress, 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE', 'PEXPIREAT', 'SET', 'SETRANGE')
local holder = owner_of(progress)
local is_mine = holder == owner
local page_index = page % SIZE.pages_per_partition
local doubt = broadcast .. ' ' .. owner
local kind_count = tonumber(kind_count)
local growth = {}
local function grow(name, number)
    if number ~= 0 then growth[name] = (growth[name] or 0) + number end
end
local function count(codes)
    if kind_count == 1 then return grow(ARGV[rest_at], #codes) end
    for code = 1, kind_count do
        local _, number = string.gsub(codes, string.char(code), '')
        grow(ARGV[rest_at + code - 1], number)
    end
end
local first = tonumber(first)
local opened, noted = open_pages({ status_page, outcome_page }, { 'starts' })
local status_page, outcome_page = unpack(opened)
local has_outcome = outcomes_of(outcome_page)
-- Records the start of the page's first devices, to measure how long the others take to sync.
local function note_start()
    local starts, at = noted[1] or '', 6 * page_index
    if #starts >= at + 6 and struct.unpack('<I6', starts, at + 1) > 0 then return end
    starts = starts .. string.rep('\0', at - #starts)
    starts = string.sub(starts, 1, at) .. struct.pack('<I6', now) .. string.sub(starts, at + 7)
    redis.call('HSET', counters, 'starts', starts)
    redis.call('PEXPIREAT', counters, expires_at)
end
-- True if an outcome is new, and the delivery status that follows from it.
local function merged(index, is, becomes)
    local slot = slot_of(page, index)
    local has_live_activity = becomes == STATUS.start_accepted
    local left = redis.call('HGET', doubts, slot)
    -- A Live Activity ends the doubt of all holds of its broadcast. Any other outcome ends only that of its own hold.
    local is_told = left and becomes < STATUS.start_unknown
        and (left == doubt or has_live_activity and string.match(left, '^%S+') == broadcast)
    if is_told then
        redis.call('HDEL', doubts, slot)
        grow('f:unknown', -1)
        -- A start that is being prepared for the device determines its delivery status.
        return true, is == STATUS.start_unknown and becomes or is
    end
    if is == STATUS.start_unknown and has_live_activity then return false, becomes end
    if not holder or not is_mine and not has_live_activity then return false, is end
    if is == STATUS.registered then
        if becomes == STATUS.start_unknown then
            redis.call('HSET', doubts, slot, doubt)
            redis.call('PEXPIREAT', doubts, expires_at)
        end
        return true, becomes
    end
    return (is == STATUS.removed or is >= STATUS.ended) and not has_outcome(index), is
end
if codes ~= '' then
    local old = read_range(status_page, first, first + #codes - 1)
    local new, kept = {}, {}
    local position = 1
    while true do
        local from, to = string.find(codes, '[^%z]+', position)
        new[#new + 1] = string.sub(old, position, (from or #codes + 1) - 1)
        kept[#kept + 1] = string.sub(codes, position, (from or #codes + 1) - 1)
        if not from then break end
        local was, becomes = string.sub(old, from, to), string.sub(statuses, from, to)
        -- The usual case.
        if is_mine and #was == to - from + 1 and not string.find(was, STATUSES.not_registered)
            and not string.find(becomes, STATUS_BYTE.start_unknown)
        then
            new[#new + 1] = becomes
            kept[#kept + 1] = string.sub(codes, from, to)
            count(kept[#kept])
        else
            for at = from, to do
                local is_news, status =
                    merged(first + at - 1, string.byte(old, at) or 0, string.byte(statuses, at))
                if #old >= at then new[#new + 1] = string.char(status) end
                kept[#kept + 1] = is_news and string.sub(codes, at, at) or '\0'
                if is_news then count(kept[#kept]) end
            end
        end
        position = to + 1
    end
    new = table.concat(new)
    write_range(status_page, first, new)
    count_followers(counters, string.sub(old, 1, #new), new, expires_at)
    if string.find(statuses, STATUS_BYTE.start_accepted, 1, true) then note_start() end
    if string.find(new, STATUSES.left_out) then note_look(counters, page, expires_at) end
    kept = table.concat(kept)
    if string.find(kept, '[^%z]') then
        put_outcomes(outcome_page, status_page, first, kept, kinds, expires_at)
    end
end
local is_finished, was_counted = false, false
if is_mine and state == PAGE.done then
    local is, pages = state_of(progress, page_index)
    -- The call is repeated after a lost reply.
    if is ~= PAGE.done then
        set_state(progress, pages, page_index, PAGE.done)
        is_finished, was_counted = true, is == PAGE.open_again
    end
end
for at = rest_at + kind_count, #ARGV, 2 do
    local name, value = ARGV[at], ARGV[at + 1]
    if not keep_untold(untold, name, value, expires_at)
        and is_finished and (not was_counted or not string.find(name, ':'))
    then
        grow(name, tonumber(value))
    end
end
if not holder then
    local reply = { -2 }
    for name, number in pairs(growth) do
        reply[#reply + 1] = name
        reply[#reply + 1] = tostring(number)
    end
    return reply
end
for name, number in pairs(growth) do redis.call('HINCRBY', progress, name, number) end
return { is_mine and 1 or -1 }
