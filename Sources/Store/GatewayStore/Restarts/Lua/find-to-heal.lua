-- find-to-heal (reads)
--
-- Finds the pages of a partition with a device to be started again, by the `RestartRules` for `healing` without those
-- on users. Skips devices that an end waits for. Most pages have none. If silence is no reason, a search for marks in
-- their update tokens shows it.
--
-- KEYS
--   start_counts: numbers of starts
--   pending_ends
--   pages...(3): status page, update page and outcome page
-- ARGV
--   latest: latest second of a start whose device counts as silent, '' if silence is no reason
--   doubtful: latest second of a healing start that counts as silent, '' if silence proves nothing
--   lost: latest second of the refusal of a dead token whose device counts as lost
--   started_at: second of the activity's start
--   most: most starts of a device
--   first_slots...: first slot of each page
-- Reply: [int] (positions of the pages, from 0 on)
-- Includes: outcome-kinds, pages

local byte = string.byte
local latest, doubtful, lost = tonumber(latest), tonumber(doubtful), tonumber(lost)
local started_at, most = tonumber(started_at), tonumber(most)
local has_counts = redis.call('EXISTS', start_counts) == 1
local has_ends = redis.call('EXISTS', pending_ends) == 1

local function has_mark(tokens, width, mark)
    local position = 0
    while true do
        position = string.find(tokens, mark, position + 1, true)
        if not position then return false end
        if (position - 3) % width == 0 and byte(tokens, position - 1) == 0 then return true end
    end
end

local function has_somebody(statuses, tokens, outcome_page, first_slot)
    local width = byte(tokens, 1) or 0
    local reach = width > 1 and math.floor((#tokens - 1) / width) or 0
    local times, codes, noted
    local function is_silent(index, since)
        if not times then
            local page = read_page(outcome_page) or '\0'
            local kinds, position = kinds_of(page, 2, byte(page, 1) or 0)
            times, codes = {}, string.sub(page, position)
            for number, kind in ipairs(kinds) do times[number] = struct.unpack('<I4', kind) end
        end
        return (times[byte(codes, index + 1) or 0] or started_at) <= since
    end
    local function starts_of(index)
        if has_counts and not noted then
            local slots = {}
            for place = 1, #statuses do slots[place] = string.format('%.0f', first_slot + place - 1) end
            noted = redis.call('HMGET', start_counts, unpack(slots))
        end
        return noted and tonumber(string.match(noted[index + 1] or '', '^%d+')) or 1
    end
    local function is_to_end(index)
        return has_ends and redis.call('HEXISTS', pending_ends, string.format('%.0f', first_slot + index)) == 1
    end
    for index = 0, #statuses - 1 do
        -- A cell with a token has no mark.
        local status, mark = byte(statuses, index + 1), MARK.none
        local cell = index < reach and 2 + index * width
        if cell then mark = byte(tokens, cell) == 0 and byte(tokens, cell + 1) end
        local is_meant, is_doubted = false, mark == MARK.healing and status == STATUS.start_unknown
        if mark and status ~= STATUS.absent and status ~= STATUS.removed and status < STATUS.ended then
            is_meant = mark == MARK.dead_token and is_silent(index, lost)
                or mark == MARK.healing
                    and (status == STATUS.registered or status == STATUS.start_unsent)
                or latest and status == STATUS.start_accepted
                    and (mark == MARK.none or mark == MARK.healing) and is_silent(index, latest)
                or doubtful and is_doubted and is_silent(index, doubtful)
        end
        if is_meant then
            local starts = starts_of(index)
            if status == STATUS.registered or status == STATUS.start_failed or status == STATUS.start_unsent then
                starts = math.max(0, starts - 1)
            end
            if starts < most + (is_doubted and 1 or 0) and not is_to_end(index) then return true end
        end
    end
    return false
end

local found = {}
local pages = open_pages({ unpack(KEYS, pages_at) })
for place = 0, #ARGV - first_slots_at do
    local status_page, update_page, outcome_page = unpack(pages, 1 + 3 * place, 3 + 3 * place)
    local tokens = read_page(update_page) or ''
    local width = byte(tokens, 1) or 0
    if latest or width > 1 and (has_mark(tokens, width, MARK_BYTE.dead_token)
        or has_mark(tokens, width, MARK_BYTE.healing)) then
        local statuses = read_page(status_page) or ''
        if has_somebody(statuses, tokens, outcome_page, tonumber(ARGV[first_slots_at + place])) then
            found[#found + 1] = place
        end
    end
end
return found
