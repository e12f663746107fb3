-- replace-update-token (writes)
--
-- Replaces the token that reaches a device's Live Activity. Writes nothing if no Live Activity has reported, if it has
-- ended, or if its token is dead. After a dead token, the new one is of a new installation without Live Activities.
--
-- KEYS
--   update_page
--   status_page
--   counters
--   reading: record of the page's last reading
-- ARGV
--   index
--   cell
--   expires_at: of the page, epoch ms
-- Reply: flag (true if the token was written)
-- Includes: cell-writing, write-rights

local index = tonumber(index)
local update_page, status_page = unpack(open_pages({ update_page, status_page }))
local status = string.byte(read_range(status_page, index, index)) or 0
if status == STATUS.absent or status == STATUS.removed or status >= STATUS.ended then return 0 end
local old, reason, width = read_cell(update_page, index)
if not old or old == '' and reason ~= MARK.live_activity_shown then return 0 end
-- Cells with this mark differ only by their time, so an equal mark is written again.
local content = string.sub(cell, 6)
if string.sub(old, 5) == content and content ~= MARK_BYTE.registration_token then return 0 end
local is_read = redis.call('EXISTS', reading) == 1
if is_read then require_writes(counters, 'SETBIT') end
if old == '' then require_writes(counters, 'HINCRBY', 'PEXPIREAT') end
write_cell(update_page, index, cell, status_page, expires_at, width)
if is_read then redis.call('SETBIT', reading, 32 + index, 0) end
if old == '' then
    redis.call('HINCRBY', counters, 'synced', 1)
    redis.call('PEXPIREAT', counters, expires_at)
end
return 1
