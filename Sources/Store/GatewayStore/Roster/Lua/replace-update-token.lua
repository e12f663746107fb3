-- replace-update-token (writes)
--
-- Puts the new token of a device in the place of the one that reaches its Live Activity. Passed over where no Live
-- Activity has shown itself, where it has ended, and where its token is dead: the new one comes of a new installation
-- then, which shows nothing.
--
-- KEYS
--   update_page
--   status_page
--   counters
--   reading: note of the page's reading
-- ARGV
--   index
--   cell
--   expires_at: of the page, epoch ms
-- Reply: 1 when the token was written, else 0
-- Includes: cell-writing

local index = tonumber(index)
local update_page, status_page = unpack(open_pages({ update_page, status_page }))
local status = string.byte(read_range(status_page, index, index)) or 0
if status == STATUS.absent or status == STATUS.removed or status >= STATUS.ended then return 0 end
local old, reason, width = read_cell(update_page, index)
if not old or old == '' and reason ~= MARK.live_activity_shown then return 0 end
-- A mark stands for any token: with its time the new one is told from the former.
local content = string.sub(cell, 6)
if string.sub(old, 5) == content and content ~= MARK_BYTE.registration_token then return 0 end
write_cell(update_page, index, cell, status_page, expires_at, width)
if redis.call('EXISTS', reading) == 1 then redis.call('SETBIT', reading, 32 + index, 0) end
if old == '' then
    redis.call('HINCRBY', counters, 'synced', 1)
    redis.call('PEXPIREAT', counters, expires_at)
end
return 1
