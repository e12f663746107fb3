-- find-lost (reads)
--
-- Finds the slots of a partition's pages whose device is to be started again, by `SlotStep.next` for `search` or
-- `follower`. Users are not read. Leaves registered devices to their start, and of the ended ones finds those that an
-- unfollow has ended, because the user may follow again. A search finds each page once, and skips devices that an end
-- waits for or that had the most starts. It reads only pages with the marks of losses.
--
-- KEYS
--   start_counts: numbers of starts
--   pending_ends
--   pages...(3): status page, update page and outcome page
-- ARGV
--   evidence: 'search' or 'follower'
--   doubtful: latest second of a healing start that counts as silent, '' if silence proves nothing
--   lost: latest second of the refusal of a dead token whose device counts as lost, '' for any
--   started_at: second of the activity's start
--   most: most starts of a device, for a search
--   first_slots...: first slot of each page
-- Reply: [int] (the slots)
-- Includes: outcome-kinds, pages

local byte = string.byte
local is_search = evidence == 'search'
local doubtful, lost = tonumber(doubtful), tonumber(lost)
local started_at, most = tonumber(started_at), tonumber(most)
local has_counts = is_search and redis.call('EXISTS', start_counts) == 1
local has_ends = is_search and redis.call('EXISTS', pending_ends) == 1

local function has_mark(tokens, width, mark)
    local position = 0
    while true do
        position = string.find(tokens, mark, position + 1, true)
        if not position then return false end
        if (position - 3) % width == 0 and byte(tokens, position - 1) == 0 then return true end
    end
end

-- `SlotStep.next`. The mark is false for a cell with a token.
local function is_to_start(status, mark, is_older)
    if status == STATUS.unfollowed and not is_search then return true end
    if not mark or mark == MARK.live_activity_shown then return false end
    if status == STATUS.absent or status == STATUS.removed or status >= STATUS.ended then return false end
    if mark == MARK.dead_token then return not lost or is_older(lost) end
    if status == STATUS.start_accepted then return false end
    if not is_search then return status == STATUS.start_failed or status == STATUS.start_unsent end
    if mark ~= MARK.healing then return false end
    if status == STATUS.start_unknown then return doubtful and is_older(doubtful) end
    return status ~= STATUS.start_failed
end

local found = {}
local function look(statuses, tokens, outcome_page, first_slot)
    local width = byte(tokens, 1) or 0
    local reach = width > 1 and math.floor((#tokens - 1) / width) or 0
    local times, codes, noted
    local index
    local function is_older(second)
        if not times then
            local page = read_page(outcome_page) or '\0'
            local kinds, position = kinds_of(page, 2, byte(page, 1) or 0)
            times, codes = {}, string.sub(page, position)
            for number, kind in ipairs(kinds) do times[number] = struct.unpack('<I4', kind) end
        end
        return (times[byte(codes, index + 1) or 0] or started_at) <= second
    end
    local function is_skipped(status, mark)
        if has_counts and not noted then
            local slots = {}
            for place = 1, #statuses do slots[place] = string.format('%.0f', first_slot + place - 1) end
            noted = redis.call('HMGET', start_counts, unpack(slots))
        end
        local starts = noted and tonumber(string.match(noted[index + 1] or '', '^%d+')) or 1
        if status == STATUS.registered or status == STATUS.start_failed or status == STATUS.start_unsent then
            starts = math.max(0, starts - 1)
        end
        local is_doubted = mark == MARK.healing and status == STATUS.start_unknown
        return starts >= most + (is_doubted and 1 or 0)
            or has_ends and redis.call('HEXISTS', pending_ends, string.format('%.0f', first_slot + index)) == 1
    end
    for place = 1, #statuses do
        index = place - 1
        local status, mark = byte(statuses, place), MARK.none
        local cell = index < reach and 2 + index * width
        if cell then mark = byte(tokens, cell) == 0 and byte(tokens, cell + 1) end
        if is_to_start(status, mark, is_older) and not (is_search and is_skipped(status, mark)) then
            found[#found + 1] = first_slot + index
            if is_search then return end
        end
    end
end

local pages = open_pages({ unpack(KEYS, pages_at) })
for place = 0, #ARGV - first_slots_at do
    local status_page, update_page, outcome_page = unpack(pages, 1 + 3 * place, 3 + 3 * place)
    local tokens = read_page(update_page) or ''
    local width = byte(tokens, 1) or 0
    if not is_search or width > 1 and (has_mark(tokens, width, MARK_BYTE.dead_token)
        or has_mark(tokens, width, MARK_BYTE.healing)) then
        look(read_page(status_page) or '', tokens, outcome_page, tonumber(ARGV[first_slots_at + place]))
    end
end
return found
