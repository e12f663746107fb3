-- finish-page (writes)
--
-- Writes the outcomes of a page of an update or end: delivery statuses, counts and checkpoint. The cells of Live
-- Activities that have ended lose their tokens. A slot that was started again meanwhile holds another Live Activity. A
-- token that was reported after the page was read has not received the end. Its slot stays live, and the end is pending
-- for it.
--
-- KEYS
--   progress
--   status_page
--   update_page
--   counters
--   pending_ends
--   outcome_page
--   start_counts: numbers of starts
--   untold?: pages with events to publish, if there are events
-- ARGV
--   owner
--   page: index in its partition
--   first: index of the first delivery status
--   statuses
--   ended_cell: says that the Live Activity has ended
--   expires_at: of the update page, epoch ms
--   first_slot: of the page
--   ended: number of Live Activities that have ended
--   first_outcome: index of the first outcome
--   codes: outcomes
--   kinds: of outcomes
--   order: of an end of single devices, '' for other broadcasts
--   ended_by: broadcast of an end, '' for an update
--   report_times: of the tokens for statuses as they were read, four bytes each; only for an end
--   forgets_at: time at which the tokens of an ended activity may be deleted, epoch ms, '' while it continues
--   rest...: the indexes of the ended Live Activities, then names of counts and their growth, `e:` fields and the
--     events of the page, or `t:` with the page's turn
-- Reply: one of
--   finished = 1 {slots: int...}: with a token that the end has not met
--   finished_before = 0 {slots: int...}: the same slots
--   lost = -1: another gateway owns the partition
-- Includes: cell-writing, former-tokens, delivery-statuses, outcomes, progress, untold, followers, looks, start-notes
-- Includes: write-rights

if redis.call('HGET', progress, 'owner') ~= owner then return { -1 } end
local state, pages = state_of(progress, page)
-- A call whose answer was lost is repeated, and has to name the slots again.
if state == PAGE.done then
    local reply, tokens = { 0 }, open_pages({ update_page })[1]
    for position = rest_at, rest_at + (order ~= '' and ended or 0) - 1 do
        local slot = first_slot + ARGV[position]
        local is_pending = redis.call('HGET', pending_ends, string.format('%.0f', slot)) == ended_by
        if is_pending and (read_cell(tokens, tonumber(ARGV[position])) or '') ~= '' then reply[#reply + 1] = slot end
    end
    return reply
end
require_writes(progress, 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE', 'PEXPIREAT', 'SET', 'SETRANGE')
local opened, is = open_pages({ status_page, update_page, outcome_page }, { 'turns', 'restart' })
local status_page, update_page, outcome_page = unpack(opened)

local may_be_another = order ~= '' and is[2]
local statuses, codes = statuses, codes
if may_be_another then
    statuses = without_later_starts(statuses, start_counts, first_slot + first, order)
    codes = without_later_starts(codes, start_counts, first_slot + first_outcome, order)
end
local rotated, reply, tokens = {}, { 1 }, ended_by ~= '' and keeps_former(first_slot) and read_page(update_page) or ''
if tokens ~= '' then
    local width = string.byte(tokens)
    statuses = string.gsub(statuses, '()[^%z]', function(place)
        local index = first + place - 1
        local at = 2 + index * width
        local has_token = string.byte(tokens, at + 4) and string.byte(tokens, at) > 0
        local is_read = string.sub(tokens, at + 1, at + 4) == string.sub(report_times, 4 * place - 3, 4 * place)
        if not has_token or is_read then return nil end
        rotated[index] = true
        reply[#reply + 1] = first_slot + index
        redis.call('HSET', pending_ends, string.format('%.0f', first_slot + index), ended_by)
        redis.call('PEXPIREAT', pending_ends, expires_at)
        return '\0'
    end)
end
if statuses ~= '' then count_followers(counters, put_statuses(status_page, tonumber(first), statuses)) end
if string.find(statuses, STATUS_BYTE.unfollowed, 1, true) then
    note_look(counters, math.floor(first_slot / SIZE.slots_per_page), expires_at)
end
if string.find(codes, '[^%z]') then
    put_outcomes(outcome_page, status_page, tonumber(first_outcome), codes, kinds, expires_at)
end
local ended = tonumber(ended)
for position = rest_at, rest_at + ended - 1 do
    local index = tonumber(ARGV[position])
    local slot = string.format('%.0f', first_slot + index)
    if not rotated[index] and (not may_be_another or not is_started_since(start_counts, slot, order)) then
        local old, _, width, rest = read_cell(update_page, index)
        if old then
            local cell = cell_without_token(ended_cell, slot, old, rest)
            write_cell(update_page, index, cell, status_page, expires_at, width)
            if old ~= '' then redis.call('HINCRBY', counters, 'synced', -1) end
        end
        redis.call('HDEL', pending_ends, slot)
    end
end
-- Nothing is sent to the tokens when each Live Activity has ended. Digests take their place, because a field of a hash
-- cannot expire. They still show which tokens were dismissed.
if forgets_at ~= '' and not string.find(read_page(status_page) or '', STATUSES.needs_tokens) then
    if update_page.short and keeps_former(first_slot) then
        local cells = {}
        for index = 0, math.floor((#update_page.short - 1) / width_of(update_page)) - 1 do
            local old, reason, _, rest = read_cell(update_page, index)
            local cell = old == '' and '\0' .. string.char(reason) or ended_cell
            cell = cell_without_token(cell, first_slot, old, rest)
            cells[#cells + 1] = cell .. string.rep('\0', 10 - #cell)
        end
        rewrite(update_page, string.char(10) .. table.concat(cells))
    else
        forget_page(update_page, forgets_at)
    end
end
for position = rest_at + ended, #ARGV, 2 do
    local name, value = ARGV[position], ARGV[position + 1]
    if name == 't:' then
        local turns, start = is[1] or '', SIZE.page_turn * page
        turns = turns .. string.rep('\0', start - #turns)
        turns = string.sub(turns, 1, start) .. value .. string.sub(turns, start + SIZE.page_turn + 1)
        redis.call('HSET', counters, 'turns', turns)
        redis.call('PEXPIREAT', counters, expires_at)
    elseif not keep_untold(untold, name, value, expires_at) then
        redis.call('HINCRBY', progress, name, value)
    end
end
set_state(progress, pages, page, PAGE.done)
return reply
