-- show-again (writes)
--
-- Takes back that a device's Live Activity has ended, because it is there and has to be ended again. An app may report
-- at any time, so there is a pause between two repeated ends. An iPhone that was offline reports several new tokens
-- together, so a few of them need no pause. A dismissed Live Activity stays dismissed. The end is owed until its
-- broadcast is recorded (`put-update-cell`).
--
-- KEYS
--   update_page
--   status_page
--   counters
--   pending_ends
-- ARGV
--   index
--   ended_cell: says that the Live Activity has ended
--   slot
--   now: epoch ms
--   expires_at: of the update page, if it is gone or about to go, epoch ms
-- Reply: int (the delivery status of the end; 0 if nothing was done)
-- Includes: cell-writing, former-tokens, followers, write-rights

local index, time = tonumber(index), tonumber(now)
local update_page, status_page = unpack(open_pages({ update_page, status_page }))
local before = read_range(status_page, index, index)
local status = string.byte(before) or 0
if status < STATUS.ended or status == STATUS.dismissed then return 0 end
local field = 'again:' .. slot
-- Each repeated end moves the recorded time ahead by one pause.
local in_row = keeps_former(slot) and LIMIT.ends_in_row or 1
local last = math.max(tonumber(redis.call('HGET', counters, field) or 0), time - in_row * LIMIT.end_again)
if time < last + LIMIT.end_again then return 0 end
require_writes(counters, 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE', 'PEXPIREAT', 'SET', 'SETRANGE')
redis.call('HSET', counters, field, string.format('%.0f', last + LIMIT.end_again))
redis.call('HSET', pending_ends, slot, '=' .. status)
redis.call('PEXPIREAT', pending_ends, expires_at)
write_range(status_page, index, STATUS_BYTE.start_accepted)
count_followers(counters, before, STATUS_BYTE.start_accepted)
local old, _, width, rest = read_cell(update_page, index)
write_cell(update_page, index, cell_without_token(ended_cell, slot, old, rest), status_page, expires_at, width)
if not update_page.short and redis.call('PTTL', update_page.key) < expires_at - time then
    redis.call('PEXPIREAT', update_page.key, expires_at)
end
return status
