-- put-update-cell (writes)
--
-- Notes the update token that a device reports, or that its card is there without one, which takes no token away.
-- Either shows that a start of which nobody knew came through; such starts are counted in the partition's counters,
-- for the broadcast that left the device in doubt (`proven:`). A card that has been prepared to be started again, and
-- shows itself, is not.
--
-- KEYS
--   update_page
--   fate_page
--   counters
--   pending_ends
--   start_page
--   doubts
--   reading?: note of the page's reading, with catch_up
-- ARGV
--   index
--   cell
--   expires_at: of the page, epoch ms
--   slot
-- Reply: {outcome, broadcast that ends this device or ''}; outcome -1: not a member, 0: the same token as before,
--   1: written, 2: the card has ended already, 3: written, and to be ended: the device has dismissed a card before,
--   and this is another one
-- Includes: cell-writing, dismissals

local index = tonumber(index)
local fate = string.byte(redis.call('GETRANGE', fate_page, index, index)) or 0
if fate == FATE.absent or fate == FATE.removed then return { -1, '' } end
if fate >= FATE.ended then
    if fate ~= FATE.dismissed or string.byte(cell) == 0
        or is_dismissed(update_page, index, string.sub(cell, 6)) then return { 2, '' } end
    redis.call('SETRANGE', fate_page, index, FATE_BYTE.start_accepted)
end
if fate == FATE.start_unknown then
    redis.call('SETRANGE', fate_page, index, FATE_BYTE.start_accepted)
    local broadcast = string.match(redis.call('HGET', doubts, slot) or '', '^%S+')
    if broadcast then
        redis.call('HDEL', doubts, slot)
        redis.call('HINCRBY', counters, 'proven:' .. broadcast, 1)
        redis.call('PEXPIREAT', counters, expires_at)
    end
elseif fate == FATE.registered and redis.call('HEXISTS', counters, 'restart') == 1
    and (read_cell(start_page, index) or '') ~= ''
then
    write_cell(start_page, index, '\0' .. SKIP_BYTE.active, fate_page, expires_at)
end
local pending = redis.call('HGET', pending_ends, slot) or ''
local old, reason, width = read_cell(update_page, index)
if string.byte(cell) == 0 then
    if old and (old ~= '' or reason == string.byte(cell, 2)) then return { 0, pending } end
    write_cell(update_page, index, cell, fate_page, expires_at, width)
    return { 1, pending }
end
if old and old ~= '' and string.sub(old, 5) == string.sub(cell, 6) then return { 0, pending } end
write_cell(update_page, index, cell, fate_page, expires_at, width)
if reading and redis.call('EXISTS', reading) == 1 then redis.call('SETBIT', reading, 32 + index, 0) end
if not old or old == '' then
    redis.call('HINCRBY', counters, 'synced', 1)
    redis.call('PEXPIREAT', counters, expires_at)
end
return { fate >= FATE.ended and 3 or 1, pending }
