-- open-start (writes)
--
-- Makes a hold the one who works on a start in a partition. Whoever the hold before has noted, and has told no outcome
-- of, may have been sent the start: nobody knows, unless the Live Activity has shown itself meanwhile. The same goes
-- for all of a page that an earlier version had begun. Where they are sent the start again nobody is looked at.
--
-- A start must not reach a device twice, and must not leave one out. So the devices that are about to be handed to a
-- connection are noted first, run by run, in a list that belongs to one hold of the job: whoever takes the job over
-- reads it, and takes it away in the same step. A note that comes too late finds no list (RPUSHX), and so does its
-- sender learn that it has lost the job.
--
-- An element of the list is '+' (noted) or '-' (released: nothing can have been delivered), its number in four bytes,
-- the page in four bytes, and ranges of indexes: first and count in two bytes each, all little-endian. Of a device the
-- element with the highest number counts, in whatever order they have come.
--
-- KEYS
--   progress
--   noted: list of this hold
--   doubts
-- ARGV
--   owner
--   expires_at: epoch ms
--   list_prefix: what the lists' keys begin with
--   status_prefix: likewise status pages
--   outcome_prefix: likewise outcome pages
--   update_prefix: likewise pages of update tokens
--   kind: of outcome for those in doubt, '' when they are sent the start again
--   broadcast
--   first_page: of the partition
-- Reply: {states of the pages, 1 if somebody worked on it before}
-- Includes: outcomes, known-outcomes, doubts, progress, followers

local before = redis.call('HGET', progress, 'owner')
redis.call('HSET', progress, 'owner', owner)
redis.call('PEXPIREAT', progress, expires_at)
-- Whether a slot's Live Activity is there. One of a start before this one is no proof.
local function shown_in(update_page, restart)
    local tokens = not restart and read_page(update_page) or ''
    local width = string.byte(tokens, 1) or 0
    return function(index)
        local length, mark = string.byte(tokens, 2 + index * width, 3 + index * width)
        return width > 1 and ((length or 0) > 0 or mark == MARK.live_activity_shown)
    end
end
local function put_in_doubt(page, is_noted)
    local opened, is = open_pages(
        { status_prefix .. page, outcome_prefix .. page, update_prefix .. page }, { 'restart' })
    local status_page, outcome_page, update_page = unpack(opened)
    local statuses = read_page(status_page) or ''
    local has_outcome, is_shown = outcomes_of(outcome_page), shown_in(update_page, is[1])
    local changed, codes, count, shown = {}, {}, 0, 0
    for index = 0, #statuses - 1 do
        local status, code = string.byte(statuses, index + 1), '\0'
        if is_noted(index) then
            if status == STATUS.registered and is_shown(index) then
                status, shown = STATUS.start_accepted, shown + 1
            elseif status == STATUS.registered
                or (status == STATUS.removed or status >= STATUS.ended) and not has_outcome(index)
            then
                if status == STATUS.registered then status = STATUS.start_unknown end
                code, count = '\1', count + 1
                redis.call('HSET', doubts, slot_of(page, index), broadcast .. ' ' .. before)
            end
        end
        changed[index + 1], codes[index + 1] = string.char(status), code
    end
    if count + shown == 0 then return end
    changed = table.concat(changed)
    write_range(status_page, 0, changed)
    count_followers(status_page.counters, statuses, changed, expires_at)
    if shown > 0 then redis.call('HINCRBY', progress, 'a', shown) end
    if count == 0 then return end
    redis.call('PEXPIREAT', doubts, expires_at)
    put_outcomes(outcome_page, status_page, 0, table.concat(codes), kind, expires_at)
    redis.call('HINCRBY', progress, 'f:unknown', count)
end
-- The call is repeated when its answer was lost.
if before and before ~= owner then
    local list = list_prefix .. before
    local runs = {}
    for _, run in ipairs(kind ~= '' and redis.call('LRANGE', list, 0, -1) or {}) do
        if #run > 9 then runs[#runs + 1] = { (struct.unpack('<I4', run, 2)), run } end
    end
    table.sort(runs, function(one, other) return one[1] < other[1] end)
    local pages = {}
    for _, element in ipairs(runs) do
        local run = element[2]
        local page = string.format('%.0f', (struct.unpack('<I4', run, 6)))
        pages[page] = pages[page] or {}
        local is_noted = string.byte(run) == RUN.noted
        for position = 10, #run - 3, 4 do
            local first, count = struct.unpack('<I2I2', run, position)
            for index = first, first + count - 1 do pages[page][index] = is_noted end
        end
    end
    for page, is_noted in pairs(pages) do
        put_in_doubt(page, function(index) return is_noted[index] end)
    end
    redis.call('DEL', list)
    local states = redis.call('HGET', progress, 'pages') or ''
    for place in string.gmatch(kind ~= '' and states or '', '()' .. PAGE.formerly_begun) do
        put_in_doubt(string.format('%.0f', first_page + place - 1), function() return true end)
        local _, now = state_of(progress, place - 1)
        set_state(progress, now, place - 1, PAGE.open)
    end
end
if redis.call('EXISTS', noted) == 0 then
    redis.call('RPUSH', noted, '')
    redis.call('PEXPIREAT', noted, expires_at)
end
return { redis.call('HGET', progress, 'pages') or '', before and 1 or 0 }
