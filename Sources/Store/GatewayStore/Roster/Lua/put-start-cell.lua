-- put-start-cell (writes)
--
-- Changes a push-to-start token of a registered activity. Does nothing without a page, because the start has ended.
--
-- KEYS
--   start_page
--   status_page
--   counters
-- ARGV
--   index
--   cell
--   new_status: a byte, '' for unchanged
-- Reply: flag (true if the cell was written)
-- Includes: cell-writing, followers, write-rights

local index = tonumber(index)
local start_page, status_page = unpack(open_pages({ start_page, status_page }))
local old, _, width = read_cell(start_page, index)
if not old then return 0 end
local before, after = old ~= '' and 1 or 0, string.byte(cell, 1) > 0 and 1 or 0
if before ~= after or new_status ~= '' then require_writes(counters, 'HINCRBY', 'HSET', 'SETRANGE') end
write_cell(start_page, index, cell, status_page, 0, width)
if before ~= after then redis.call('HINCRBY', counters, 'startable', after - before) end
local status = read_range(status_page, index, index)
-- A page that Redis has evicted is not created again, because it would never expire.
if new_status ~= '' and status ~= '' then
    count_followers(counters, status, new_status)
    write_range(status_page, index, new_status)
end
return 1
