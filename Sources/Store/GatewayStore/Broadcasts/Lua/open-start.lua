-- open-start (writes)
--
-- Makes a hold the owner of a start in a partition. A device that the former hold has noted, and that has no outcome,
-- may have been sent the start. It is in doubt unless its Live Activity has reported itself meanwhile. If devices in
-- doubt are sent the start again, the script checks none of them.
--
-- A start must not reach a device twice, and must not leave one out. So a gateway notes devices, run by run, before it
-- hands them to a connection. The list of notes belongs to its hold of the job. The gateway that takes the job over
-- reads and deletes the list in one step. A note that comes too late finds no list (RPUSHX), so its sender knows that
-- it has lost the job.
--
-- An element of the list is '+' (noted) or '-' (released: nothing can have been delivered), its number, the page, and
-- ranges of indexes. Number and page have four bytes each, the first index and the count of a range two. All numbers
-- are little-endian. For each device the element with the highest number counts, in any order of arrival.
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
-- Reply: {pages: bytes, was_open: flag}
--   pages: their states
--   was_open: 1 if a hold worked on it before
-- Includes: outcomes, known-outcomes, doubts, followers, write-rights

local before = redis.call('HGET', progress, 'owner')
-- Returns a function that is true for a slot whose Live Activity is there. A Live Activity of an earlier start is no
-- proof.
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
    require_writes(progress, 'DEL', 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE', 'PEXPIREAT', 'RPUSH', 'SET', 'SETRANGE')
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
end
if redis.call('EXISTS', noted) == 0 then redis.call('RPUSH', noted, '') end
redis.call('PEXPIREAT', noted, expires_at)
redis.call('HSET', progress, 'owner', owner)
redis.call('PEXPIREAT', progress, expires_at)
return { redis.call('HGET', progress, 'pages') or '', before and 1 or 0 }
