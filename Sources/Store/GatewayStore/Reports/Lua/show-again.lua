-- show-again (writes)
--
-- Takes back that a device's Live Activity has ended, for it is there: so it can be ended again. That is done at most
-- once in a while, as an app may report what it shows as often as it likes. What its user has dismissed stays so.
--
-- KEYS
--   update_page
--   status_page
--   counters
-- ARGV
--   index
--   ended_cell: says that the Live Activity has ended
--   slot
--   now: epoch ms
--   expires_at: of the update page, if it is gone or about to go, epoch ms
-- Reply: the delivery status of the end; 0 when nothing was done
-- Includes: cell-writing, followers

local index, time = tonumber(index), tonumber(now)
local update_page, status_page = unpack(open_pages({ update_page, status_page }))
local before = read_range(status_page, index, index)
local status = string.byte(before) or 0
if status < STATUS.ended or status == STATUS.dismissed then return 0 end
local field = 'again:' .. slot
local last = tonumber(redis.call('HGET', counters, field) or 0)
if time < last + LIMIT.end_again then return 0 end
redis.call('HSET', counters, field, now)
write_range(status_page, index, STATUS_BYTE.start_accepted)
count_followers(counters, before, STATUS_BYTE.start_accepted)
write_cell(update_page, index, ended_cell, status_page, expires_at)
if not update_page.short and redis.call('PTTL', update_page.key) < expires_at - time then
    redis.call('PEXPIREAT', update_page.key, expires_at)
end
return status
